"""Models are chosen in the toolbar's chips, kept from loading where they do not fit, and given by dropping them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QTimer, QUrl
from PySide6.QtGui import QAction, QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.core.commands import Load
from draftlens.library import hub_cache
from draftlens.ui.main_window import MainWindow
from draftlens.ui.screens import CHAT, MODELS
from draftlens.ui.toolbar.chip import Chip
from draftlens.ui.toolbar.menu_row import MenuRow
from fakes import ScriptedEngine
from library.hub_server import HubServer
from library.toy_folder import model_folder
from library.toy_gguf import Toy
from ui.models import four_models, numbered

Window = Callable[..., tuple[MainWindow, EngineBridge]]


@pytest.fixture
def cache(hub: HubServer, tmp_path: Path) -> Path:
    four_models(tmp_path / "hub")
    return tmp_path / "hub"


def open_menu(chip: Chip) -> dict[str, MenuRow]:
    chip.menu().aboutToShow.emit()
    return {row.text(): row for row in chip.menu().findChildren(MenuRow)}


def chosen(shown: MainWindow, chip: Chip, name: str, qtbot: QtBot) -> MenuRow:
    """A row of a chip's menu, once it is there."""
    qtbot.waitUntil(lambda: name in open_menu(chip))
    return open_menu(chip)[name]


def folder_of(cache: Path, repo: str) -> Path:
    found = hub_cache.find(cache, repo)
    assert found is not None
    return found


def answer_dialog(path: Path) -> None:
    """Choose a path in the file dialog that comes next."""

    def choose() -> None:
        dialog = QApplication.activeModalWidget()
        assert isinstance(dialog, QFileDialog)
        field = dialog.findChild(QLineEdit, "fileNameEdit")
        assert isinstance(field, QLineEdit)
        field.setText(str(path))
        dialog.accept()

    QTimer.singleShot(20, choose)


def press(shown: MainWindow, text: str) -> None:
    """Choose a command in the menus."""
    action = next(made for made in shown.findChildren(QAction) if made.text() == text)
    action.trigger()


def drop(widget: QWidget, *paths: Path) -> bool:
    """Drop files as the system does; return whether they were taken."""
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    how = (Qt.DropAction.CopyAction, data, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier)
    enter, let_go = QDragEnterEvent(QPoint(9, 9), *how), QDropEvent(QPointF(9, 9), *how)
    QApplication.sendEvent(widget, enter)
    QApplication.sendEvent(widget, let_go)
    return enter.isAccepted() and let_go.isAccepted()


def test_every_model_that_can_be_a_target_is_in_the_chips_menu_and_choosing_one_loads_it(
    window: Window, cache: Path, qtbot: QtBot
) -> None:
    shown, bridge = window(ScriptedEngine())
    chosen(shown, shown.toolbar.target, "Target-1B", qtbot)
    rows = open_menu(shown.toolbar.target)
    assert set(rows) == {"Demo pair", "Target-1B", "Small", "Other", "Open folder…"}
    assert rows["Target-1B"].accessibleName().startswith("Target-1B. Needs ")
    assert rows["Demo pair"].accessibleName().startswith("Demo pair, chosen")
    rows["Target-1B"].click()
    qtbot.waitUntil(lambda: bridge.loaded is not None and bridge.loaded.target.path != Path("/models/demo-target"))
    assert bridge.last_load == Load(folder_of(cache, "acme/Target-1B"))
    assert bridge.loaded is not None
    assert shown.screens.current == CHAT


def test_the_drafter_chip_judges_every_model_for_the_loaded_target(window: Window, cache: Path, qtbot: QtBot) -> None:
    shown, bridge = window(ScriptedEngine(), load=False)
    target, small = folder_of(cache, "acme/Target-1B"), folder_of(cache, "acme/Small")
    bridge.load(target)
    qtbot.waitUntil(lambda: bridge.loaded is not None)
    chosen(shown, shown.toolbar.drafter, "Small", qtbot)
    rows = open_menu(shown.toolbar.drafter)
    small_row = rows["Small"]
    assert (small_row.isEnabled(), small_row.accessibleName()) == (True, "Small. Vocabularies match: 8 tokens.")
    assert (rows["Other"].isEnabled(), rows["Qwen3.5-4B-DFlash"].isEnabled()) == (False, False)
    assert "Token 0 differs" in rows["Other"].accessibleName()
    assert "It is bound to Qwen 3.5 4B" in rows["Qwen3.5-4B-DFlash"].accessibleName()
    assert {"Prompt lookup", "None", "Open draft model folder…"} < set(rows)
    rows["Small"].click()
    qtbot.waitUntil(lambda: bridge.loaded is not None and bridge.loaded.drafter is not None)
    assert bridge.last_load == Load(target, small)
    assert bridge.next_reply.drafter == "draft-model"


def test_another_target_keeps_the_drafter_that_goes_with_it_and_lets_go_of_one_that_does_not(
    window: Window, cache: Path, qtbot: QtBot
) -> None:
    shown, bridge = window(ScriptedEngine(), load=False)
    small = folder_of(cache, "acme/Small")
    bridge.load(folder_of(cache, "acme/Target-1B"), small)
    qtbot.waitUntil(lambda: bridge.loaded is not None)
    chosen(shown, shown.toolbar.target, "Other", qtbot).click()
    qtbot.waitUntil(lambda: bridge.last_load == Load(folder_of(cache, "acme/Other")) and bridge.loading is None)
    bridge.load(folder_of(cache, "acme/Other"), small)
    qtbot.waitUntil(lambda: bridge.loading is None)
    chosen(shown, shown.toolbar.target, "Target-1B", qtbot).click()
    qtbot.waitUntil(lambda: bridge.last_load == Load(folder_of(cache, "acme/Target-1B"), small))


def test_a_model_too_big_is_not_loaded_unless_the_banner_is_answered(window: Window, cache: Path, qtbot: QtBot) -> None:
    engine = ScriptedEngine()
    shown, bridge = window(engine)
    shown.preferences.set(memory_limit=0.2, estimate_context=2048)
    chosen(shown, shown.toolbar.target, "Target-1B", qtbot).click()
    qtbot.waitUntil(lambda: bridge.problem is not None)
    assert shown.banner.title.text() == "Not enough memory to load Target-1B"
    assert shown.banner.detail.text().endswith(" at 2,048 context and 200 MB can be used. Nothing was unloaded.")
    assert bridge.loading is None and bridge.last_load == Load(None)
    show, anyway = shown.banner.steps
    assert (show.text(), anyway.text()) == ("Show models that fit", "Load anyway…")
    qtbot.mouseClick(anyway, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bridge.loaded is not None and bridge.loading is None)
    # There was no room for both: what was loaded went first.
    assert bridge.last_load == Load(folder_of(cache, "acme/Target-1B"), None, first_unload=True)
    assert engine.unloads == 1
    assert not shown.banner.isVisible()
    chosen(shown, shown.toolbar.target, "Small", qtbot).click()
    qtbot.waitUntil(lambda: bridge.problem is not None)
    qtbot.mouseClick(shown.banner.steps[0], Qt.MouseButton.LeftButton)
    assert shown.screens.current == MODELS
    assert shown.models.installed.rows.rows == []
    shown.preferences.set(memory_limit=8)
    qtbot.waitUntil(
        lambda: {row.item.name for row in shown.models.installed.rows.rows} == {"Target-1B", "Small", "Other"}
    )


def test_a_folder_opened_by_its_keys_is_asked_about_where_the_memory_does_not_suffice(
    window: Window, cache: Path, qtbot: QtBot
) -> None:
    shown, bridge = window(ScriptedEngine())
    folder = folder_of(cache, "acme/Target-1B")
    shown.preferences.set(memory_limit=0.2, estimate_context=2048)
    answer_dialog(folder)
    press(shown, "Open model folder…")
    assert shown.banner.title.text().startswith("Not enough memory to load ")
    assert bridge.last_load == Load(None)
    shown.preferences.set(memory_limit=8)
    answer_dialog(folder)
    press(shown, "Open model folder…")
    qtbot.waitUntil(lambda: bridge.last_load is not None and bridge.last_load.target == folder)
    qtbot.waitUntil(lambda: bridge.loading is None)


def test_a_gguf_file_is_imported_by_the_menu(window: Window, cache: Path, tmp_path: Path, qtbot: QtBot) -> None:
    shown, bridge = window(ScriptedEngine(), load=False)
    answer_dialog(Toy().write(tmp_path / "Chosen.gguf"))
    press(shown, "Import GGUF file…")
    assert shown.screens.current == MODELS
    qtbot.waitUntil(
        lambda: shown.models.installed.current is not None and shown.models.installed.current.name == "Chosen"
    )
    assert bridge.problem is None
    (tmp_path / "Broken.gguf").write_bytes(b"no container")
    answer_dialog(tmp_path / "Broken.gguf")
    press(shown, "Import GGUF file…")
    qtbot.waitUntil(lambda: shown.models.banner.title.text() == "Broken.gguf was not imported")


def test_a_model_that_fits_only_once_the_loaded_one_is_gone_replaces_it(
    window: Window, cache: Path, qtbot: QtBot
) -> None:
    engine = ScriptedEngine()
    shown, bridge = window(engine)
    # The stand-in's models say that they take 270 MB each; the toy needs about 240 MB.
    shown.preferences.set(memory_limit=0.5, estimate_context=2048)
    chosen(shown, shown.toolbar.target, "Target-1B", qtbot).click()
    qtbot.waitUntil(lambda: engine.unloads == 1 and bridge.loaded is not None)
    assert bridge.problem is None


def test_a_model_folder_dropped_on_the_first_run_view_is_listed_and_loaded(
    window: Window, hub: HubServer, tmp_path: Path, qtbot: QtBot
) -> None:
    shown, bridge = window(ScriptedEngine(), load=False)
    folder = model_folder(tmp_path / "mine" / "Dropped", numbered({}))
    assert drop(shown, folder)
    qtbot.waitUntil(lambda: bridge.loaded is not None)
    assert bridge.last_load == Load(folder)
    qtbot.waitUntil(lambda: shown.preferences.settings.model_folders == (folder,))


def test_what_is_dropped_later_is_selected_on_the_models_screen(
    window: Window, cache: Path, tmp_path: Path, qtbot: QtBot
) -> None:
    shown, bridge = window(ScriptedEngine())
    folder = model_folder(tmp_path / "mine" / "Dropped", numbered({}))
    gguf = Toy().write(tmp_path / "Tiny.GGUF")
    assert drop(shown.chat.composer.edit.viewport(), folder.parent)
    assert shown.screens.current == MODELS
    qtbot.waitUntil(lambda: shown.models.installed.current is not None)
    assert shown.models.installed.current is not None and shown.models.installed.current.name == "Dropped"
    assert drop(shown, gguf)
    qtbot.waitUntil(
        lambda: shown.models.installed.current is not None and shown.models.installed.current.name == "Tiny"
    )
    assert bridge.problem is None
    assert shown.chat.composer.files == ()


def test_a_text_is_attached_in_the_chat_and_refused_in_a_sentence_elsewhere(
    window: Window, hub: HubServer, tmp_path: Path, qtbot: QtBot
) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("alpha")
    shown, bridge = window(ScriptedEngine(), load=False)
    assert drop(shown, notes)
    assert bridge.problem is not None and bridge.problem.title == "notes.txt was not taken"
    bridge.load(None)
    qtbot.waitUntil(lambda: bridge.loaded is not None)
    assert drop(shown, notes)
    assert [file.name for file in shown.chat.composer.files] == ["notes.txt"]
    shown.screens.show_screen(MODELS)
    assert drop(shown, notes)
    assert "neither a model folder nor a GGUF file" in shown.models.banner.detail.text()
    empty = tmp_path / "photos"
    (empty / "summer").mkdir(parents=True)
    (empty / "summer" / "beach.jpg").write_bytes(b"x")
    assert drop(shown, empty)
    qtbot.waitUntil(lambda: f"{empty} holds no model." in shown.models.banner.detail.text())
    assert shown.preferences.settings.model_folders == ()
