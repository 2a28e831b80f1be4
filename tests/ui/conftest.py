"""A styled application, and windows on a scripted engine that are closed again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import keyring
import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from draftlens.bridge.archive import Archive
from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.bridge.next_reply import NextReply
from draftlens.core.params import SessionParams
from draftlens.runtime.engine_thread import EngineThread
from draftlens.store.opening import open_store
from draftlens.ui.compare.screen import CompareScreen
from draftlens.ui.main_window import MainWindow
from draftlens.ui.screens import COMPARE
from draftlens.ui.theme import Theme
from fakes import ScriptedEngine, demo_folders
from library.hub_server import HubServer
from library.vault import Vault

Window = Callable[..., tuple[MainWindow, EngineBridge]]


@pytest.fixture(scope="session")
def theme(qapp: QApplication) -> Theme:
    made = Theme(qapp)
    made.set_override("light")
    made.apply()
    return made


@pytest.fixture
def window(qtbot: QtBot, theme: Theme, tmp_path: Path) -> Iterator[Window]:
    made: list[EngineBridge] = []
    opened = open_store(tmp_path / "store")

    def make(
        engine: ScriptedEngine, *, load: bool = True, params: SessionParams | None = None
    ) -> tuple[MainWindow, EngineBridge]:
        bridge = EngineBridge(
            lambda wake: EngineThread(lambda: engine, demo_folders, wake),
            NextReply(params or SessionParams()),
            archive=Archive(opened.database),
        )
        made.append(bridge)
        shown = MainWindow(theme, bridge)
        qtbot.addWidget(shown)
        shown.show()
        if load:
            bridge.load(None)
            qtbot.waitUntil(lambda: bridge.loaded is not None)
        return shown, bridge

    yield make
    for bridge in made:
        bridge.quit()
        assert bridge.join(3)
    assert opened.database.close()


@pytest.fixture
def screen(window: Window) -> Callable[..., tuple[CompareScreen, EngineBridge, MainWindow]]:
    """The Compare screen in view, on an engine whose arms play rounds of their own rules."""
    from ui.comparing import Arms

    def make(engine: ScriptedEngine | None = None) -> tuple[CompareScreen, EngineBridge, MainWindow]:
        shown, bridge = window(engine or Arms())
        shown.resize(1440, 900)
        shown.screens.show_screen(COMPARE)
        return shown.compare, bridge, shown

    return make


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "share"))
    for folder in ("hub", "share"):
        (tmp_path / folder).mkdir()
    with HubServer() as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        yield server


@pytest.fixture
def vault(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Vault]:
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.delenv("HF_TOKEN", raising=False)
    before, made = keyring.get_keyring(), Vault()
    keyring.set_keyring(made)
    yield made
    keyring.set_keyring(before)
