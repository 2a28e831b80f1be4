"""What is done with a model that is shown: checked and mended, its target looked for; and the hub's token kept."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QObject, Qt, QTimer, QUrl, Slot
from PySide6.QtGui import QAction, QDesktopServices
from PySide6.QtWidgets import QApplication, QInputDialog
from pytestqt.qtbot import QtBot

from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.library import hub_token
from draftlens.ui.main_window import MainWindow
from draftlens.ui.models.check_row import CheckRow
from draftlens.ui.models.screen import DISCOVER, INSTALLED, ModelsScreen
from draftlens.ui.screens import MODELS
from fakes import ScriptedEngine
from library.hub_repos import bound_drafter, whole_model
from library.hub_server import HubServer
from library.toy_folder import model_folder
from library.vault import Vault
from ui.models import installed

Window = Callable[..., tuple[MainWindow, EngineBridge]]
SECRET = "hf_onlyhereandnowhereelse_9876"
WEIGHTS = "model.safetensors"


@pytest.fixture
def screen(window: Window, hub: HubServer, tmp_path: Path) -> Iterator[ModelsScreen]:
    hub.repos["acme/toy"] = whole_model(tmp_path / "toy")
    shown, _ = window(ScriptedEngine(), load=False)
    shown.screens.show_screen(MODELS)
    yield shown.models
    shown.models.models.close()


@pytest.fixture
def fetched(screen: ModelsScreen, qtbot: QtBot) -> Path:
    """The folder of a model that was fetched and is selected."""
    models = screen.models
    models.look("acme/toy")
    qtbot.waitUntil(lambda: "acme/toy" in models.looked)
    models.fetch("acme/toy")
    qtbot.waitUntil(lambda: any(item.ready for item in models.items))
    screen.show_tab(INSTALLED)
    screen.installed.select(models.items[0])
    return models.items[0].path


class Opened(QObject):
    """Takes what the system is asked to open."""

    def __init__(self) -> None:
        super().__init__()
        self.urls: list[QUrl] = []

    @Slot(QUrl)
    def take(self, url: QUrl) -> None:
        self.urls.append(url)


@pytest.fixture
def theirs(screen: ModelsScreen, tmp_path: Path, qtbot: QtBot) -> Path:
    """The folder of a model of LM Studio's that is selected, beside one of the hub."""
    installed(tmp_path / "hub", "acme/Ours", model_folder)
    folder = model_folder(tmp_path / "home" / ".lmstudio" / "models" / "publisher" / "Theirs")
    screen.models.refresh()
    qtbot.waitUntil(lambda: len(screen.models.items) == 2)
    select(screen, "Theirs")
    return folder


def select(screen: ModelsScreen, name: str) -> None:
    screen.installed.select(next(item for item in screen.models.items if item.name == name))


def action(screen: ModelsScreen, text: str) -> QAction:
    return next(made for made in screen.details.menu().actions() if made.text() == text)


def check_words(screen: ModelsScreen) -> str:
    rows = screen.details._body.findChildren(CheckRow)
    return rows[0].words.text() if rows else ""


def test_files_are_checked_and_only_damaged_ones_fetched_again(
    screen: ModelsScreen, fetched: Path, hub: HubServer, qtbot: QtBot
) -> None:
    action(screen, "Check files").trigger()
    qtbot.waitUntil(lambda: check_words(screen).startswith("All 4 files of toy are whole"))
    weights = fetched / WEIGHTS
    whole = weights.read_bytes()
    weights.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
    action(screen, "Check files").trigger()
    qtbot.waitUntil(lambda: check_words(screen) == f"1 of 4 files of toy is damaged: {WEIGHTS}.")
    hub.asked.clear()
    (mend,) = [b for card in screen.details.cards for b in card.buttons if b.text() == "Fetch this file again"]
    qtbot.mouseClick(mend, Qt.MouseButton.LeftButton)
    # The pressed button is gone; the keys are where the model is.
    assert screen.installed.table.hasFocus()
    qtbot.waitUntil(lambda: weights.is_file() and weights.read_bytes() == whole)
    assert {path.rpartition("/")[2] for path in hub.files_asked()} == {WEIGHTS}
    qtbot.waitUntil(lambda: any(item.ready for item in screen.models.items))


def test_a_check_can_be_stopped_and_finds_nothing_then(screen: ModelsScreen, fetched: Path, qtbot: QtBot) -> None:
    action(screen, "Check files").trigger()
    (row,) = screen.details._body.findChildren(CheckRow)
    assert row.bar.isVisibleTo(row) and row.words.text().startswith("Checking the files")
    qtbot.mouseClick(row.cancel, Qt.MouseButton.LeftButton)
    assert screen.models.checking.item is None
    qtbot.wait(50)
    assert check_words(screen) == ""


def test_of_a_model_without_hashes_it_is_said_that_nothing_could_be_checked(screen: ModelsScreen, theirs: Path) -> None:
    action(screen, "Check files").trigger()
    words = check_words(screen)
    assert words == "No file of Theirs carries a hash of the hub, so there is nothing to check it against."
    assert screen.models.checking.fraction is None


def test_what_lies_in_lm_studios_folder_is_not_moved_to_the_trash(screen: ModelsScreen, theirs: Path) -> None:
    select(screen, "Ours")
    assert screen.details.trash.isEnabled() and action(screen, "Move to Trash…").isEnabled()
    select(screen, "Theirs")
    assert not screen.details.trash.isEnabled()
    assert "LM Studio’s folder is only read" in screen.details.trash.toolTip()
    assert not action(screen, "Move to Trash…").isEnabled()


def test_a_folder_is_shown_in_the_file_manager_or_it_is_said_that_there_is_none(
    screen: ModelsScreen, theirs: Path, qtbot: QtBot
) -> None:
    # The platform that tests run on opens nothing.
    qtbot.mouseClick(screen.details.reveal, Qt.MouseButton.LeftButton)
    assert screen.banner.title.text() == "Theirs was not shown"
    assert f"for {theirs}. Copy the path and open it yourself." in screen.banner.detail.text()
    opened = Opened()
    QDesktopServices.setUrlHandler("file", opened, "take")  # type: ignore[arg-type]  # its stub asks for bytes, Qt for text
    try:
        qtbot.mouseClick(screen.details.reveal, Qt.MouseButton.LeftButton)
    finally:
        QDesktopServices.unsetUrlHandler("file")
    assert opened.urls == [QUrl.fromLocalFile(str(theirs))]


def test_escape_leaves_the_filter_for_the_whole_list(screen: ModelsScreen, theirs: Path, qtbot: QtBot) -> None:
    qtbot.keyClicks(screen.filter, "nothing like it")
    assert screen.installed.rows.rows == []
    qtbot.keyClick(screen.filter, Qt.Key.Key_Escape)
    assert [row.item.path for row in screen.installed.rows.rows][1:] == [theirs]
    assert screen.installed.table.hasFocus()


def test_a_drafter_that_names_no_target_still_leads_to_a_search(
    screen: ModelsScreen, hub: HubServer, tmp_path: Path, qtbot: QtBot
) -> None:
    hub.repos["someone/my-vicuna-thing"] = bound_drafter(tmp_path / "bound")
    hub.repos["acme/vicuna-small"] = hub.repos["acme/toy"]
    screen.look_at("someone/my-vicuna-thing")
    qtbot.waitUntil(lambda: screen.details.panel is not None)
    buttons = {b.text(): b for card in screen.details.cards for b in card.buttons}
    assert set(buttons) == {"Find drafters for your target", "Search for my"}
    qtbot.mouseClick(buttons["Find drafters for your target"], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: screen.models.found is not None)
    assert screen.pages.currentIndex() == DISCOVER
    assert screen.discover.field.text() == "my"


def test_a_token_is_kept_in_the_keychain_shown_by_its_end_and_never_logged(
    screen: ModelsScreen, hub: HubServer, vault: Vault, qtbot: QtBot, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    button = screen.discover.token

    def type_it() -> None:
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, QInputDialog)
        dialog.setTextValue(f" {SECRET}\n")
        dialog.accept()

    QTimer.singleShot(50, type_it)
    button._give()
    qtbot.waitUntil(lambda: SECRET in vault.kept.values())
    menu = button.menu_for(hub_token.find())
    assert menu.actions()[0].text() == "In use: …9876, from the keychain"
    screen.discover.search_for("toy")
    qtbot.waitUntil(lambda: bool(screen.models.found))
    assert any(headers.get("authorization") == f"Bearer {SECRET}" for _, _, headers in hub.asked)
    assert SECRET not in caplog.text
    assert SECRET not in repr(hub_token.find())
    button._remove()
    qtbot.waitUntil(lambda: not vault.kept)
    assert button.menu_for(hub_token.find()).actions()[0].text() == "No token is used"
