"""What a token of the transcript is, in a small card above it: it never takes the focus, and Esc closes it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, Qt
from PySide6.QtGui import QColor, QGuiApplication, QKeyEvent
from PySide6.QtWidgets import QFrame, QGraphicsDropShadowEffect, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from draftlens.bridge import figures
from draftlens.bridge.positions import Position, popover_figures, popover_sentence
from draftlens.core.round import Fate, Source
from draftlens.ui.shapes import MarkWidget, text_color, tint
from draftlens.ui.theme import Theme

_GAP = 8
_WIDTH = 290


class TokenPopover(QFrame):
    """A child of the page it stands on, so that it goes where the page goes."""

    def __init__(self, theme: Theme, page: QWidget) -> None:
        super().__init__(page)
        self._theme = theme
        self.setObjectName("popover")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._mark: MarkWidget | None = None
        self.name, self.badge, self.sentence, self.figures = QLabel(), QLabel(), QLabel(), QLabel()
        self.badge.setIndent(0)
        self.badge.setMargin(3)
        self.sentence.setWordWrap(True)
        self.sentence.setProperty("tone", "2")
        self.figures.setProperty("tone", "2")
        for label in (self.name, self.badge, self.sentence, self.figures):
            label.setTextFormat(Qt.TextFormat.PlainText)
        self._head = QHBoxLayout()
        self._head.setSpacing(8)
        self._head.addWidget(self.name)
        self._head.addStretch(1)
        self._head.addWidget(self.badge)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(12, 10, 12, 10)
        layout.setSpacing(6)
        layout.addLayout(self._head)
        layout.addWidget(self.sentence)
        layout.addWidget(self.figures)
        shadow = QGraphicsDropShadowEffect(self)
        shadow.setBlurRadius(24)
        shadow.setOffset(0, 6)
        shadow.setColor(QColor(0, 0, 0, 70))
        self.setGraphicsEffect(shadow)
        self.hide()

    def show_position(self, position: Position, token: QRect) -> None:
        """Show a position above its token, or below where there is no room; `token` is its place on the page."""
        theme, mark = self._theme, _mark_of(position)
        if self._mark is not None:
            self._mark.hide()
            self._mark.deleteLater()
        self._mark = MarkWidget(mark, theme)
        self._head.insertWidget(0, self._mark)
        self.name.setFont(theme.font("code"))
        self.name.setText(position.drawn_text or position.drafted_text)
        words = "accepted draft" if mark in (Fate.ACCEPTED, Source.DRAFT) else figures.mark_words(mark)
        self.badge.setText(words[:1].upper() + words[1:])
        self.badge.setStyleSheet(
            f"background: {theme.color(tint(mark)).name()}; color: {theme.color(text_color(mark)).name()};"
            "border-radius: 4px; padding: 1px 4px; font-size: 11px;"
        )
        self.sentence.setText(popover_sentence(position))
        self.figures.setFont(theme.font("data"))
        self.figures.setText(popover_figures(position))
        self.figures.setVisible(bool(self.figures.text()))
        self.setFixedWidth(theme.px(_WIDTH))
        self.setFixedHeight(self.heightForWidth(theme.px(_WIDTH)))
        page = self.parentWidget()
        assert page is not None
        left = min(max(token.center().x() - self.width() // 2, _GAP), page.width() - self.width() - _GAP)
        above = token.top() - self.height() - _GAP
        self.move(left, above if above >= 0 else token.bottom() + _GAP)
        if self.isHidden():
            QGuiApplication.instance().installEventFilter(self)  # type: ignore[union-attr]
        self.show()
        self.raise_()

    def close_card(self) -> None:
        """Hide it."""
        if not self.isHidden():
            QGuiApplication.instance().removeEventFilter(self)  # type: ignore[union-attr]
            self.hide()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Esc closes the card and does nothing else; so does a press elsewhere, which also does what it is for."""
        if event.type() in (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress):
            escape = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape
            if escape and event.type() is QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if escape:
                self.close_card()
                return True
        elif event.type() is QEvent.Type.MouseButtonPress and isinstance(watched, QWidget):
            if watched is not self and not self.isAncestorOf(watched):
                self.close_card()
        elif event.type() is QEvent.Type.ApplicationStateChange:
            self.close_card()
        return False


def _mark_of(position: Position) -> Fate | Source:
    if position.draw is not None:
        return position.draw.source
    return Source.PLAIN if position.proposal is None else position.proposal.fate
