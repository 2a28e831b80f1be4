"""The way back to the newest text, shown while the reader is elsewhere."""

from __future__ import annotations

from PySide6.QtWidgets import QPushButton, QWidget

from draftlens.ui.theme import Theme


class Pill(QPushButton):
    """Stands at the lower edge of its parent."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__("Jump to latest", parent)
        self._theme, self._home = theme, parent
        self.setProperty("kind", "pill")
        self.hide()
        theme.changed.connect(self._show_icon)
        self._show_icon()

    @property
    def room(self) -> int:
        """How high the strip is that it stands in, with some space around it."""
        return self._high + 8

    @property
    def _high(self) -> int:
        return max(28, self.sizeHint().height())

    def settle(self) -> None:
        """Take the place again after the parent changed its size."""
        wide, high, home = self.sizeHint().width(), self._high, self._home
        self.setGeometry((home.width() - wide) // 2, home.height() - high - 6, wide, high)

    def _show_icon(self) -> None:
        self.setIcon(self._theme.icon("arrow-down", "text2", 14))
