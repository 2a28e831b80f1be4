"""Is it paying: plain decoding measured on request, in turn with speculative rounds, kept, and said in words."""

from __future__ import annotations

import time
from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.bridge.reply import Reply
from draftlens.bridge.state import Problem
from draftlens.core.baseline import Baseline, Gain, Pair, break_even, gain
from draftlens.core.events import Arm, Compare, Compared, EngineDied, Failed, Request, RoundDone
from draftlens.core.stats import RunStats

_RUN = 1 << 41
"""Runs of measurements count from here, beyond those of chats and comparisons."""
_TOKENS = 40
"""Plain tokens measured: a few seconds on a slow machine, and a mean sure to a few percent."""


class Measuring(QObject):
    """Owns the measurement that runs; what was measured is the archive's."""

    changed = Signal()

    def __init__(self, bridge: EngineBridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._pair: Pair | None = None
        self._stats = RunStats()
        self._run = _RUN
        self._known: dict[Pair, Baseline | None] = {}
        bridge.comparisonEvent.connect(self._on_event)

    @property
    def running(self) -> bool:
        """Whether a measurement is on its way."""
        return self._pair is not None

    def pair_of(self, reply: Reply) -> Pair | None:
        """What a reply's speed can be compared with, None while its models or its prompt are not known."""
        run = self._bridge.chat.conversation.message(reply.message).run if reply.message else None
        if run is None or not reply.stats.prompt_ms:
            return None
        tokens = reply.stats.prompt_tokens + reply.stats.cached_tokens
        return Pair.of(run.model, run.drafter, tokens)

    def baseline(self, reply: Reply) -> Baseline | None:
        """The plain baseline that belongs to a reply."""
        pair = self.pair_of(reply)
        if pair is None:
            return None
        if pair not in self._known:
            self._known[pair] = self._bridge.archive.baseline(pair)
        return self._known[pair]

    def can_measure(self, reply: Reply | None) -> bool:
        """Whether the reply's models are the ones loaded, and idle."""
        loaded = self._bridge.loaded
        if reply is None or loaded is None or not self._bridge.can_load:
            return False
        pair = self.pair_of(reply)
        drafter = "" if loaded.drafter is None else loaded.drafter.name
        return pair is not None and (pair.target, pair.drafter) == (loaded.target.name, drafter)

    def measure(self, reply: Reply) -> None:
        """Decode the reply's prompt again, plainly and speculatively in turn; the engine is busy meanwhile."""
        pair = self.pair_of(reply)
        if pair is None or not self.can_measure(reply):
            return
        chat = self._bridge.chat
        parent = chat.conversation.message(reply.message).parent
        turns = chat.conversation.turns(self._bridge.system, parent)
        # No end of text before there is enough: a stop string or a short answer would cut the measurement.
        asked = replace(reply.params, max_tokens=_TOKENS, stop=(), candidates=0, seed=1)
        self._run += 3
        arms = (
            Arm(Request(self._run + 1, replace(asked, drafter="none"), turns)),
            Arm(Request(self._run + 2, asked, turns)),
        )
        self._pair, self._stats = pair, RunStats()
        self._bridge.compare(Compare(self._run, arms, warm_up=True), "Measuring plain decoding")
        self.changed.emit()

    def _on_event(self, event: object) -> None:
        if self._pair is None:
            return
        match event:
            case RoundDone() if event.run == self._run + 1:
                self._stats.add(event.round)
            case Failed() if event.run in (self._run + 1, self._run + 2):
                self._report(event.sentence)
            case Compared() if event.run == self._run:
                self._end(event.sentence)
            case EngineDied():
                self._end(None)

    def _end(self, problem: str | None) -> None:
        pair, self._pair = self._pair, None
        self._bridge.end_comparing()
        found = None if pair is None else Baseline.of(pair, self._stats, time.time())
        if problem is not None:
            self._report(problem)
        elif found is None:
            self._report("Too few plain tokens were decoded to measure anything; nothing was kept.")
        else:
            self._known[found.pair] = found
            self._bridge.archive.keep_baseline(found)
        self.changed.emit()

    def _report(self, sentence: str) -> None:
        self._bridge.report(Problem("Plain decoding was not measured", sentence, warning=True))


def gain_of(reply: Reply | None, baseline: Baseline | None) -> Gain | None:
    """How a reply's speed compares with plain decoding, None where either was not measured."""
    return None if reply is None or baseline is None else gain(reply.stats, baseline)


def tile_words(reply: Reply | None, baseline: Baseline | None) -> str:
    """The note of the speed tile."""
    found = gain_of(reply, baseline)
    if found is not None:
        return f"{found.times:.1f}× plain"
    return "no baseline" if baseline is None and reply is not None and reply.stats.rounds else ""


def paying_words(reply: Reply | None, baseline: Baseline | None, *, running: bool) -> str:
    """The sentence that answers "Is it paying?"."""
    if running:
        return "Measuring plain decoding, its rounds in turn with speculative ones…"
    if reply is None or reply.stats.rounds == 0:
        return "No verify round ran, so there is nothing to compare."
    if baseline is None:
        return "No plain baseline was measured for this pair at this context length."
    when = time.strftime("%-d %B %Y, %H:%M", time.localtime(baseline.measured))
    measured = (
        f"Plain decoding: {baseline.speed:.1f} tok/s, measured {when} at up to {baseline.pair.context:,} prompt tokens "
        f"over {baseline.rounds} rounds."
    )
    found = gain_of(reply, baseline)
    if found is None:
        return f"This reply is too short to compare. {measured}"
    answer = "Yes" if found.pays else "No" if found.loses else "Not clear"
    stats = reply.stats
    even = break_even(stats, baseline)
    k = round(stats.proposed / stats.rounds)
    needed = ""
    if even is not None:
        bound = "no acceptance would be enough" if even > 1 else f"acceptance {even:.3f} would break even"
        needed = f" With blocks of {k}, {bound}; measured {stats.per_position_acceptance:.3f}."
    return f"{answer}: {found.times:.2f}× plain (95 % {found.low:.2f}–{found.high:.2f}).{needed} {measured}"
