"""Dialogs: the safe answer is the one that Return gives, and the focus ring is where one is."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox
from pytestqt.qtbot import QtBot

from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.bridge.preferences import Preferences
from draftlens.settings.settings import Settings
from draftlens.ui.dialogs.chat_settings import ChatSettingsDialog
from draftlens.ui.dialogs.settings import SettingsDialog
from draftlens.ui.main_window import MainWindow
from draftlens.ui.theme import Theme
from fakes import ScriptedEngine

Window = Callable[..., tuple[MainWindow, EngineBridge]]


def test_a_tab_of_the_settings_takes_the_focus_by_a_click(window: Window, qtbot: QtBot) -> None:
    shown, _ = window(ScriptedEngine())
    shown.commands.show_settings()
    made = shown.commands.dialog("settings")
    assert isinstance(made, SettingsDialog)
    made.tabs["General"].setFocus()
    qtbot.mouseClick(made.tabs["Storage"], Qt.MouseButton.LeftButton)
    assert made.stack.currentWidget() is made.pages["Storage"]
    assert made.focusWidget() is made.tabs["Storage"]


def test_return_keeps_a_preset_that_was_to_be_deleted(window: Window, qtbot: QtBot) -> None:
    shown, _ = window(ScriptedEngine())
    shown.commands.show_chat_settings()
    made = shown.commands.dialog("chat")
    assert isinstance(made, ChatSettingsDialog)
    made.save_as("Kept")
    made.delete.click()
    qtbot.keyClick(made.findChildren(QMessageBox)[-1], Qt.Key.Key_Return)
    assert made.presets.currentText() == "Kept"


def test_the_defaults_can_be_undone_until_something_else_is_changed(theme: Theme, qtbot: QtBot) -> None:
    mine = Settings(k=7, system_prompt="Be exact.")
    preferences = Preferences(mine)
    made = SettingsDialog(theme, preferences)
    qtbot.addWidget(made)
    made.restore.click()
    assert preferences.settings == Settings()
    assert made.restore.text() == "Undo “Restore defaults”"
    made.restore.click()
    assert preferences.settings == mine
    assert made.restore.text() == "Restore defaults"
    made.restore.click()
    preferences.set(k=5)
    assert made.restore.text() == "Restore defaults"
    made.restore.click()
    assert preferences.settings == Settings()
