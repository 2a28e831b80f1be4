"""Before there is a model the window shows ways to begin, and each of them leads somewhere."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QLabel
from pytestqt.qtbot import QtBot

from draftlens.bridge.state import State
from draftlens.core.errors import UserError
from fakes import ScriptedEngine
from ui.asking import Window


def test_without_a_model_only_ways_to_begin_are_shown(window: Window) -> None:
    shown, _ = window(ScriptedEngine(), load=False)
    assert shown.pages.currentWidget() is shown.first_run
    buttons = [b for b in shown.findChildren(QAbstractButton) if b.isVisible()]
    assert {b.accessibleName() or b.text() for b in buttons} == {
        "Start the demo pair",
        "Choose…",
        "Target: No model loaded",
        "New chat",
        "Hide the sidebar",
        "Settings",
        "Search chats",
        "Compare rules",
        "Models",
        "Open Discover",
    }


def test_in_a_small_window_the_ways_to_begin_scroll_and_no_word_is_cut(window: Window, qtbot: QtBot) -> None:
    shown, _ = window(ScriptedEngine(), load=False)
    shown.setMinimumHeight(0)
    shown.resize(1040, 400)
    first = shown.first_run
    qtbot.waitUntil(lambda: first.cards.verticalScrollBar().maximum() > 0)
    words = [label for label in first.findChildren(QLabel) if label.wordWrap()]
    assert len(words) == 4
    assert all(label.height() >= label.heightForWidth(label.width()) for label in words)


def test_the_demo_button_leads_to_a_chat(window: Window, qtbot: QtBot) -> None:
    shown, bridge = window(ScriptedEngine(), load=False)
    qtbot.mouseClick(shown.first_run.demo, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bridge.state is State.READY)
    assert shown.pages.currentWidget() is shown.splitter
    assert shown.toolbar.target.value == "demo-target"
    assert shown.chat.composer.edit.isEnabled()


def test_a_failed_first_load_leads_back_with_its_reason(window: Window, qtbot: QtBot) -> None:
    shown, bridge = window(ScriptedEngine(error=UserError("No space.", "Free 300 MB.")), load=False)
    qtbot.mouseClick(shown.first_run.demo, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bridge.problem is not None)
    assert shown.pages.currentWidget() is shown.first_run
    assert shown.banner.isVisible()
    assert shown.banner.detail.text() == "No space. Free 300 MB."
    qtbot.mouseClick(shown.banner.close_button, Qt.MouseButton.LeftButton)
    assert not shown.banner.isVisible()
