"""Is it paying: plain decoding measured on request or when idle, in turn with speculative rounds, and kept."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject, QTimer, Signal

from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.bridge.reply import Reply, not_yet
from draftlens.bridge.state import Problem
from draftlens.core.baseline import Baseline, Gain, Pair, break_even, gain
from draftlens.core.commands import Arm, Compare, Request
from draftlens.core.events import Compared, EngineDied, Failed, RoundDone
from draftlens.core.stats import RunStats

LOG = logging.getLogger("draftlens.bridge")

_RUN = 1 << 41
"""Runs of measurements count from here, beyond those of chats and comparisons."""
_TOKENS = 40
"""Plain tokens measured: a few seconds on a slow machine, and a mean sure to a few percent."""
_IDLE_MS = 20_000
"""Nothing was asked of the engine for so long."""
_IDLE_CONTEXT = 4096
"""A longer prompt is measured on request only: reading it takes long, and the chat's caches stay meanwhile."""


class Measuring(QObject):
    """Owns the measurement that runs; what was measured is the archive's.

    Args:
        when_idle: whether it may begin by itself.
    """

    changed = Signal()

    def __init__(self, bridge: EngineBridge, when_idle: Callable[[], bool], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge, self._when_idle = bridge, when_idle
        self._pair: Pair | None = None
        self._aside = False
        self._replied = False
        self._tried: set[Pair] = set()
        self.idle = QTimer(self, singleShot=True, interval=_IDLE_MS)
        self.idle.timeout.connect(self._on_idle)
        bridge.stateChanged.connect(self._wait)
        bridge.counted.connect(self._wait)
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
        self._begin(reply, aside=False)

    def _wait(self) -> None:
        """What is typed, sent or loaded puts it off; it takes a reply of this session to be due."""
        self._replied |= self._bridge.run is not None
        self.idle.stop()
        if self._replied and self._bridge.can_load and not self.running:
            self.idle.start()

    def _on_idle(self) -> None:
        self._replied = False
        reply = self._bridge.reply
        pair = None if reply is None or not reply.stats.rounds else self.pair_of(reply)
        if reply is None or pair is None or pair.context > _IDLE_CONTEXT or pair in self._tried:
            return
        if self._when_idle() and self.baseline(reply) is None:
            self._begin(reply, aside=True)

    def _begin(self, reply: Reply, *, aside: bool) -> None:
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
        self._pair, self._stats, self._aside = pair, RunStats(), aside
        start = self._bridge.do_aside if aside else self._bridge.compare
        start(Compare(self._run, arms, warm_up=True, keep_chat=aside), "Measuring plain decoding")
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
        assert pair is not None
        if self._aside:
            ended_early = not self._bridge.aside
            if ended_early:
                self.changed.emit()
                return
            self._tried.add(pair)
            self._bridge.end_aside()
        else:
            self._bridge.end_comparing()
        found = Baseline.of(pair, self._stats, time.time())
        if problem is not None:
            self._report(problem)
        elif found is None:
            self._report("Too few plain tokens were decoded to measure anything; nothing was kept.")
        else:
            self._known[pair] = found
            self._bridge.archive.keep_baseline(found)
        self.changed.emit()

    def _report(self, sentence: str) -> None:
        if self._aside:
            # Nobody asked: the tile goes on saying that there is no baseline.
            LOG.info("plain decoding was not measured: %s", sentence)
        else:
            self._bridge.report(Problem("Plain decoding was not measured", sentence, warning=True))


def gain_of(reply: Reply | None, baseline: Baseline | None) -> Gain | None:
    """How a reply's speed compares with plain decoding, None where either was not measured."""
    return None if reply is None or baseline is None else gain(reply.stats, baseline)


def tile_words(reply: Reply | None, baseline: Baseline | None) -> str:
    """The note of the speed tile."""
    found = gain_of(reply, baseline)
    if found is not None:
        return f"{found.times:.1f}× plain"
    return "no plain baseline" if baseline is None and reply is not None and reply.stats.rounds else ""


def paying_words(reply: Reply | None, baseline: Baseline | None, *, running: bool) -> str:
    """The sentence that answers "Is it paying?"."""
    if running:
        return "Measuring plain decoding, its rounds in turn with speculative ones…"
    if waits := not_yet(reply):
        return waits
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
