"""Puts the Compare screen into the window: its link, its keys, and what it asks of the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.compare import files
from draftlens.ui.compare.screen import COMPARE, CompareScreen

if TYPE_CHECKING:
    from draftlens.ui.main_window import MainWindow


def add_compare(window: MainWindow, bridge: EngineBridge) -> CompareScreen:
    """Make the screen and register it; comparisons are kept beside the chats."""
    preferences = window.preferences
    screen = CompareScreen(window.theme, bridge, preferences.data_folder / files.FOLDER)
    screen.set_tinted(preferences.settings.provenance)
    screen.chatAsked.connect(window.show_chat)
    screen.openTarget.connect(window.open_target)
    screen.startDemo.connect(window.start_demo)
    # What the menus can do depends on what is in view and on what there is to export.
    screen.comparing.changed.connect(window.refresh)
    window.screens.changed.connect(window.refresh)
    screen.sidebarAsked.connect(window.toggle_sidebar)
    preferences.changed.connect(lambda: screen.set_tinted(preferences.settings.provenance))
    screen.bar.provenance.clicked.connect(lambda on: preferences.set(provenance=on))
    window.screens.add(COMPARE, screen, "Compare rules", "Ctrl+2", "columns")
    return screen
