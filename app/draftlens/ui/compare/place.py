"""Puts the Compare screen into the window: its link, its keys, and what it asks of the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.compare import files
from draftlens.ui.compare.screen import CompareScreen

if TYPE_CHECKING:
    from draftlens.ui.main_window import MainWindow


def make_compare(window: MainWindow, bridge: EngineBridge) -> CompareScreen:
    """Make the screen; comparisons are kept beside the chats."""
    preferences = window.preferences
    screen = CompareScreen(window.theme, bridge, preferences.data_folder / files.FOLDER)
    screen.set_tinted(preferences.settings.provenance)
    screen.chatAsked.connect(window.show_chat)
    screen.openTarget.connect(window.open_target)
    screen.startDemo.connect(window.start_demo)
    # What the menus can do depends on what is in view and on what there is to export.
    screen.comparing.changed.connect(window.refresh)
    screen.sidebarAsked.connect(window.toggle_sidebar)
    preferences.changed.connect(lambda: screen.set_tinted(preferences.settings.provenance))
    screen.bar.provenance.clicked.connect(lambda on: preferences.set(provenance=on))
    screen.bar.sidebar.setVisible(window.sidebar.isHidden())
    return screen
