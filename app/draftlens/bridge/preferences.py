"""The settings in force: changed one at a time, written at once, told to whoever shows or uses them."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any

from PySide6.QtCore import QObject, Signal

from draftlens import paths
from draftlens.core.errors import UserError
from draftlens.settings.file import SettingsFile
from draftlens.settings.settings import Settings

LOG = logging.getLogger("draftlens.bridge")


class Preferences(QObject):
    """Owner: the window's thread. Without a file the settings hold until the end."""

    changed = Signal()
    troubled = Signal()

    def __init__(
        self, settings: Settings | None = None, file: SettingsFile | None = None, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self.settings = settings or Settings()
        self.data_folder = paths.data_dir()
        """Where everything is kept until the end of the program."""
        self.trouble: UserError | None = None
        self._file = file

    def set(self, **values: Any) -> None:
        """Change settings.

        Raises:
            UserError: a value is out of range; nothing is changed.
        """
        self.put(replace(self.settings, **values))

    def put(self, settings: Settings) -> None:
        """Take over all settings.

        Raises:
            UserError: a value is out of range; nothing is changed.
        """
        settings.session()
        if settings == self.settings:
            return
        self.settings = settings
        self.changed.emit()
        if self._file is None:
            return
        try:
            problems = self._file.save(settings)
        except UserError as error:
            problems = (error,)
        for problem in problems:
            LOG.warning("%s", problem)
            self.trouble = problem
            self.troubled.emit()

    def restore(self) -> None:
        """Back to the defaults; the folders of models and data stay."""
        kept = self.settings
        names = ("target", "drafter", "data_folder", "move_data_to", "hub_cache", "model_folders")
        self.put(replace(Settings(), **{name: getattr(kept, name) for name in names}))
