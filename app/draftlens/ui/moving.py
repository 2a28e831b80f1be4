"""The move asked for in the settings: done before anything in the data folder is opened, with a bar to watch."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QProgressDialog

from draftlens import paths
from draftlens.core.errors import UserError
from draftlens.settings.file import SettingsFile
from draftlens.settings.settings import Settings
from draftlens.store import moving
from draftlens.store.instance import claim
from draftlens.ui.theme import Theme

_STEPS = 1000


def settled(file: SettingsFile, settings: Settings) -> tuple[Settings, tuple[UserError, ...]]:
    """Return the settings to start with, and what there is to say. A move that fails is not tried again by itself."""
    new, old = settings.move_data_to, paths.data_dir()
    if new is None:
        return settings, ()
    try:
        instance = claim(old, lambda: None)
    except UserError as error:
        return settings, (error,)
    if instance is None:
        # Its window is in front now, and this start ends.
        return settings, ()
    after = _led(settings, old, new)
    try:
        moving.move(old, new, lambda: _save(file, after), _Bar(old, new).show_part)
    except UserError as error:
        stayed = replace(settings, move_data_to=None)
        try:
            _save(file, stayed)
        except UserError as unsaved:
            return stayed, (error, unsaved)
        return stayed, (error,)
    finally:
        instance.close()
    paths.choose_data_dir(after.data_folder)
    return after, (UserError(f"Your chats, models and comparisons are in {new} now."),)


def _save(file: SettingsFile, settings: Settings) -> None:
    file.save(settings)


def _led(settings: Settings, old: Path, new: Path) -> Settings:
    """The settings after the move: whatever pointed into the old folder points into the new one."""

    def led(path: Path | None) -> Path | None:
        return new / path.relative_to(old) if path is not None and path.is_relative_to(old) else path

    return replace(
        settings,
        data_folder=None if new == paths.default_data_dir() else new,
        move_data_to=None,
        target=led(settings.target),
        drafter=led(settings.drafter),
        hub_cache=led(settings.hub_cache),
        model_folders=tuple(led(folder) or folder for folder in settings.model_folders),
    )


class _Bar:
    """Shown where the move takes more than a moment: between two disks."""

    def __init__(self, old: Path, new: Path) -> None:
        self._old, self._new = old, new
        self._dialog: QProgressDialog | None = None

    def show_part(self, done: float) -> None:
        """Show the part that is done.

        Raises:
            UserError: the person wants it to stay.
        """
        if self._dialog is None:
            app = QApplication.instance() or QApplication(sys.argv[:1])
            assert isinstance(app, QApplication)
            Theme(app).apply()
            self._dialog = QProgressDialog(f"Moving your data to {self._new}", "Keep it where it is", 0, _STEPS)
            self._dialog.setWindowTitle("Draftlens")
            self._dialog.setWindowModality(Qt.WindowModality.ApplicationModal)
            self._dialog.setMinimumWidth(420)
        self._dialog.setValue(round(_STEPS * done))
        if self._dialog.wasCanceled():
            raise UserError("The move of the data folder was stopped.", f"Everything is still in {self._old}.")
