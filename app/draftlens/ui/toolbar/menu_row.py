"""A menu entry with a sentence under its name: the choice explains itself where it is made."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractButton, QMenu, QWidgetAction

from draftlens.ui.theme import Theme

_WIDTH, _LEFT, _PAD = 372, 30, 8


class MenuRow(QAbstractButton):
    """Name, sentence, and a tick if it is the one in force."""

    def __init__(
        self, theme: Theme, menu: QMenu, name: str, sentence: str, *, mono: bool, ticked: bool, alarming: bool
    ) -> None:
        super().__init__(menu)
        self._theme, self._sentence = theme, sentence
        self._ticked, self._alarming = ticked, alarming
        self._name_font = theme.font("code" if mono else "ui")
        if not mono:
            self._name_font.setWeight(QFont.Weight.Medium)
        self._small = theme.font("small")
        self.setText(name)
        self.setAccessibleName(f"{name}{', chosen' if ticked else ''}. {sentence}")
        if QFontMetrics(self._name_font).horizontalAdvance(name) > _WIDTH - _LEFT - _PAD:
            self.setToolTip(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)

    def sizeHint(self) -> QSize:
        """As high as the sentence needs."""
        return QSize(_WIDTH, 2 * _PAD + 18 + (self._sentence_height() if self._sentence else 0))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return chooses as in any menu; the other keys are the menu's."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and self.isEnabled():
            self.click()
        else:
            event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the row."""
        color, enabled = self._theme.color, self.isEnabled()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if enabled and (self.underMouse() or self.hasFocus()):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color("hover"))
            painter.drawRoundedRect(self.rect(), 4, 4)
        if self._ticked:
            painter.drawPixmap(9, _PAD + 1, self._theme.pixmap("check", "accentText", 14))
        painter.setFont(self._name_font)
        painter.setPen(color("text" if enabled else "disabled"))
        room = self.width() - _LEFT - _PAD
        name = painter.fontMetrics().elidedText(self.text(), Qt.TextElideMode.ElideMiddle, room)
        painter.drawText(QRect(_LEFT, _PAD, room, 18), Qt.AlignmentFlag.AlignVCenter, name)
        if self._sentence:
            painter.setFont(self._small)
            painter.setPen(color("rejectedText" if self._alarming else "text3"))
            wrap = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignTop
            painter.drawText(QRect(_LEFT, _PAD + 18, room, self.height()), wrap, self._sentence)
        painter.end()

    def _sentence_height(self) -> int:
        room = QRect(0, 0, _WIDTH - _LEFT - _PAD, 1000)
        return QFontMetrics(self._small).boundingRect(room, Qt.TextFlag.TextWordWrap, self._sentence).height() + 2


def add_row(
    menu: QMenu,
    theme: Theme,
    name: str,
    sentence: str,
    chosen: Callable[[], None],
    *,
    mono: bool = False,
    ticked: bool = False,
    alarming: bool = False,
    enabled: bool = True,
) -> MenuRow:
    """Append a row to a menu; choosing it closes the menu first, so that a dialog can follow."""
    row = MenuRow(theme, menu, name, sentence, mono=mono, ticked=ticked, alarming=alarming)
    row.setEnabled(enabled)
    action = QWidgetAction(menu)
    action.setDefaultWidget(row)
    action.setEnabled(enabled)
    menu.addAction(action)

    def choose() -> None:
        menu.close()
        chosen()

    row.clicked.connect(choose)
    return row
