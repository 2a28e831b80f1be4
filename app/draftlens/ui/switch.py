"""An on/off switch with its words beside it; to assistive technology it is a check box."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QSizePolicy, QWidget

from draftlens.ui.theme import Theme

_WIDTH, _HEIGHT, _GAP = 28, 16, 6


class Switch(QAbstractButton):
    """A painted check box."""

    def __init__(self, theme: Theme, text: str, parent: QWidget | None = None, *, hint: str = "") -> None:
        super().__init__(parent)
        self._theme, self._hint = theme, hint
        self._hint_shown = True
        self.setText(text)
        self.setAccessibleName(text)
        self.setCheckable(True)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """The switch, its words and the shortcut."""
        metrics = self.fontMetrics()
        width = _WIDTH + _GAP + metrics.horizontalAdvance(self.text())
        if self._hint and self._hint_shown:
            width += _GAP + metrics.horizontalAdvance(self._hint)
        return QSize(width + 4, 28)

    def show_hint(self, on: bool) -> None:
        """Show the shortcut, or leave its room to what stands beside."""
        if on is not self._hint_shown:
            self._hint_shown = on
            self.updateGeometry()
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """A pill with a knob on the side that is on."""
        color = self._theme.color
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        pill = QRectF(2, (self.height() - _HEIGHT) / 2, _WIDTH, _HEIGHT)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color("accent" if self.isChecked() else "untested"))
        painter.drawRoundedRect(pill, _HEIGHT / 2, _HEIGHT / 2)
        x = pill.right() - _HEIGHT / 2 if self.isChecked() else pill.left() + _HEIGHT / 2
        painter.setBrush(color("onAccent"))
        painter.drawEllipse(QPointF(x, pill.center().y()), 6, 6)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(color("accentText"), 2))
            painter.drawRoundedRect(pill.adjusted(-1, -1, 1, 1), 9, 9)
        words = self.rect().adjusted(_WIDTH + _GAP + 2, 0, 0, 0)
        painter.setPen(color("text" if self._hint else "text2"))
        align = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(words, align, self.text())
        if self._hint and self._hint_shown:
            painter.setPen(color("text3"))
            words.adjust(self.fontMetrics().horizontalAdvance(self.text()) + _GAP, 0, 0, 0)
            painter.drawText(words, align, self._hint)
        painter.end()
