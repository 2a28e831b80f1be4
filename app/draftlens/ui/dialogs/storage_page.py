"""The settings page of folders: where chats and models are kept, and where models of the hub are."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QLabel, QPushButton, QWidget

from draftlens import paths
from draftlens.core.errors import UserError
from draftlens.library import hub_cache
from draftlens.store import moving
from draftlens.ui.dialogs.settings_pages import Page
from draftlens.ui.revealing import reveal


class FolderButtons(QWidget):
    """Choose, go back to the default, and look into it."""

    def __init__(
        self,
        what: str,
        take: Callable[[Path], None],
        default: Callable[[], None],
        now: Callable[[], Path],
        tell: Callable[[str], None],
    ) -> None:
        super().__init__()
        self._what, self._take, self._now, self._tell = what, take, now, tell
        self.choose, self.default, self.open = (
            QPushButton("Choose…"),
            QPushButton("Use the default"),
            QPushButton("Open folder"),
        )
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        for button in (self.choose, self.default, self.open):
            button.setAccessibleName(f"{button.text().rstrip('…')}: {what}")
            row.addWidget(button)
        self.choose.clicked.connect(self._ask)
        self.default.clicked.connect(default)
        self.open.clicked.connect(self._reveal)

    def _reveal(self) -> None:
        try:
            reveal(self._now())
        except UserError as error:
            self._tell(str(error))

    def _ask(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, f"Choose a {self._what}", str(self._now()))
        if folder:
            self._take(Path(folder))


class StoragePage(Page):
    """Each folder with what is in it, and what changing it does."""

    def build(self) -> None:
        """Make the widgets."""
        self.begun = self.preferences.data_folder
        self.folder = self._label()
        self.note = self.row("Data folder", self.folder, " ")
        back = self._use_default
        buttons = FolderButtons("data folder", self.take, back, lambda: self.begun, self.note.setText)
        self.choose, self.default, self.open = buttons.choose, buttons.default, buttons.open
        self.row("", buttons)
        self.hub = self._label()
        self.hub_note = self.row("Hub cache", self.hub, " ")
        self.hub_buttons = FolderButtons(
            "hub cache folder",
            self.take_hub,
            lambda: self.set(hub_cache=None),
            lambda: Path(self.hub.text()),
            self.hub_note.setText,
        )
        self.row("", self.hub_buttons)

    def refresh(self) -> None:
        """Show the settings in force."""
        settings = self.preferences.settings
        wanted = settings.data_folder or paths.default_data_dir()
        self.folder.setText(str(self.begun))
        if settings.move_data_to is not None:
            words = f"At the next start everything is moved to {settings.move_data_to}."
        elif wanted != self.begun:
            words = f"From the next start {wanted} is used: it holds Draftlens data already. What is here stays here."
        else:
            words = "Chats, imported models and comparisons. Another folder takes all of them at the next start."
        self.note.setText(words)
        self.default.setEnabled((settings.move_data_to or wanted) != paths.default_data_dir())
        self.hub.setText(str(hub_cache.root(settings.hub_cache)))
        self.hub_note.setText(
            "Models fetched from the Hugging Face hub, by Draftlens or by other programs. Another folder is used "
            "at once; nothing is moved."
        )
        self.hub_buttons.default.setEnabled(settings.hub_cache is not None)

    def take(self, folder: Path) -> None:
        """Keep everything in this folder from the next start on: moved there, or what is there already."""
        present = None if self.begun == paths.default_data_dir() else self.begun
        chosen = None if folder == paths.default_data_dir() else folder
        if folder == self.begun:
            self.set(data_folder=present, move_data_to=None)
        elif moving.holds_data(folder):
            self.set(data_folder=chosen, move_data_to=None)
        elif (wrong := moving.refusal(self.begun, folder)) is not None:
            self.note.setText(f"{wrong.sentence} {wrong.next_step}")
        else:
            self.set(data_folder=present, move_data_to=folder)

    def take_hub(self, folder: Path) -> None:
        """Read models from this cache and fetch them into it, from now on."""
        if os.access(folder, os.W_OK):
            self.set(hub_cache=None if folder == hub_cache.root() else folder)
        else:
            self.hub_note.setText(f"{folder} cannot be written to, so nothing could be fetched into it.")

    def _use_default(self) -> None:
        self.take(paths.make_folder(paths.default_data_dir()))

    def _label(self) -> QLabel:
        label = QLabel()
        label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        label.setWordWrap(True)
        label.setMinimumWidth(self.theme.px(340))
        return label
