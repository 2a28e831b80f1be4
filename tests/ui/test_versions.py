"""A reply is continued or written again, a prompt is changed: nothing is lost, each is a version beside the other."""

from __future__ import annotations

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from draftlens.core.round import Source
from fakes import ScriptedEngine, step, verify_round
from ui.asking import ROUNDS, Ctrl, Window, ask


def test_a_stopped_reply_offers_to_go_on_and_does_so_with_its_tokens(window: Window, qtbot: QtBot) -> None:
    engine = ScriptedEngine(rounds=ROUNDS, hold_after=2)
    shown, bridge = window(engine)
    shown.chat.composer.replace("Hi")
    shown.chat.send()
    qtbot.waitUntil(lambda: shown.chat.waiting is None)
    qtbot.waitUntil(engine.holding.is_set)
    qtbot.waitUntil(lambda: bridge.reply is not None and len(bridge.reply.rounds) == 2)
    bridge.stop()
    qtbot.waitUntil(lambda: not bridge.running)
    view = shown.chat.transcript.turns[-1]
    assert view.resume is not None and view.resume.isVisible()
    engine.hold_after = None
    engine.rounds = [verify_round(2, [" then"], " walk")]
    view.resume.click()
    qtbot.waitUntil(lambda: not bridge.running)
    asked = engine.requests[-1]
    assert asked.written == (3, 3, 6, 7)
    assert asked.first_round == 2
    assert bridge.turns[0].reply.text == "Sort by start, then walk"
    id = bridge.chat.id
    bridge.new_chat()
    bridge._open.clear()
    bridge.open(id)
    assert bridge.turns[0].reply.text == "Sort by start, then walk"
    assert len(bridge.turns[0].reply.rounds) == 3


def test_regenerating_makes_a_version_and_the_arrows_switch(window: Window, qtbot: QtBot) -> None:
    engine = ScriptedEngine(rounds=ROUNDS)
    shown, bridge = window(engine)
    ask(shown, bridge, qtbot, "Hi")
    engine.rounds = [step(0, "Other", Source.PREFILL), step(1, " text")]
    qtbot.keyClick(shown, Qt.Key.Key_R, Ctrl)
    qtbot.waitUntil(lambda: not bridge.running)
    view = shown.chat.transcript.turns[-1]
    assert view.text == "Other text"
    assert view.versions.label is not None and view.versions.label.text() == "2 / 2"
    assert view.versions.previous is not None
    view.versions.previous.click()
    assert shown.chat.transcript.turns[-1].text == "Sort by start, then walk"
    assert len(bridge.turns) == 1


def test_editing_the_last_message_makes_a_branch(window: Window, qtbot: QtBot) -> None:
    engine = ScriptedEngine(rounds=ROUNDS)
    shown, bridge = window(engine)
    ask(shown, bridge, qtbot, "Frist")
    shown.chat.composer.replace("unsent")
    qtbot.keyClick(shown, Qt.Key.Key_E, Ctrl)
    assert shown.chat.composer.text == "Frist"
    shown.chat.composer.replace("First")
    shown.chat.send()
    qtbot.waitUntil(lambda: shown.chat.waiting is None)
    qtbot.waitUntil(lambda: not bridge.running)
    assert [t.user for t in bridge.turns] == ["First"]
    assert engine.requests[-1].messages == (("user", "First"),)
    assert len(bridge.chat.conversation.messages) == 4


def test_escape_ends_editing_and_brings_back_what_was_unsent(window: Window, qtbot: QtBot) -> None:
    shown, bridge = window(ScriptedEngine(rounds=ROUNDS))
    ask(shown, bridge, qtbot, "First")
    shown.chat.composer.replace("unsent")
    shown.chat.edit_message()
    qtbot.keyClick(shown.chat.composer.edit, Qt.Key.Key_Escape)
    assert shown.chat.composer.text == "unsent"
    assert not shown.chat.composer.editing.isVisible()
