"""Puts the Models screen into the window: its link, its keys, what it may load and where it looks."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication

from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.bridge.models import Models
from draftlens.library import catalog
from draftlens.library.catalog import Installed, Places
from draftlens.ui.models.screen import DISCOVER, ModelsScreen
from draftlens.ui.screens import MODELS

if TYPE_CHECKING:
    from draftlens.ui.main_window import MainWindow


def make_models(window: MainWindow, bridge: EngineBridge) -> ModelsScreen:
    """Make the screen; folders are looked for where the settings say."""
    preferences = window.preferences

    def places() -> Places:
        settings = preferences.settings
        return catalog.default_places(settings.hub_cache, settings.model_folders)

    models = Models(places, parent=window)
    screen = ModelsScreen(window.theme, bridge, models)

    def load(target: Installed, drafter: Installed | None) -> None:
        window.show_chat()
        bridge.load(target.path, None if drafter is None else drafter.path)

    def add_folder(folder: Path) -> None:
        known = preferences.settings.model_folders
        if folder not in known:
            preferences.set(model_folders=(*known, folder))
        models.refresh()

    def discover() -> None:
        window.screens.show_screen(MODELS)
        screen.show_tab(DISCOVER)

    def take_limit() -> None:
        # The engine knows the device's own figure; before, the system's memory has to do.
        if bridge.loaded is not None and bridge.loaded.memory_limit:
            models.limit = bridge.loaded.memory_limit

    bridge.modelChanged.connect(take_limit)
    screen.openDiscover.connect(discover)
    screen.sidebarAsked.connect(window.toggle_sidebar)
    screen.loadAsked.connect(load)
    screen.folderAdded.connect(add_folder)
    screen.sidebar.setVisible(window.sidebar.isHidden())
    take_limit()
    app = QApplication.instance()
    if app is not None:
        app.aboutToQuit.connect(models.close)
    return screen
