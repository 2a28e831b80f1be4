"""The bridge turns the engine's events into the state of the window."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from pytestqt.qtbot import QtBot

from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.bridge.next_reply import NextReply
from draftlens.bridge.reply import Phase
from draftlens.bridge.state import Problem, State
from draftlens.core.errors import UserError
from draftlens.core.params import SessionParams
from draftlens.core.round import Source
from draftlens.runtime.engine_thread import EngineThread
from fakes import ScriptedEngine, demo_folders, step, verify_round

Open = Callable[[ScriptedEngine], EngineBridge]
ROUNDS = [step(0, "One", Source.PREFILL), verify_round(1, [" two"], " three", ["x"])]


@pytest.fixture
def bridge(qtbot: QtBot) -> Iterator[Open]:
    made: list[EngineBridge] = []

    def make(engine: ScriptedEngine) -> EngineBridge:
        made.append(
            EngineBridge(lambda wake: EngineThread(lambda: engine, demo_folders, wake), NextReply(SessionParams()))
        )
        return made[-1]

    yield make
    for each in made:
        each.quit()
        assert each.join(3)


def loaded(bridge: EngineBridge, qtbot: QtBot, target: Path | None = None) -> None:
    bridge.load(target)
    qtbot.waitUntil(lambda: bridge.loading is None)


def test_a_load_goes_from_nothing_to_ready(bridge: Open, qtbot: QtBot) -> None:
    b = bridge(ScriptedEngine())
    assert b.state is State.NO_MODEL
    b.load(None)
    assert b.state is State.LOADING
    qtbot.waitUntil(lambda: b.state is State.READY)
    assert b.loaded is not None
    assert b.loaded.target.name == "demo-target"


def test_a_reply_streams_and_ends(bridge: Open, qtbot: QtBot) -> None:
    b = bridge(ScriptedEngine(rounds=ROUNDS, note="the drafter paused"))
    loaded(b, qtbot)
    with qtbot.waitSignals([b.textChanged, b.figuresChanged]):
        assert b.send("Count")
    qtbot.waitUntil(lambda: not b.running)
    assert b.reply is not None
    assert (b.reply.text, b.reply.phase, b.reply.note) == ("One two three", Phase.DONE, "the drafter paused")
    assert b.reply.stats.accepted == 1


def test_the_whole_chat_is_sent_and_an_unanswered_prompt_joins_the_next(bridge: Open, qtbot: QtBot) -> None:
    engine = ScriptedEngine(rounds=ROUNDS)
    b = bridge(engine)
    loaded(b, qtbot)
    for text in ("first", "second", "third"):
        engine.error = RuntimeError("out") if text == "second" else None
        b.send(text)
        qtbot.waitUntil(lambda: not b.running)
    assert engine.requests[-1].messages == (
        ("user", "first"),
        ("assistant", "One two three"),
        ("user", "second\n\nthird"),
    )


def test_stop_keeps_the_text(bridge: Open, qtbot: QtBot) -> None:
    b = bridge(ScriptedEngine(rounds=[*ROUNDS, step(2, " four")], hold_after=2))
    loaded(b, qtbot)
    b.send("Count")
    qtbot.waitUntil(lambda: b.reply is not None and b.reply.text == "One two three")
    b.stop()
    qtbot.waitUntil(lambda: b.state is State.STOPPED)
    assert b.problem is None


def test_stopping_a_load_is_no_failure(bridge: Open, qtbot: QtBot) -> None:
    engine = ScriptedEngine(hold_load=True)
    b = bridge(engine)
    b.load(None)
    qtbot.waitUntil(engine.holding.is_set)
    b.stop()
    qtbot.waitUntil(lambda: b.state is State.NO_MODEL)
    assert b.problem is None


def test_a_failed_load_says_why_and_what_is_still_loaded(bridge: Open, qtbot: QtBot) -> None:
    engine = ScriptedEngine()
    b = bridge(engine)
    loaded(b, qtbot)
    engine.error = UserError("The folder is empty.", "Choose another.")
    loaded(b, qtbot, Path("/models/other"))
    assert b.problem is not None
    assert b.problem.detail == "The folder is empty. Choose another. demo-target is still loaded."
    assert b.state is State.READY
    engine.error = None
    b.retry()
    qtbot.waitUntil(lambda: b.loading is None)
    assert b.problem is None
    assert b.loaded is not None and b.loaded.target.name == "other"


def test_the_death_of_the_engine_keeps_the_chat_and_a_new_one_can_start(bridge: Open, qtbot: QtBot) -> None:
    engine = ScriptedEngine(rounds=ROUNDS)
    b = bridge(engine)
    loaded(b, qtbot)
    b.send("Count")
    qtbot.waitUntil(lambda: not b.running)
    engine.error = SystemExit("out")
    b.send("Again")
    qtbot.waitUntil(lambda: b.loaded is None)
    assert b.state is State.NO_MODEL
    assert b.turns[0].reply.text == "One two three"
    assert b.turns[1].reply.phase is Phase.FAILED
    engine.error = None
    loaded(b, qtbot)
    assert b.state is State.FAILED
    assert b.send("Again")
    qtbot.waitUntil(lambda: not b.running)
    assert b.reply is not None and b.reply.phase is Phase.DONE


def test_without_a_draft_model_the_context_drafts_until_there_is_one(bridge: Open, qtbot: QtBot) -> None:
    b = bridge(ScriptedEngine())
    loaded(b, qtbot, Path("/models/alone"))
    assert b.next_reply.params.drafter == "prompt-lookup"
    loaded(b, qtbot)
    assert b.next_reply.params.drafter == "draft-model"


def test_the_pump_rests_when_there_is_nothing_to_drain(bridge: Open, qtbot: QtBot) -> None:
    b = bridge(ScriptedEngine(rounds=ROUNDS))
    loaded(b, qtbot)
    b.send("Count")
    qtbot.waitUntil(lambda: not b.running)
    qtbot.waitUntil(lambda: not b._timer.isActive())


def test_figures_wait_for_their_turn_while_a_reply_runs(
    bridge: Open, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = [100.0]
    monkeypatch.setattr("draftlens.bridge.engine_link.time", SimpleNamespace(monotonic=lambda: clock[0]))
    b = bridge(ScriptedEngine(rounds=[*ROUNDS, step(2, " four")], hold_after=2))
    loaded(b, qtbot)
    b.send("Count")
    qtbot.waitUntil(lambda: b.reply is not None and len(b.reply.rounds) == 2)
    qtbot.waitUntil(lambda: not b._figures_dirty or b._timer.isActive())
    qtbot.waitUntil(lambda: not b._figures_soon.isActive())
    b._figures_dirty, b._figures_at = True, clock[0]
    b._timer.start()
    with qtbot.assertNotEmitted(b.figuresChanged, wait=100):
        pass
    clock[0] += 0.25
    with qtbot.waitSignal(b.figuresChanged):
        b._timer.start()
    b.stop()
    qtbot.waitUntil(lambda: not b.running)


@pytest.mark.parametrize("where", ["hold_load", "hold_prefill"])
def test_quitting_in_the_middle_ends_the_thread(qtbot: QtBot, where: str) -> None:
    engine = ScriptedEngine(hold_load=where == "hold_load", hold_prefill=where == "hold_prefill")
    b = EngineBridge(lambda wake: EngineThread(lambda: engine, demo_folders, wake), NextReply(SessionParams()))
    b.load(None)
    if where == "hold_prefill":
        qtbot.waitUntil(lambda: b.loaded is not None)
        b.send("Count")
    qtbot.waitUntil(engine.holding.is_set)
    b.quit()
    assert b.join(3)
    assert engine.closed.is_set()


def test_a_load_leaves_a_notice_that_is_not_about_loading(bridge: Open, qtbot: QtBot) -> None:
    link = bridge(ScriptedEngine())
    link.report(Problem("Something needs to be known", "The file is kept.", warning=True, stays=True))
    link.load(None)
    qtbot.waitUntil(lambda: link.loaded is not None)
    assert shown(link) == ("Something needs to be known", "The file is kept.")
    link.report(Problem("demo is ready, with a note", "It is odd.", warning=True))
    assert shown(link)[1] == "The file is kept. demo is ready, with a note: It is odd."
    link.report(Problem("The engine stopped", "It did.", can_retry=True))
    assert shown(link)[0] == "The engine stopped"
    link.load(None)
    assert shown(link) == ("", "")


def shown(link: EngineBridge) -> tuple[str, str]:
    return ("", "") if link.problem is None else (link.problem.title, link.problem.detail)
