"""Another data folder in the settings takes everything at the next start, and the window says so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from draftlens import paths
from draftlens.bridge.preferences import Preferences
from draftlens.settings.file import SettingsFile
from draftlens.settings.settings import Settings
from draftlens.store.opening import FILE_NAME, open_store
from draftlens.ui.dialogs.memory_page import MemoryPage
from draftlens.ui.dialogs.settings import SettingsDialog
from draftlens.ui.dialogs.storage_page import StoragePage
from draftlens.ui.theme import Theme
from store.samples import saved
from ui.closing import process

TOLD = """
import sys
from PySide6.QtCore import QTimer
from draftlens import main, paths
from draftlens.ui import application

class Told(application.MainWindow):
    def showEvent(self, event):
        super().showEvent(event)
        QTimer.singleShot(100, self.tell)
    def tell(self):
        problem = self._bridge.problem
        print("" if problem is None else problem.detail)
        print(paths.data_dir(), len(self._bridge.archive.entries()), self.preferences.settings.target, sep="|")
        self.close()

application.MainWindow = Told
sys.exit(main.run([]))
"""


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("DRAFTLENS_DATA_DIR", str(tmp_path / "old"))
    paths.choose_data_dir(None)
    yield paths.make_folder(tmp_path / "old")
    paths.choose_data_dir(None)


def test_the_next_start_moves_everything_says_so_and_goes_on_there(data: Path, tmp_path: Path) -> None:
    db = open_store(data).database
    saved(db, "Kept", "Hi", "Hello")
    assert db.close()
    (data / "models" / "Tiny").mkdir(parents=True)
    new = paths.make_folder(tmp_path / "new")
    SettingsFile(paths.config_dir()).save(Settings(target=data / "models" / "Tiny", move_data_to=new))
    first = process(["-c", TOLD], data)
    assert first.returncode == 0, first.stderr
    said, state = first.stdout.splitlines()
    assert said.startswith(f"Your chats, models and comparisons are in {new} now.")
    assert state == f"{new}|1|{new / 'models' / 'Tiny'}"
    assert (new / FILE_NAME).is_file() and not (data / FILE_NAME).exists()
    assert SettingsFile(paths.config_dir()).load().settings.move_data_to is None
    assert process(["-c", TOLD], data).stdout.splitlines()[1] == state


def test_the_page_says_what_the_next_start_will_do(theme: Theme, qtbot: QtBot, data: Path, tmp_path: Path) -> None:
    preferences = Preferences()
    dialog = SettingsDialog(theme, preferences)
    qtbot.addWidget(dialog)
    storage = dialog.pages["Storage"]
    assert isinstance(storage, StoragePage)
    new, used = paths.make_folder(tmp_path / "new"), paths.make_folder(tmp_path / "used")
    (used / FILE_NAME).touch()
    assert not storage.default.isEnabled()
    storage.take(new)
    assert preferences.settings.move_data_to == new
    assert storage.note.text() == f"At the next start everything is moved to {new}."
    storage.take(data / "inside")
    assert "lie within each other" in storage.note.text()
    assert preferences.settings.move_data_to == new
    storage.take(used)
    assert (preferences.settings.data_folder, preferences.settings.move_data_to) == (used, None)
    assert storage.note.text().startswith(f"From the next start {used} is used: it holds Draftlens data already.")
    assert storage.default.isEnabled()
    storage.default.click()
    assert preferences.settings == Settings()


def test_restoring_the_defaults_leaves_folders_alone(tmp_path: Path) -> None:
    kept = Settings(move_data_to=tmp_path, model_folders=(tmp_path,), k=7)
    preferences = Preferences(kept)
    preferences.restore()
    assert preferences.settings == Settings(move_data_to=tmp_path, model_folders=(tmp_path,))


def test_another_hub_cache_is_used_at_once_and_one_that_cannot_be_written_is_refused(
    theme: Theme, qtbot: QtBot, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "usual"))
    preferences = Preferences()
    dialog = SettingsDialog(theme, preferences)
    qtbot.addWidget(dialog)
    storage = dialog.pages["Storage"]
    assert isinstance(storage, StoragePage)
    assert storage.hub.text() == str(tmp_path / "usual")
    assert not storage.hub_buttons.default.isEnabled()
    storage.take_hub(paths.make_folder(tmp_path / "disk"))
    assert preferences.settings.hub_cache == tmp_path / "disk"
    assert storage.hub.text() == str(tmp_path / "disk")
    storage.take_hub(tmp_path / "gone")
    assert storage.hub_note.text() == f"{tmp_path / 'gone'} cannot be written to, so nothing could be fetched into it."
    # The platform that tests run on opens no folder.
    storage.hub_buttons.open.click()
    assert storage.hub_note.text().startswith("This system opened no ")
    storage.hub_buttons.default.click()
    assert preferences.settings == Settings()


def test_memory_is_reckoned_as_its_page_says(theme: Theme, qtbot: QtBot) -> None:
    preferences = Preferences()
    dialog = SettingsDialog(theme, preferences)
    qtbot.addWidget(dialog)
    memory = dialog.pages["Memory"]
    assert isinstance(memory, MemoryPage)
    assert (memory.context.currentText(), memory.limit.text()) == ("8,192 tokens of context", "As much as there is")
    memory.context.activated.emit(4)
    memory.limit.setValue(12.5)
    assert (preferences.settings.estimate_context, preferences.settings.memory_limit) == (32_768, 12.5)
    dialog.restore.click()
    assert (memory.context.currentText(), memory.limit.text()) == ("8,192 tokens of context", "As much as there is")
