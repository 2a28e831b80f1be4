"""Stand-ins for tests: rounds as values, and an engine that follows a script."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from draftlens.core.commands import Compare, Request
from draftlens.core.events import (
    Cancelled,
    Differed,
    Finished,
    Loaded,
    Loading,
    Prefill,
    ReplyEvent,
    RoundDone,
    Started,
)
from draftlens.core.model import ModelInfo
from draftlens.core.proof import LawTest, Prove, Proved, Proving
from draftlens.core.round import Emitted, Fate, FinishReason, Proposed, Round, Source, Timings
from draftlens.core.rules import RuleId


def proposed(text: str, fate: Fate, q: float = 0.5, p: float = 0.6, u: float | None = 0.3) -> Proposed:
    """Return a proposal; the figures of an untested one are None."""
    tested = fate is not Fate.UNTESTED
    return Proposed(
        token=len(text),
        text=text,
        q=q,
        p=p if tested else None,
        u=u if tested else None,
        drawn=None,
        sum_min=0.75 if tested else None,
        sum_prod=0.5 if tested else None,
        expected=0.75 if tested else None,
        fate=fate,
    )


def verify_round(
    index: int,
    accepted: Sequence[str],
    drawn: str,
    rejected: Sequence[str] = (),
    rule: RuleId = RuleId.STOCHASTIC,
    finish: FinishReason | None = None,
) -> Round:
    """Return a round that accepts `accepted`, rejects the first of `rejected`, leaves the rest untested and draws."""
    fates = [Fate.ACCEPTED] * len(accepted) + [Fate.REJECTED] * bool(rejected) + [Fate.UNTESTED] * (len(rejected) - 1)
    proposals = tuple(proposed(t, f) for t, f in zip([*accepted, *rejected], fates, strict=True))
    source = Source.RESIDUAL if rejected else Source.BONUS
    last = Emitted(7, drawn, source, 0.318, 0.2)
    emitted = (*(Emitted(len(t), t, Source.DRAFT, 0.6, None) for t in accepted), last)
    return Round(
        index=index,
        position=index,
        context=20 + index,
        rule=rule,
        drafter="draft-model",
        proposals=proposals,
        emitted=emitted,
        next=last,
        text="".join(e.text for e in emitted),
        finish=finish,
        paused=False,
        timings=Timings(draft=8.6, verify=21.1, judge=0.3, other=0.1),
    )


def step(index: int, text: str, source: Source = Source.PLAIN, finish: FinishReason | None = None) -> Round:
    """Return a round without proposals: the prefill token or a plain step."""
    token = Emitted(3, text, source, 0.4, 0.1)
    return Round(
        index=index,
        position=index,
        context=20 + index,
        rule=RuleId.STOCHASTIC,
        drafter="none",
        proposals=(),
        emitted=(token,),
        next=token,
        text=text,
        finish=finish,
        paused=False,
        timings=Timings(verify=20.0, judge=0.2),
    )


def model(name: str, path: Path | None = None) -> ModelInfo:
    """Return what a loaded model says about itself."""
    return ModelInfo(name, path or Path("/models") / name, 49152, 8192, 270_000_000, None, True)


@dataclass
class ScriptedEngine:
    """Plays `rounds`; waits where a test wants to act, asking `cancelled` as the real one does between its steps.

    Attributes:
        hold_load: the load waits until cancelled.
        hold_prefill: the prompt is read without end until cancelled.
        hold_after: after so many rounds the reply waits until cancelled; None plays to the end.
        pace: seconds each round takes.
        error: raised by `load` and `reply` in place of working.
    """

    rounds: Sequence[Round] = ()
    hold_load: bool = False
    hold_prefill: bool = False
    hold_after: int | None = None
    error: BaseException | None = None
    note: str | None = None
    pace: float = 0.0
    thinking: bool = False
    holding: threading.Event = field(default_factory=threading.Event)
    closed: threading.Event = field(default_factory=threading.Event)
    threads: set[str] = field(default_factory=set)
    requests: list[Request] = field(default_factory=list)
    unloads: int = 0

    def load(
        self, target: Path, drafter: Path | None, report: Callable[[Loading], None], cancelled: Callable[[], bool]
    ) -> Loaded:
        self.threads.add(threading.current_thread().name)
        report(Loading("Reading weights", 0.5))
        if self.hold_load:
            self._hold(cancelled)
            raise Cancelled
        if self.error is not None:
            raise self.error
        return Loaded(model(target.name, target), None if drafter is None else model(drafter.name, drafter))

    def unload(self) -> None:
        self.unloads += 1

    def reply(
        self, request: Request, emit: Callable[[Started | Prefill | RoundDone], None], cancelled: Callable[[], bool]
    ) -> Finished:
        self.threads.add(threading.current_thread().name)
        self.requests.append(request)
        emit(Started(request.run, 20, request.params.rule, request.params.drafter, None, 7, self.thinking))
        emit(Prefill(request.run, 5, 20, 0, 10.0))
        if self.hold_prefill:
            self._hold(cancelled)
            return Finished(request.run, FinishReason.STOPPED, "")
        if self.error is not None:
            raise self.error
        emit(Prefill(request.run, 20, 20, 0, 40.0))
        for i, round_ in enumerate(self.rounds):
            if i == self.hold_after:
                self._hold(cancelled)
            if cancelled():
                return Finished(request.run, FinishReason.STOPPED, "")
            emit(RoundDone(request.run, round_))
            if self.pace:
                threading.Event().wait(self.pace)
        return Finished(request.run, FinishReason.END_OF_TEXT, "", 0, self.note)

    def compare(
        self, asked: Compare, emit: Callable[[ReplyEvent | Loading | Differed], None], cancelled: Callable[[], bool]
    ) -> None:
        if self.error is not None:
            raise self.error
        for arm in asked.arms:
            emit(self.reply(arm.request, emit, cancelled))

    def prove(self, asked: Prove, emit: Callable[[Proving], None], cancelled: Callable[[], bool]) -> Proved:
        if self.error is not None:
            raise self.error
        emit(Proving(asked.run, 10, 100))
        if self.hold_prefill:
            self._hold(cancelled)
            raise Cancelled
        own = LawTest(f"rule={asked.params.rule}", 400, 4, 8.0, 9)
        return Proved(asked.run, asked.params.rule, own, LawTest("The wrong rule “resample from p”", 400, 4, 90.0, 9))

    def count(self, messages: Sequence[tuple[str, str]]) -> tuple[int, int]:
        return sum(len(content.split()) for _, content in messages), 8192

    def close(self) -> None:
        self.threads.add(threading.current_thread().name)
        self.closed.set()

    def _hold(self, cancelled: Callable[[], bool]) -> None:
        self.holding.set()
        pause = threading.Event()
        while not cancelled():
            pause.wait(0.002)


def demo_folders(report: Callable[[Loading], None], cancelled: Callable[[], bool]) -> tuple[Path, Path]:
    """Answer for the demo pair with two folders that are never opened."""
    report(Loading("Fetching the demo pair", 0.25))
    return Path("/models/demo-target"), Path("/models/demo-drafter")
