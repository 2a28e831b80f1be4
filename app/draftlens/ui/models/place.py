"""The models' place in the window: where they are looked for, what may be loaded of them, and what is given to it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.ui.screens import MODELS

if TYPE_CHECKING:
    from draftlens.bridge.loading import Loading
    from draftlens.bridge.models import Models
    from draftlens.library.catalog import Places
    from draftlens.ui.main_window import MainWindow
    from draftlens.ui.models.screen import ModelsScreen


class ModelsPlace(QObject):
    """Makes each part when it is first wanted: the window is on screen a third sooner without what they bring."""

    def __init__(self, window: MainWindow, bridge: EngineBridge) -> None:
        super().__init__(window)
        self._window, self._bridge = window, bridge

    @cached_property
    def loading(self) -> Loading:
        """The models that are here, and how they are loaded."""
        from draftlens.bridge.loading import Loading
        from draftlens.bridge.models import Models

        models = Models(self._places, parent=self._window)
        loading = Loading(self._bridge, models, self._window)
        loading.begun.connect(self._window.show_chat)
        loading.fittingAsked.connect(lambda: self.screen.show_fitting())
        models.folderTaken.connect(self._add_folder)
        for changed in (self._bridge.modelChanged, self._window.preferences.changed):
            changed.connect(lambda: self._adopt(models))
        self._adopt(models)
        app = QApplication.instance()
        if app is not None:
            app.aboutToQuit.connect(models.close)
            app.aboutToQuit.connect(loading.close)
        return loading

    @cached_property
    def screen(self) -> ModelsScreen:
        """The Models screen."""
        from draftlens.ui.models.screen import ModelsScreen

        window = self._window
        screen = ModelsScreen(window.theme, self._bridge, self.loading)
        screen.wanted.connect(lambda: window.screens.show_screen(MODELS))
        screen.sidebarAsked.connect(window.toggle_sidebar)
        screen.sidebar.setVisible(window.sidebar.isHidden())
        window.screens.put(MODELS, screen)
        return screen

    def take(self, paths: Iterable[Path]) -> None:
        """Take model folders and GGUF files that were dropped or chosen; the first-run view begins with a model."""
        begins = self._window.pages.currentWidget() is self._window.first_run
        paths = list(paths)
        for path in paths:
            self.screen.take(path)
        if begins and len(paths) == 1 and paths[0].is_dir() and self.loading.load_folder(paths[0]):
            return
        self.screen.show_taken()

    def choose_gguf(self) -> None:
        """Choose a GGUF file and import it."""
        self.screen.show_taken()
        self.screen.add_button.choose_gguf()

    def _places(self) -> Places:
        from draftlens.library import catalog

        settings = self._window.preferences.settings
        return catalog.default_places(settings.hub_cache, settings.model_folders)

    def _add_folder(self, folder: Path) -> None:
        preferences = self._window.preferences
        known = preferences.settings.model_folders
        if folder not in known:
            preferences.set(model_folders=(*known, folder))

    def _adopt(self, models: Models) -> None:
        """Look where the settings say, and reckon with the memory that they or the device allow."""
        settings, loaded = self._window.preferences.settings, self._bridge.loaded
        device = None if loaded is None else loaded.memory_limit
        limit = None if settings.memory_limit is None else round(settings.memory_limit * 1e9)
        models.adopt(settings.estimate_context, limit or device)
