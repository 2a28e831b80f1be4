"""What is typed is sent by Return, once, and comes back if nothing came of it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from draftlens.bridge.state import State
from draftlens.core.errors import UserError
from draftlens.core.params import SessionParams
from draftlens.ui.main_window import MainWindow
from fakes import ScriptedEngine
from ui.asking import ROUNDS, Window, answered, send


def test_return_sends_and_the_reply_streams_with_its_rounds_beside_it(window: Window, qtbot: QtBot) -> None:
    shown, bridge = window(ScriptedEngine(rounds=ROUNDS))
    answered(shown, bridge, qtbot)
    view = shown.chat.transcript.turns[-1]
    assert view.text == "Sort by start, then walk"
    assert shown.inspector.run.model.rowCount() == 3
    assert view.rule.text() == "rule=stochastic"
    assert view.status.whole.startswith("6 tokens in ")
    assert shown.inspector.run.log.text.startswith("[Speculative acceptance] rule=stochastic rounds=2 proposed=5 ")
    assert shown.chat.composer.text == ""


def test_shift_return_breaks_the_line(window: Window, qtbot: QtBot) -> None:
    shown, bridge = window(ScriptedEngine())
    qtbot.keyClicks(shown.chat.composer.edit, "a")
    qtbot.keyClick(shown.chat.composer.edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClicks(shown.chat.composer.edit, "b")
    assert shown.chat.composer.text == "a\nb"
    assert bridge.turns == []


def test_return_that_confirms_an_input_method_candidate_sends_nothing(window: Window, qtbot: QtBot) -> None:
    shown, bridge = window(ScriptedEngine(rounds=ROUNDS))
    edit = shown.chat.composer.edit
    qtbot.keyClicks(edit, "kon")
    QApplication.sendEvent(edit, QInputMethodEvent("にち", []))
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert bridge.turns == []
    done = QInputMethodEvent("", [])
    done.setCommitString("日")
    QApplication.sendEvent(edit, done)
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: shown.chat.waiting is None)
    assert bridge.turns[0].user == "kon日"


def test_an_empty_prompt_is_not_sent(window: Window, qtbot: QtBot) -> None:
    shown, bridge = window(ScriptedEngine())
    send(shown, qtbot, "  ")
    assert bridge.turns == []
    assert not shown.chat.composer.send.isEnabled()


def test_a_prompt_that_came_to_nothing_goes_back_into_the_editor(window: Window, qtbot: QtBot) -> None:
    engine = ScriptedEngine()
    shown, bridge = window(engine)
    engine.error = UserError("The prompt takes 10,000 tokens; the context holds 8,192.", "Shorten it.")
    send(shown, qtbot, "long")
    qtbot.waitUntil(lambda: bridge.state is State.FAILED)
    assert shown.chat.composer.text == "long"
    assert shown.banner.detail.text().endswith("Shorten it.")
    engine.error = None
    qtbot.keyClick(shown.chat.composer.edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: shown.chat.waiting is None)
    qtbot.waitUntil(lambda: not bridge.running)
    assert shown.chat.composer.text == ""


def test_a_prompt_given_at_the_start_is_sent_once_a_model_is_ready(window: Window, qtbot: QtBot) -> None:
    first, bridge = window(ScriptedEngine(rounds=ROUNDS), load=False, params=SessionParams(seed=3))
    shown = MainWindow(first._theme, bridge, first_prompt="Say it")
    qtbot.addWidget(shown)
    bridge.load(None)
    qtbot.waitUntil(lambda: bool(bridge.turns) and not bridge.running)
    assert [turn.user for turn in bridge.turns] == ["Say it"]
