"""Which of the side panes are shown, how wide they are, and what of it is kept for the next start."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QSettings, QSignalBlocker

from draftlens.ui.screens import COMPARE, MODELS
from draftlens.ui.theme import tokens

if TYPE_CHECKING:
    from draftlens.ui.main_window import MainWindow

NARROW, NARROWEST = 1180, 960
"""Below these widths the inspector, then the sidebar give their room to the chat, unless asked for."""


class Panes:
    """The sidebar and the inspector of a window.

    Args:
        settings_file: where position and sizes are kept; None keeps nothing.
    """

    def __init__(self, window: MainWindow, settings_file: Path | None) -> None:
        self._window = window
        self._settings = None if settings_file is None else QSettings(str(settings_file), QSettings.Format.IniFormat)
        self._asked_inspector: bool | None = None
        self._asked_sidebar: bool | None = None

    def toggle_sidebar(self) -> None:
        """Show or hide the sidebar, and keep to it."""
        self._asked_sidebar = self._window.sidebar.isHidden()
        self.fit()

    def ask_inspector(self, on: bool) -> None:
        """Show or hide the inspector, and keep to it."""
        self._asked_inspector = on
        self.fit()

    def fit(self) -> None:
        """Show what there is room for, or what was asked for."""
        window, asked = self._window, self._asked_inspector
        on = window.width() >= self._scaled(NARROW) if asked is None else asked
        window.inspector.setVisible(on)
        button = window.toolbar.inspector
        with QSignalBlocker(button):
            button.setChecked(on)
        name = "Hide the inspector" if on else "Show the inspector"
        button.setAccessibleName(name)
        button.setToolTip(name)
        beside = window.width() >= self._scaled(NARROWEST) if self._asked_sidebar is None else self._asked_sidebar
        window.sidebar.setVisible(beside)
        window.toolbar.show_sidebar_button(not beside)
        if window.screens.has(COMPARE):
            window.compare.bar.sidebar.setVisible(not beside)
        if window.screens.has(MODELS):
            window.models.sidebar.setVisible(not beside)

    def _scaled(self, width: int) -> int:
        """Of a window a third or so is text in a row: that much of its width grows with the text."""
        return width + self._window.theme.px(width // 3) - width // 3

    def _inspector_width(self) -> int:
        """The designed width, or less where the chat would not have its own."""
        window, size, px = self._window, tokens()["dimensions"]["inspector"], self._window.theme.px
        left = window.width() - window.sidebar.minimumWidth() - px(window.chat.minimumWidth())
        return max(px(size["min"]), min(px(size["width"]), left))

    def widen(self) -> None:
        """Larger text needs wider panes."""
        window, size, px = self._window, tokens()["dimensions"]["inspector"], self._window.theme.px
        side = tokens()["dimensions"]["sidebar"]
        if window.sidebar.minimumWidth() != px(side["min"]):
            window.sidebar.setMinimumWidth(px(side["min"]))
            window.sidebar.setMaximumWidth(px(side["max"]))
            window.outer.setSizes([max(px(side["min"]), side["width"]), 10_000])
        if window.inspector.minimumWidth() != px(size["min"]):
            window.inspector.setMinimumWidth(px(size["min"]))
            window.inspector.setMaximumWidth(px(size["max"]))
            window.splitter.setSizes([10_000, self._inspector_width()])
            self.fit()

    def save(self) -> None:
        """Keep place and sizes."""
        if self._settings is not None:
            self._settings.setValue("geometry", self._window.saveGeometry())
            self._settings.setValue("splitter", self._window.splitter.saveState())
            self._settings.setValue("outer", self._window.outer.saveState())

    def restore_place(self) -> None:
        """Put the window where it was; the first time it is no larger than a screen that can hold it."""
        window = self._window
        geometry = None if self._settings is None else self._settings.value("geometry")
        room = window.screen().availableSize()
        if isinstance(geometry, QByteArray):
            window.restoreGeometry(geometry)
        elif window.minimumSize().boundedTo(room) == window.minimumSize():
            window.resize(window.size().boundedTo(room))

    def restore_sizes(self) -> None:
        """Give the panes their kept sizes; before the window has its own they would be squeezed, and stay so."""
        window = self._window
        for name, splitter in (("outer", window.outer), ("splitter", window.splitter)):
            state = None if self._settings is None else self._settings.value(name)
            if isinstance(state, QByteArray):
                splitter.restoreState(state)
            elif splitter is window.splitter:
                splitter.setSizes([10_000, self._inspector_width()])
        self.fit()
