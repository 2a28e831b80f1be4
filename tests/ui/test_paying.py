"""Whether speculation pays: plain decoding is measured on request, or by itself while nothing else runs."""

from __future__ import annotations

from dataclasses import replace

from pytestqt.qtbot import QtBot

from draftlens.core.round import Source, Timings
from fakes import ScriptedEngine, step
from ui.asking import ROUNDS, Window

PLAIN = [step(0, "a", Source.PREFILL), *(replace(step(i, "b"), timings=Timings(verify=20.0)) for i in range(1, 9))]


def test_plain_decoding_is_measured_on_request_and_losing_speculation_is_one_click_from_off(
    window: Window, qtbot: QtBot
) -> None:
    slow = [replace(r, timings=Timings(verify=400.0 + i)) for i, r in enumerate(ROUNDS * 3)]
    rounds = [replace(r, index=i) for i, r in enumerate(slow)]
    engine = ScriptedEngine(rounds=rounds)
    shown, bridge = window(engine)
    shown.inspector.run.choice.choose(2)
    paying = shown.inspector.run.times.paying
    assert paying.sentence.text() == shown.inspector.run.times.prompt.text() == shown.inspector.run.verdict.text()
    assert paying.sentence.text() == "Send a prompt: its rounds are measured here."
    bridge.send("Hi")
    qtbot.waitUntil(lambda: bool(bridge.turns) and not bridge.running)
    assert shown.inspector.run.tiles.views[0].note.text() == "no plain baseline"
    assert paying.sentence.text().startswith("No plain baseline was measured")
    assert not paying.off.isVisible()
    engine.rounds = PLAIN
    paying.measure.click()
    qtbot.waitUntil(lambda: not shown.inspector_actions.measuring.running and not bridge.running)
    assert bridge.problem is None
    assert [arm.params.drafter for arm in engine.requests[-2:]] == ["none", "draft-model"]
    assert paying.sentence.text().startswith("No: 0.1")
    assert "Plain decoding: 50.0 tok/s, measured" in paying.sentence.text()
    assert "no acceptance would be enough" in paying.sentence.text()
    assert shown.inspector.run.tiles.views[0].note.text() == "0.1× plain"
    paying.off.click()
    assert not bridge.next_reply.speculation
    assert not paying.off.isVisible()


def test_plain_decoding_is_measured_once_while_nothing_else_runs(window: Window, qtbot: QtBot) -> None:
    engine = ScriptedEngine(rounds=ROUNDS * 2)
    shown, bridge = window(engine)
    measuring = shown.inspector_actions.measuring
    for wanted, runs in ((False, 1), (True, 1 + 3), (True, 1 + 3 + 1)):
        shown.preferences.set(idle_baseline=wanted)
        engine.rounds = ROUNDS * 2
        bridge.send("Hi")
        qtbot.waitUntil(lambda: not bridge.running and measuring.idle.isActive())
        engine.rounds = PLAIN
        measuring.idle.timeout.emit()
        qtbot.waitUntil(lambda: not measuring.running)
        assert len(engine.requests) == runs
    assert bridge.reply is not None
    assert (measuring.baseline(bridge.reply) is not None) and not bridge.aside
    assert shown.inspector.run.tiles.views[0].note.text().endswith("× plain")


def test_a_prompt_ends_a_measurement_that_nobody_asked_for_and_nothing_is_kept(window: Window, qtbot: QtBot) -> None:
    engine = ScriptedEngine(rounds=ROUNDS * 2)
    shown, bridge = window(engine)
    measuring = shown.inspector_actions.measuring
    bridge.send("Hi")
    qtbot.waitUntil(lambda: not bridge.running and measuring.idle.isActive())
    engine.rounds, engine.hold_after = PLAIN, 8
    measuring.idle.timeout.emit()
    qtbot.waitUntil(engine.holding.is_set)
    assert measuring.running and not bridge.running
    assert shown.sidebar.status.whole == "Measuring plain decoding"
    engine.hold_after = None
    assert bridge.send("More")
    qtbot.waitUntil(lambda: not bridge.running and not measuring.running)
    assert len(bridge.turns[1].reply.rounds) == len(PLAIN)
    assert measuring.baseline(bridge.turns[0].reply) is None
    assert bridge.problem is None
