"""A comparison as it grows: every arm's reply in every trial, filled from the engine's events or from a file."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from draftlens.compare.metrics import Mark, mark
from draftlens.compare.plan import Plan, Trial
from draftlens.core.commands import Request
from draftlens.core.events import Differed, Failed, Finished, Prefill, ReplyEvent, RoundDone, Started
from draftlens.core.round import FinishReason, Round
from draftlens.core.stats import RunStats


@dataclass
class ArmReply:
    """One arm's reply in one trial.

    Attributes:
        error: why it failed.
        text: what is shown of it.
        marks: the totals after every round that took a forward of the target.
    """

    started: Started | None = None
    rounds: list[Round] = field(default_factory=list)
    stats: RunStats = field(default_factory=RunStats)
    end: Finished | None = None
    error: Failed | None = None
    text: str = ""
    marks: list[Mark] = field(default_factory=list)

    @property
    def finish(self) -> FinishReason | None:
        """Why it ended, None while it runs or if it failed."""
        return None if self.end is None else self.end.reason

    @property
    def over(self) -> bool:
        """Whether it came to its end; one that was stopped can go on."""
        return self.error is not None or self.finish not in (None, FinishReason.STOPPED)

    @property
    def tokens(self) -> tuple[int, ...]:
        """Its token ids."""
        return tuple(e.token for r in self.rounds for e in r.emitted)

    def take(self, event: ReplyEvent) -> None:
        """Apply an event; a prompt read again to go on is no measurement of the first one."""
        match event:
            case Started():
                self.started, self.end, self.error = event, None, None
            case Prefill():
                if not self.rounds or self.rounds[-1].index == 0:
                    self.stats.prefill(event.total, event.cached, event.ms)
            case RoundDone():
                self.rounds.append(event.round)
                self.stats.add(event.round)
                if event.round.forward:
                    self.marks.append(mark(self.stats))
                self.text += event.round.text
            case Finished():
                self.end, self.stats.finish = event, event.reason
                self.text += event.tail
            case Failed():
                self.error = event

    def events(self) -> Iterator[ReplyEvent]:
        """The events that make this reply again."""
        if self.started is None:
            return
        yield self.started
        stats = self.stats
        if stats.prompt_ms:
            total = stats.prompt_tokens + stats.cached_tokens
            yield Prefill(self.started.run, total, total, stats.cached_tokens, stats.prompt_ms)
        for made in self.rounds:
            yield RoundDone(self.started.run, made)
        if self.error is not None:
            yield self.error
        elif self.end is not None:
            yield replace(self.end, tail=self.text[sum(len(made.text) for made in self.rounds) :])


@dataclass
class Comparison:
    """A plan and what has been run of it.

    Attributes:
        about: versions, machine, models and date, as JSON values.
        differences: where greedy arms part, by trial.
    """

    plan: Plan
    about: dict[str, object]
    replies: dict[tuple[int, int], ArmReply] = field(default_factory=dict)
    differences: dict[int, list[Differed]] = field(default_factory=dict)
    _totals: dict[int, tuple[tuple[int, ...], RunStats]] = field(default_factory=dict, repr=False, compare=False)

    def reply(self, trial: int, arm: int) -> ArmReply:
        """An arm's reply in a trial, empty if it has not begun."""
        return self.replies.setdefault((trial, arm), ArmReply())

    def take(self, trial: int, arm: int, event: ReplyEvent) -> None:
        """Apply an event of an arm."""
        self.reply(trial, arm).take(event)

    def differ(self, trial: int, event: Differed) -> None:
        """Apply what the engine found out about two greedy arms; `first` and `other` are arms here."""
        self.differences.setdefault(trial, []).append(event)

    def total(self, arm: int, trials: Sequence[int]) -> RunStats:
        """An arm's figures over some trials, their rounds in order; its time to the first token is the mean.

        What was counted before is kept: a comparison of many trials is counted once, not once a second.
        """
        if len(trials) == 1:
            return self.reply(trials[0], arm).stats
        known, stats = self._totals.get(arm, ((), RunStats()))
        if tuple(trials[: len(known)]) != known:
            known, stats = (), RunStats()
        if len(trials) > len(known):
            stats = copy.deepcopy(stats)
            for trial in trials[len(known) :]:
                for made in self.reply(trial, arm).rounds:
                    stats.add(made)
            times = [ms for trial in trials if (ms := self.reply(trial, arm).stats.prompt_ms)]
            stats.prompt_ms = sum(times) / len(times) if times else 0.0
            self._totals[arm] = (tuple(trials), stats)
        return stats

    @property
    def remaining(self) -> Iterator[Trial]:
        """Trials that an arm has not come to the end of."""
        arms = range(len(self.plan.arms))
        return (t for t in self.plan.trials if not all(self.reply(t.index, arm).over for arm in arms))

    @property
    def begun(self) -> list[int]:
        """Trials in which every arm has at least one round after the first token, oldest first."""
        arms = range(len(self.plan.arms))
        return [t.index for t in self.plan.trials if all(len(self.reply(t.index, a).rounds) > 1 for a in arms)]

    @property
    def complete(self) -> list[int]:
        """Trials that every arm came to the end of, without an error."""
        arms = range(len(self.plan.arms))
        return [
            t.index
            for t in self.plan.trials
            if all((r := self.reply(t.index, a)).over and r.error is None for a in arms)
        ]

    @property
    def done(self) -> float:
        """How much of the plan has been run, 0 to 1, in tokens at most written."""
        share = 0.0
        for trial in self.plan.trials:
            for arm, settings in enumerate(self.plan.arms):
                reply = self.reply(trial.index, arm)
                share += 1 if reply.over else min(1.0, reply.stats.generated / max(1, settings.params.max_tokens))
        return share / (self.plan.count * len(self.plan.arms))

    def request(self, trial: Trial, arm: int, run: int) -> Request:
        """What the engine is asked for an arm: its reply, or what is missing of it."""
        params, prompt, reply = (
            self.plan.params(trial, arm),
            self.plan.prompts[trial.prompt],
            self.reply(trial.index, arm),
        )
        written = reply.tokens
        return Request(
            run=run,
            params=replace(params, max_tokens=max(0, params.max_tokens - len(written))),
            messages=prompt.messages,
            prompt=prompt.raw,
            written=written,
            first_round=len(reply.rounds),
        )
