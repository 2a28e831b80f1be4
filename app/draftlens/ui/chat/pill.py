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

    def settle(self) -> None:
        """Take the place again after the parent changed its size."""
        size, home = self.sizeHint(), self._home
        high = max(28, size.height())
        self.setGeometry((home.width() - size.width()) // 2, home.height() - high - 12, size.width(), high)

    def _show_icon(self) -> None:
        self.setIcon(self._theme.icon("arrow-down", "text2", 14))
