"""Settings apply at once and are kept; menus carry their keys and roles; what is read aloud is named."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSpinBox,
    QApplication,
    QComboBox,
    QLabel,
    QLineEdit,
    QMessageBox,
    QTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.bridge.preferences import Preferences
from draftlens.bridge.state import State
from draftlens.core.params import SessionParams
from draftlens.core.round import Source
from draftlens.core.rules import RuleId
from draftlens.settings.file import SettingsFile
from draftlens.settings.settings import Settings
from draftlens.ui.dialogs.chat_settings import ChatSettingsDialog
from draftlens.ui.dialogs.settings import SettingsDialog
from draftlens.ui.focus_order import compare_order, focus_order
from draftlens.ui.main_window import MainWindow
from fakes import ScriptedEngine, step

Window = Callable[..., tuple[MainWindow, EngineBridge]]


@pytest.fixture
def dialog(window: Window, qtbot: QtBot) -> tuple[SettingsDialog, MainWindow]:
    shown, _ = window(ScriptedEngine())
    shown.commands.show_settings()
    made = shown.commands.dialog("settings")
    assert isinstance(made, SettingsDialog)
    return made, shown


def test_the_text_size_applies_at_once_and_the_tiles_flow(dialog: tuple[SettingsDialog, MainWindow]) -> None:
    _, shown = dialog
    assert shown.inspector.run.tiles.columns == 3
    before = shown.chat.composer.edit.font().pixelSize()
    shown.commands.menus.sizes[150].trigger()
    assert shown.inspector.run.tiles.columns == 2
    assert shown.chat.composer.edit.font().pixelSize() == round(1.5 * before)
    shown.commands.menus.sizes[100].trigger()
    assert shown.inspector.run.tiles.columns == 3


def test_no_words_of_the_settings_are_cut_at_any_text_size(dialog: tuple[SettingsDialog, MainWindow]) -> None:
    made, shown = dialog
    for size in (150, 100):
        shown.commands.menus.sizes[size].trigger()
        for name, page in made.pages.items():
            made.show_tab(name)
            QApplication.processEvents()
            words = [label for label in page.findChildren(QLabel) if label.wordWrap() and label.text()]
            assert [w.text() for w in words if w.height() < w.heightForWidth(w.width())] == []


def test_a_change_reaches_new_chats_and_restore_takes_it_back(window: Window, tmp_path: Path, qtbot: QtBot) -> None:
    file = SettingsFile(tmp_path)
    preferences = Preferences(Settings(), file)
    other, bridge = window(ScriptedEngine())
    bridge.defaults = lambda: preferences.settings.session()
    shown = MainWindow(other.theme, bridge, preferences=preferences)
    qtbot.addWidget(shown)
    shown.commands.show_settings()
    made = shown.commands.dialog("settings")
    assert isinstance(made, SettingsDialog)
    rule = made.pages["Speculation"].rule  # type: ignore[attr-defined]
    rule.setCurrentIndex(1)
    rule.activated.emit(1)
    made.pages["Advanced"].params.fields["top_k"].setValue(40)  # type: ignore[attr-defined]
    assert preferences.settings.rule is RuleId.STOCHASTIC
    assert preferences.settings.sampling.top_k == 40
    assert SettingsFile(tmp_path).load().settings == preferences.settings
    bridge.new_chat()
    assert bridge.next_reply.params.sampling.top_k == 40
    made.restore.click()
    assert preferences.settings == Settings()


def test_each_parameter_has_a_way_back(window: Window, qtbot: QtBot) -> None:
    shown, bridge = window(ScriptedEngine())
    shown.commands.show_chat_settings()
    made = shown.commands.dialog("chat")
    assert isinstance(made, ChatSettingsDialog)
    for name in made.form.fields:
        if name != "max_tokens":
            field = made.form.fields[name]
            field.setValue(field.minimum() if field.value() != field.minimum() else field.maximum())  # type: ignore[arg-type]
    assert bridge.next_reply.params.sampling != SessionParams().sampling
    for button in made.form.findChildren(QAbstractButton):
        if button.accessibleName().startswith("Reset "):
            button.click()
    assert bridge.next_reply.params.sampling == SessionParams().sampling


def test_a_preset_sets_parameters_and_system_prompt(window: Window, qtbot: QtBot) -> None:
    shown, bridge = window(ScriptedEngine())
    shown.commands.show_chat_settings()
    made = shown.commands.dialog("chat")
    assert isinstance(made, ChatSettingsDialog)
    bridge.next_reply.set_temperature(0.1)
    made.system.setPlainText("Be exact.")
    made.save_as("Exact")
    made.save_as("Another")
    bridge.new_chat()
    assert made.system.toPlainText() == ""
    made.presets.setCurrentText("Exact")
    made.apply.click()
    assert bridge.next_reply.params.sampling.temperature == 0.1
    assert bridge.chat.conversation.system_prompt == "Be exact."
    assert made.presets.currentText() == "Exact"
    for left in (1, 0):
        made.delete.click()
        assert made.presets.count() == left + 1
        made.findChildren(QMessageBox)[-1].button(QMessageBox.StandardButton.Cancel).click()
        assert made.presets.count() == left + 1
        made.delete.click()
        box = made.findChildren(QMessageBox)[-1]
        next(button for button in box.buttons() if button.text() == "Delete").click()
        assert made.presets.count() == left


def test_every_control_of_the_dialogs_has_a_name(dialog: tuple[SettingsDialog, MainWindow]) -> None:
    made, shown = dialog
    shown.commands.show_chat_settings()
    chat = shown.commands.dialog("chat")
    assert chat is not None
    for kind in (QAbstractButton, QComboBox, QAbstractSpinBox):
        for widget in (*made.findChildren(kind), *chat.findChildren(kind)):
            inner = widget.objectName().startswith("qt_") or isinstance(widget.parent(), QComboBox)
            assert inner or widget.accessibleName() or getattr(widget, "text", str)(), widget


def test_menus_have_explicit_roles_and_no_key_twice(window: Window) -> None:
    shown, _ = window(ScriptedEngine())
    actions = shown.commands.menus.actions
    assert all(a.menuRole() is not QAction.MenuRole.TextHeuristicRole for a in actions.values())
    assert actions["Settings…"].menuRole() is QAction.MenuRole.PreferencesRole
    assert actions["Quit Draftlens"].menuRole() is QAction.MenuRole.QuitRole
    keys = [key.toString() for action in actions.values() for key in action.shortcuts()]
    assert len(keys) == len(set(keys))
    for wanted in ("Ctrl+N", "Ctrl+Shift+F", "Ctrl+Alt+S", "Ctrl+R", "Ctrl+E", "Ctrl+/", "Ctrl+F", "Ctrl+,"):
        assert wanted in keys


def test_tab_goes_from_the_chips_over_the_chat_and_its_figures_to_the_sidebar(window: Window) -> None:
    shown, _ = window(ScriptedEngine())
    assert way_of_tab(focus_order(shown)) == focus_order(shown)


@pytest.mark.parametrize("tab", [0, 1, 2])
def test_the_tab_key_reaches_every_stop_in_view(window: Window, qtbot: QtBot, tab: int) -> None:
    shown, bridge = window(ScriptedEngine(rounds=[step(0, "a", Source.PREFILL), step(1, " b")]))
    bridge.send("Hi")
    qtbot.waitUntil(lambda: bool(bridge.turns) and not bridge.running)
    bridge.selection.choose(1)
    shown.inspector.tabs.choose(tab)
    # Of segments that exclude each other only the chosen one is a stop; arrows go to the others.
    others = {
        b for part in (shown.inspector.tabs, shown.inspector.run.choice) for b in part.buttons if not b.isChecked()
    }
    wanted = {stop for stop in focus_order(shown) if stop.isVisible() and stop.isEnabled()} - others
    reached: set[QWidget] = set()
    shown.chat.composer.edit.setFocus()
    for _ in range(80):
        qtbot.keyClick(shown.focusWidget(), Qt.Key.Key_Tab)
        reached.add(shown.focusWidget())
    assert wanted - reached == set()


def test_tab_goes_over_the_compare_screen_arm_by_arm_also_after_one_was_added(window: Window) -> None:
    shown, _ = window(ScriptedEngine())
    assert way_of_tab(compare_order(shown.compare)) == compare_order(shown.compare)
    shown.compare.setup.add_arm()
    wanted = compare_order(shown.compare)
    assert shown.compare.columns[2].strip in wanted
    assert way_of_tab(wanted) == wanted
    assert way_of_tab(focus_order(shown)) == focus_order(shown)


def way_of_tab(stops: list[QWidget]) -> list[QWidget]:
    """The stops in the order in which Tab comes to them."""
    seen: list[QWidget] = []
    widget = stops[0]
    for _ in range(2000):
        if widget in stops and widget not in seen:
            seen.append(widget)
        following = widget.nextInFocusChain()
        assert following is not None
        widget = following
    return seen


def test_find_reaches_turns_that_are_not_built(window: Window, qtbot: QtBot) -> None:
    shown, bridge = window(ScriptedEngine(rounds=[step(0, "needle\n\n" + "hay\n\n" * 80 + "pin", Source.PREFILL)]))
    for text in ("One", "Two", "Three"):
        shown.chat.composer.replace(text)
        shown.chat.send()
        qtbot.waitUntil(lambda: shown.chat.waiting is None)
        qtbot.waitUntil(lambda: not bridge.running)
    bar = shown.chat.find_bar
    bar.begin()
    bar.field.setText("NEEDLE")
    assert bar.label.text() == "3 of 3"
    bar.next.click()
    assert bar.label.text() == "1 of 3"
    first = shown.chat.transcript.turns[0]
    assert any(edit.textCursor().selectedText() == "needle" for edit in first.body.parts)  # type: ignore[union-attr]
    lit = [edit for edit in shown.chat.transcript.findChildren(QTextEdit) if edit.textCursor().hasSelection()]
    assert len(lit) == 1
    assert isinstance(shown.findChild(QLineEdit), QLineEdit)
    page = shown.chat.transcript.viewport()
    for words, edge in (("pin", -1), ("needle", 0)):
        bar.field.setText(words)
        edit = shown.chat.transcript.turns[-1].body.parts[edge]
        top = edit.mapTo(page, edit.cursorRect().topLeft()).y()  # type: ignore[union-attr]
        assert 0 <= top <= page.height() - edit.cursorRect().height()  # type: ignore[union-attr]
    bridge.new_chat()
    assert bar.isHidden()


def test_sentences_are_announced_once_each(window: Window, qtbot: QtBot) -> None:
    pieces = ["It is ", "so. And", " then it", " ends"]
    shown, bridge = window(ScriptedEngine(rounds=[step(i, text) for i, text in enumerate(pieces)]))
    shown.chat.composer.replace("Speak")
    shown.chat.send()
    qtbot.waitUntil(lambda: shown.chat.waiting is None)
    qtbot.waitUntil(lambda: not bridge.running)
    assert shown.chat._speech.said == ["It is so.", "And then it ends"]


def test_a_load_that_says_nothing_offers_log_and_retry(window: Window, qtbot: QtBot) -> None:
    engine = ScriptedEngine(hold_load=True)
    shown, bridge = window(engine, load=False)
    bridge.load(None)
    qtbot.waitUntil(engine.holding.is_set)
    assert not shown.chat.empty.retry.isVisible()
    bridge._on_slow()
    assert shown.chat.empty.words.text().startswith("Still loading")
    engine.hold_load = False
    shown.chat.empty.retry.click()
    qtbot.waitUntil(lambda: bridge.state is State.READY)
