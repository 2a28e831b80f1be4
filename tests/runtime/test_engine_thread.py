"""The engine thread keeps its protocol: one thread, prompt stops, every error a sentence, a clean end."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from draftlens.core.commands import Generate, Load, Quit, Request, Stop
from draftlens.core.errors import UserError
from draftlens.core.events import (
    EngineDied,
    Event,
    Failed,
    Finished,
    Loaded,
    LoadFailed,
    Loading,
    Prefill,
    RoundDone,
    Started,
    Unloaded,
)
from draftlens.core.params import SessionParams
from draftlens.core.round import FinishReason, Source
from draftlens.runtime.engine_thread import EngineThread
from fakes import ScriptedEngine, demo_folders, step, verify_round

TARGET = Path("/models/big")


class Driver:
    """A thread under test and what it has said so far."""

    def __init__(self, engine: ScriptedEngine) -> None:
        self.engine = engine
        self.woken = threading.Event()
        self.wakes = 0
        self.said: list[Event] = []
        self.thread = EngineThread(lambda: engine, demo_folders, self._wake)
        self.thread.start()

    def _wake(self) -> None:
        self.wakes += 1
        self.woken.set()

    def until(self, kind: type[Event] | Callable[[Event], bool], seconds: float = 5) -> Event:
        test = kind if not isinstance(kind, type) else (lambda event: isinstance(event, kind))
        end = time.monotonic() + seconds
        seen = 0
        while time.monotonic() < end:
            self.said += self.thread.drain()
            for event in self.said[seen:]:
                seen += 1
                if test(event):
                    self.said = self.said[seen:]
                    return event
            self.woken.wait(0.02)
            self.woken.clear()
        raise AssertionError(f"no such event, only {self.said}")

    def request(self, run: int = 1) -> None:
        self.thread.send(Generate(Request(run, SessionParams(), (("user", "Hi"),))))

    def quit(self) -> float:
        start = time.monotonic()
        self.thread.send(Quit())
        assert self.thread.join(3)
        return time.monotonic() - start


@pytest.fixture
def drive() -> Iterator[Callable[[ScriptedEngine], Driver]]:
    drivers: list[Driver] = []

    def make(engine: ScriptedEngine) -> Driver:
        drivers.append(Driver(engine))
        return drivers[-1]

    yield make
    for driver in drivers:
        driver.thread.send(Quit())
        driver.thread.join(3)


def test_every_engine_call_happens_on_the_same_thread(drive: Callable[[ScriptedEngine], Driver]) -> None:
    driver = drive(ScriptedEngine(rounds=[step(0, "a", Source.PREFILL)]))
    driver.thread.send(Load(TARGET))
    driver.until(Loaded)
    driver.request()
    driver.until(Finished)
    driver.quit()
    assert driver.engine.threads == {"engine"}
    assert driver.engine.closed.is_set()


def test_a_load_without_target_takes_the_demo_pair(drive: Callable[[ScriptedEngine], Driver]) -> None:
    driver = drive(ScriptedEngine())
    driver.thread.send(Load(None))
    loaded = driver.until(Loaded)
    assert isinstance(loaded, Loaded)
    assert loaded.drafter is not None
    assert (loaded.target.name, loaded.drafter.name) == ("demo-target", "demo-drafter")


def test_rounds_arrive_in_order_before_the_end(drive: Callable[[ScriptedEngine], Driver]) -> None:
    rounds = [step(0, "a", Source.PREFILL), verify_round(1, ["b"], "c"), verify_round(2, [], "d", ["x"])]
    driver = drive(ScriptedEngine(rounds=rounds))
    driver.thread.send(Load(TARGET))
    driver.request(run=9)
    finished = driver.until(Finished)
    everything: list[Event] = []
    driver.request(run=10)
    while not any(isinstance(e, Finished) for e in everything):
        everything += driver.thread.drain()
    assert [e.round.index for e in everything if isinstance(e, RoundDone)] == [0, 1, 2]
    assert isinstance(finished, Finished) and finished.run == 9
    assert all(e.run == 10 for e in everything if isinstance(e, RoundDone | Prefill | Finished))


def test_stop_ends_the_reading_of_a_prompt(drive: Callable[[ScriptedEngine], Driver]) -> None:
    driver = drive(ScriptedEngine(hold_prefill=True))
    driver.thread.send(Load(TARGET))
    driver.request()
    driver.until(Prefill)
    driver.thread.send(Stop())
    finished = driver.until(Finished, seconds=1)
    assert isinstance(finished, Finished) and finished.reason is FinishReason.STOPPED


def test_stop_ends_a_streaming_reply_and_keeps_its_rounds(drive: Callable[[ScriptedEngine], Driver]) -> None:
    rounds = [step(0, "a", Source.PREFILL), verify_round(1, ["b"], "c"), verify_round(2, ["d"], "e")]
    driver = drive(ScriptedEngine(rounds=rounds, hold_after=2))
    driver.thread.send(Load(TARGET))
    driver.request()
    driver.until(lambda e: isinstance(e, RoundDone) and e.round.index == 1)
    driver.thread.send(Stop())
    finished = driver.until(Finished, seconds=1)
    assert isinstance(finished, Finished) and finished.reason is FinishReason.STOPPED


def test_stop_ends_a_load_and_the_next_one_works(drive: Callable[[ScriptedEngine], Driver]) -> None:
    driver = drive(ScriptedEngine(hold_load=True))
    driver.thread.send(Load(TARGET))
    assert driver.engine.holding.wait(3)
    driver.thread.send(Stop())
    driver.until(LoadFailed, seconds=1)
    driver.engine.hold_load = False
    driver.thread.send(Load(TARGET))
    driver.until(Loaded)


def test_stop_reaches_a_reply_that_still_waits_but_not_the_one_sent_after_it(
    drive: Callable[[ScriptedEngine], Driver],
) -> None:
    driver = drive(ScriptedEngine(rounds=[step(0, "a", Source.PREFILL)], hold_load=True))
    driver.thread.send(Load(TARGET))
    driver.request(run=1)
    assert driver.engine.holding.wait(3)
    driver.thread.send(Stop())
    first = driver.until(Finished)
    assert isinstance(first, Finished) and (first.run, first.reason) == (1, FinishReason.STOPPED)
    driver.engine.hold_load = False
    driver.thread.send(Load(TARGET))
    driver.request(run=2)
    second = driver.until(Finished)
    assert isinstance(second, Finished) and (second.run, second.reason) == (2, FinishReason.END_OF_TEXT)


def test_an_error_of_the_users_keeps_its_sentence_and_next_step(drive: Callable[[ScriptedEngine], Driver]) -> None:
    driver = drive(ScriptedEngine(error=UserError("The folder is empty.", "Choose another.")))
    driver.thread.send(Load(TARGET))
    failed = driver.until(LoadFailed)
    assert failed == LoadFailed("The folder is empty.", "Choose another.")
    driver.request(run=3)
    assert driver.until(Failed) == Failed(3, "The folder is empty.", "Choose another.")


def test_an_unexpected_error_is_one_sentence_and_a_traceback_in_the_log(
    drive: Callable[[ScriptedEngine], Driver], caplog: pytest.LogCaptureFixture
) -> None:
    driver = drive(ScriptedEngine())
    driver.thread.send(Load(TARGET))
    driver.until(Loaded)
    driver.engine.error = RuntimeError("shapes differ\nin a long message")
    with caplog.at_level(logging.ERROR, "draftlens.runtime"):
        driver.request(run=4)
        failed = driver.until(Failed)
    assert isinstance(failed, Failed) and failed.sentence == "The reply failed: shapes differ."
    assert caplog.records[0].exc_info is not None
    driver.engine.error = None
    driver.request(run=5)
    driver.until(Finished)


def test_a_reply_without_a_model_says_so(drive: Callable[[ScriptedEngine], Driver]) -> None:
    driver = drive(ScriptedEngine())
    driver.request(run=6)
    assert driver.until(Failed) == Failed(6, "No model is loaded.", "Load one first.")


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_the_death_of_the_thread_is_announced(drive: Callable[[ScriptedEngine], Driver]) -> None:
    driver = drive(ScriptedEngine(error=SystemExit("out")))
    driver.thread.send(Load(TARGET))
    driver.until(EngineDied)
    assert driver.thread.join(3)
    assert driver.engine.closed.is_set()


@pytest.mark.parametrize("where", ["hold_load", "hold_prefill", "stream", "idle", "unstarted"])
def test_quit_ends_the_thread_within_three_seconds(drive: Callable[[ScriptedEngine], Driver], where: str) -> None:
    rounds = [step(i, "a") for i in range(3)]
    driver = drive(
        ScriptedEngine(
            rounds=rounds,
            hold_load=where == "hold_load",
            hold_prefill=where == "hold_prefill",
            hold_after=1 if where == "stream" else None,
        )
    )
    if where != "unstarted":
        driver.thread.send(Load(TARGET))
        if where != "hold_load":
            driver.until(Loaded)
    if where in ("hold_prefill", "stream"):
        driver.request()
    if where not in ("idle", "unstarted"):
        assert driver.engine.holding.wait(3)
    assert driver.quit() < 3
    assert driver.engine.closed.is_set() == (where != "unstarted")


def test_the_factory_may_fail_and_be_asked_again() -> None:
    engines: list[ScriptedEngine] = []

    def factory() -> ScriptedEngine:
        engines.append(ScriptedEngine())
        if len(engines) == 1:
            raise ImportError("No module named 'mlx'")
        return engines[-1]

    thread = EngineThread(factory, demo_folders)
    thread.start()
    try:
        events: list[Event] = []
        thread.send(Load(TARGET))
        thread.send(Load(TARGET))
        end = time.monotonic() + 5
        while not any(isinstance(e, Loaded) for e in events) and time.monotonic() < end:
            events += thread.drain()
        failed = [e for e in events if isinstance(e, LoadFailed)]
        assert failed[0].sentence == "Loading failed: No module named 'mlx'."
        assert any(isinstance(e, Loaded) for e in events)
    finally:
        thread.send(Quit())
        assert thread.join(3)


def test_a_wake_comes_only_when_the_queue_was_empty(drive: Callable[[ScriptedEngine], Driver]) -> None:
    driver = drive(ScriptedEngine(hold_prefill=True))
    driver.thread.send(Load(TARGET))
    driver.request()
    assert driver.engine.holding.wait(3)
    assert driver.wakes == 1
    kinds = [type(e) for e in driver.thread.drain()]
    assert kinds == [Loading, Loading, Loaded, Started, Prefill]


def test_what_is_loaded_goes_first_where_that_is_asked_for(drive: Callable[[ScriptedEngine], Driver]) -> None:
    driver = drive(ScriptedEngine())
    driver.thread.send(Load(TARGET, None, first_unload=True))
    assert isinstance(driver.until(Unloaded), Unloaded)
    assert isinstance(driver.until(Loaded), Loaded)
    assert driver.engine.unloads == 1
