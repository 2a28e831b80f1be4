"""Whatever runs can be stopped at any moment, by a button, a key, or by closing the window."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from draftlens.bridge.state import State
from draftlens.core.round import FinishReason
from fakes import ScriptedEngine
from ui.asking import ROUNDS, Window, send


def test_stop_works_while_the_prompt_is_read(window: Window, qtbot: QtBot) -> None:
    shown, bridge = window(ScriptedEngine(hold_prefill=True))
    send(shown, qtbot, "Hi")
    qtbot.waitUntil(lambda: bool(shown.chat.transcript.turns))
    view = shown.chat.transcript.turns[-1]
    qtbot.waitUntil(lambda: view.status.whole == "Reading prompt 5 / 20")
    inspector = shown.inspector
    assert inspector.rule.rule.text() == "no verify round yet"
    assert inspector.run.verdict.text() == "The prompt is being read; its rounds are measured here."
    qtbot.mouseClick(shown.chat.composer.stop, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bridge.state is State.STOPPED)
    assert view.badge.text() == "stopped"


def test_escape_stops_a_streaming_reply_and_keeps_its_text(window: Window, qtbot: QtBot) -> None:
    shown, bridge = window(ScriptedEngine(rounds=ROUNDS, hold_after=2))
    send(shown, qtbot, "Hi")
    view = shown.chat.transcript.turns[-1]
    qtbot.waitUntil(lambda: view.text == "Sort by start,")
    assert shown.chat.composer.stop.isEnabled()
    qtbot.keyClick(shown, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: bridge.state is State.STOPPED)
    assert bridge.reply is not None and bridge.reply.finish is FinishReason.STOPPED
    assert view.text == "Sort by start,"
    qtbot.waitUntil(lambda: shown.inspector.run.tested.text() == "n = 3 tested, stopped early")
    assert not shown.chat.composer.stop.isEnabled()


@pytest.mark.parametrize("where", ["load", "prefill", "stream"])
def test_closing_the_window_in_the_middle_ends_the_engine(window: Window, qtbot: QtBot, where: str) -> None:
    engine = ScriptedEngine(
        rounds=ROUNDS,
        hold_load=where == "load",
        hold_prefill=where == "prefill",
        hold_after=1 if where == "stream" else None,
    )
    shown, bridge = window(engine, load=where != "load")
    if where == "load":
        shown.start_demo()
    else:
        send(shown, qtbot, "Hi")
    qtbot.waitUntil(engine.holding.is_set)
    shown.close()
    assert bridge.join(3)
    assert engine.closed.is_set()


def test_a_reply_that_still_waits_for_the_disk_is_stopped_before_the_engine_hears_of_it(
    window: Window, qtbot: QtBot
) -> None:
    engine = ScriptedEngine(rounds=ROUNDS, hold_after=1)
    shown, bridge = window(engine)
    bridge.send("Hi")
    assert bridge.running
    bridge.stop()
    assert bridge.state is State.STOPPED
    bridge.archive.flush()
    send(shown, qtbot, "Again")
    qtbot.waitUntil(engine.holding.is_set)
    assert [request.messages for request in engine.requests] == [(("user", "Hi\n\nAgain"),)]
    assert shown.chat.transcript.turns[0].badge.text() == "stopped"


def test_only_the_newest_reply_can_be_continued(window: Window, qtbot: QtBot) -> None:
    engine = ScriptedEngine(rounds=ROUNDS, hold_after=2)
    shown, bridge = window(engine)
    for text in ("One", "Two"):
        send(shown, qtbot, text)
        qtbot.waitUntil(lambda: bridge.reply is not None and bridge.reply.text == "Sort by start,")
        bridge.stop()
        qtbot.waitUntil(lambda: not bridge.running)
        newest = shown.chat.transcript.turns[-1]
        assert newest.resume is not None and newest.resume.isVisible()
    first = shown.chat.transcript.turns[0]
    assert first.resume is not None and not first.resume.isVisible()
    assert not bridge.resume(first.message.id)
    assert bridge.resume()
