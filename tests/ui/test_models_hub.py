"""What the hub does not give at once: a failed look is repeated, a gated model says where to ask, many rows scroll."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtWidgets import QApplication, QInputDialog, QMessageBox, QPushButton
from pytestqt.qtbot import QtBot

from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.core.errors import UserError
from draftlens.library.download import Download
from draftlens.library.manifest import Manifest, Part
from draftlens.library.preflight import Preflight
from draftlens.ui.main_window import MainWindow
from draftlens.ui.models.screen import DISCOVER, DOWNLOADS, INSTALLED, ModelsScreen
from draftlens.ui.models.shelf import Shelf
from draftlens.ui.screens import MODELS
from draftlens.ui.theme import Theme
from fakes import ScriptedEngine
from library.hub_repos import bound_drafter, repo_of, whole_model
from library.hub_server import COMMIT, HubServer
from library.toy_folder import model_folder
from library.vault import Vault
from ui.models import DRAFTER, four_models

Window = Callable[..., tuple[MainWindow, EngineBridge]]
REPO = "acme/toy"


@pytest.fixture
def screen(window: Window, hub: HubServer, tmp_path: Path) -> Iterator[ModelsScreen]:
    hub.repos[REPO] = whole_model(tmp_path / "toy")
    shown, _ = window(ScriptedEngine(), load=False)
    shown.screens.show_screen(MODELS)
    yield shown.models
    shown.models.models.close()


def buttons(screen: ModelsScreen) -> dict[str, QPushButton]:
    return {b.text(): b for card in screen.details.cards for b in card.buttons}


def whole(shelf: Shelf) -> bool:
    """Whether every row of a shelf is seen."""
    return all(row.visibleRegion().boundingRect() == row.rect() for row in shelf.rows)


def scrolls_to_the_end(shelf: Shelf) -> bool:
    """Whether the last row of a shelf can be brought into view; its rows may just find their height."""
    bar, last = shelf.area.verticalScrollBar(), shelf.rows[-1]
    bar.setValue(bar.maximum())
    return last.visibleRegion().boundingRect() == last.rect()


def refuse(screen: ModelsScreen, hub: HubServer, qtbot: QtBot, code: str = "GatedRepo") -> None:
    """The model is looked at while the hub refuses it; afterwards it would not."""
    hub.fault = lambda handler, name: (403, {"X-Error-Code": code}) if name == "config.json" else None
    screen.look_at(REPO)
    qtbot.waitUntil(lambda: isinstance(screen.models.looked.get(REPO), UserError))
    hub.fault = None


def test_choosing_again_what_could_not_be_looked_at_asks_again(
    screen: ModelsScreen, hub: HubServer, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as away:
        away.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
        screen.look_at(REPO)
        qtbot.waitUntil(lambda: isinstance(screen.models.looked.get(REPO), UserError))
    assert list(buttons(screen)) == ["Look again"]
    qtbot.mouseClick(buttons(screen)["Look again"], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: isinstance(screen.models.looked.get(REPO), Preflight))
    assert any(text.startswith("Download") for text in buttons(screen))
    listings = [path for _, path, _ in hub.asked if path.startswith("/api/models/")]
    assert len(listings) == 1
    screen.models.looked[REPO] = UserError("It failed.")
    screen.look_at(REPO)
    qtbot.waitUntil(lambda: isinstance(screen.models.looked.get(REPO), Preflight))


def test_a_gated_model_says_where_to_ask_and_is_looked_at_again_with_a_token(
    screen: ModelsScreen, hub: HubServer, qtbot: QtBot, vault: Vault
) -> None:
    screen.discover.search_for("toy")
    qtbot.waitUntil(lambda: bool(screen.models.found))
    refuse(screen, hub, qtbot)
    screen.models.hub.token_refused = True
    screen.discover.say()
    assert "The saved token is not accepted" in screen.discover.message.text()
    assert list(buttons(screen)) == ["Open its page…", "Give a token…", "Look again"]
    shown: list[str] = []

    def leave() -> None:
        box = QApplication.activeModalWidget()
        assert isinstance(box, QMessageBox)
        shown.append(box.informativeText())
        box.reject()

    QTimer.singleShot(30, leave)
    qtbot.mouseClick(buttons(screen)["Open its page…"], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: shown == [f"{hub.url}/{REPO}"])

    def type_it() -> None:
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, QInputDialog)
        dialog.setTextValue("hf_given")
        dialog.accept()

    QTimer.singleShot(30, type_it)
    qtbot.mouseClick(buttons(screen)["Give a token…"], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: isinstance(screen.models.looked.get(REPO), Preflight))
    assert "hf_given" in vault.kept.values()
    assert screen.discover.message.text() == "1 model. Choose one to see whether it can run here."


def test_a_new_search_looks_at_none_of_what_was_found_before(
    screen: ModelsScreen, hub: HubServer, tmp_path: Path, qtbot: QtBot
) -> None:
    for number in range(6):
        hub.repos[f"acme/toy-{number}"] = hub.repos[REPO]
    discover = screen.discover
    screen.show_tab(DISCOVER)
    discover.search_for("toy")
    qtbot.waitUntil(lambda: len(screen.models.found or ()) == 7)
    discover.list.setCurrentIndex(discover.list.model().index(2, 0))
    qtbot.waitUntil(lambda: isinstance(screen.models.looked.get("acme/toy-1"), Preflight))
    hub.asked.clear()
    with qtbot.waitSignal(screen.models.foundChanged):
        discover.search_for("toy-5")
    assert discover.list.model().rowCount() == 0
    qtbot.waitUntil(lambda: [found.repo for found in screen.models.found or ()] == ["acme/toy-5"])
    qtbot.wait(20)
    assert [path for _, path, _ in hub.asked if "toy" in path] == []
    assert screen.details.title.isHidden()


def test_a_result_says_that_it_is_a_bound_drafter_or_gated(
    screen: ModelsScreen, hub: HubServer, tmp_path: Path, qtbot: QtBot
) -> None:
    hub.repos[DRAFTER] = replace(bound_drafter(tmp_path / "bound"), config={"architectures": ["DFlashDraftModel"]})
    hub.repos["acme/gated"] = replace(hub.repos[REPO], gated=True)
    screen.discover.search_for("")
    qtbot.waitUntil(lambda: len(screen.models.found or ()) == 3)
    rows = screen.discover.list.model()
    said = [str(rows.index(row, 0).data(Qt.ItemDataRole.AccessibleTextRole)) for row in range(rows.rowCount())]
    assert said == [
        "toy, acme, Can run, size unknown",
        "Qwen3.5-4B-DFlash, z-lab, Bound drafter: DFlash, size unknown",
        "gated, acme, gated, Can run, size unknown",
    ]


def test_a_model_of_a_type_that_cannot_run_leads_to_others(
    screen: ModelsScreen, hub: HubServer, tmp_path: Path, qtbot: QtBot
) -> None:
    config = {"model_type": "whisper", "architectures": ["WhisperForConditionalGeneration"]}
    hub.repos["acme/whisper"] = repo_of(model_folder(tmp_path / "whisper", config, ["encoder.conv1.weight"]))
    screen.look_at("acme/whisper")
    qtbot.waitUntil(lambda: screen.details.panel is not None)
    assert list(buttons(screen)) == ["Browse the hub"]
    qtbot.mouseClick(buttons(screen)["Browse the hub"], Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: len(screen.models.found or ()) == 2)
    assert screen.discover.field.text() == ""


def test_many_downloads_leave_the_list_its_room_and_scroll(screen: ModelsScreen, hub: HubServer, qtbot: QtBot) -> None:
    models = screen.models
    wanted = [
        Manifest(f"acme/toy-{number}", "main", COMMIT, (Part("model.safetensors", 400_000, "b" * 64),))
        for number in range(24)
    ]
    models.downloads.items += [Download(one, models.cache, models.hub) for one in wanted]
    models.downloadsChanged.emit()
    window, shelf = screen.window(), screen.installed.shelf
    window.resize(1040, 680)
    for tab, part in ((INSTALLED, shelf), (DOWNLOADS, screen.downloads)):
        screen.show_tab(tab)
        QApplication.processEvents()
        assert window.size() == QSize(1040, 680)
        assert part.rows[-1].visibleRegion().isEmpty()
        qtbot.waitUntil(partial(scrolls_to_the_end, part))
    screen.show_tab(INSTALLED)
    assert shelf.height() < 220
    del models.downloads.items[2:]
    models.downloadsChanged.emit()
    for tab, part in ((INSTALLED, shelf), (DOWNLOADS, screen.downloads)):
        screen.show_tab(tab)
        qtbot.waitUntil(partial(whole, part))


def test_without_downloads_their_tab_leads_to_discover(screen: ModelsScreen, qtbot: QtBot) -> None:
    screen.show_tab(DOWNLOADS)
    assert screen.downloads.empty.isVisible()
    qtbot.mouseClick(screen.downloads.open, Qt.MouseButton.LeftButton)
    assert screen.pages.currentIndex() == DISCOVER


def test_with_large_text_in_the_smallest_window_no_button_is_cut(
    screen: ModelsScreen, hub: HubServer, theme: Theme, tmp_path: Path, qtbot: QtBot
) -> None:
    qtbot.waitUntil(lambda: screen.models.scanned)
    four_models(tmp_path / "hub")
    qtbot.waitUntil(lambda: len(screen.models.items) == 4)
    window = screen.window()
    try:
        theme.set_percent(150)
        window.resize(1040, 680)
        screen.installed.table.select(0)
        buttons = [*screen.tabs.buttons(), screen.add_button, screen.details.reveal, screen.details.trash]
        qtbot.waitUntil(lambda: all(b.width() >= b.minimumSizeHint().width() for b in buttons))
        assert window.size() == QSize(1040, 680)
        assert screen.add_button.geometry().right() <= screen.width()
        head = screen._head.layout()
        assert head is not None and head.minimumSize().width() <= screen.width()
        assert screen.details.trash.height() >= 20
        screen.show_tab(DISCOVER)
        parts = [*screen.discover.findChildren(QPushButton), screen.discover.field]
        qtbot.waitUntil(lambda: all(part.width() >= part.minimumSizeHint().width() for part in parts))
        qtbot.waitUntil(lambda: screen.discover.field.geometry().bottom() < screen.discover.go.geometry().top())
    finally:
        theme.set_percent(100)
