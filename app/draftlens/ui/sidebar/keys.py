"""A button and a search field that show their keys at the right, as the links below them do."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QPushButton, QWidget

from draftlens.ui.escape_field import EscapeField
from draftlens.ui.theme import Theme

_SIDE, _GAP = 10, 8
_AROUND = 36
"""What icon and margins take beside the words."""


class KeyButton(QPushButton):
    """A button with its keys."""

    def __init__(self, theme: Theme, text: str, keys: str) -> None:
        super().__init__(text)
        self._theme, self._keys = theme, keys
        self.setProperty("kind", "new")

    def paintEvent(self, event: QPaintEvent) -> None:
        """The button, then its keys."""
        super().paintEvent(event)
        _paint_keys(self, self._theme, self._keys, self.text())


class SearchField(EscapeField):
    """A field with its keys while nothing is written in it."""

    def __init__(self, theme: Theme, words: str, keys: str) -> None:
        super().__init__()
        self._theme, self._keys = theme, keys
        self.setPlaceholderText(words)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The field, then its keys."""
        super().paintEvent(event)
        if not self.text():
            _paint_keys(self, self._theme, self._keys, self.placeholderText())


def _paint_keys(widget: QWidget, theme: Theme, keys: str, words: str) -> None:
    """Paint the keys, unless they would touch the words."""
    painter = QPainter(widget)
    painter.setFont(theme.font("small"))
    taken = _AROUND + widget.fontMetrics().horizontalAdvance(words) + _GAP
    if taken + painter.fontMetrics().horizontalAdvance(keys) + _SIDE <= widget.width():
        painter.setPen(theme.color("text3"))
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(widget.rect().adjusted(0, 0, -_SIDE, 0), right, keys)
    painter.end()
