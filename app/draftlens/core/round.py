"""The Round: one block of proposals, its verdict, and what was emitted. Plain values only.

A reply is a sequence of rounds. The first holds the token drawn from the prompt's last row (`source` prefill,
nothing drafted); a round without proposals is a plain step; every other round is one verify forward.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

from draftlens.core.rules import RuleId

ROUND_VERSION = 1


class Fate(StrEnum):
    """What became of a proposal."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    UNTESTED = "untested"


class Source(StrEnum):
    """Where an emitted token came from; forced is a person's own choice."""

    PREFILL = "prefill"
    PLAIN = "plain"
    DRAFT = "draft"
    RESIDUAL = "residual"
    TARGET = "target"
    BONUS = "bonus"
    FORCED = "forced"


class FinishReason(StrEnum):
    """Why a reply ended."""

    END_OF_TEXT = "end of text"
    STOP_STRING = "stop string"
    LENGTH = "length"
    CONTEXT = "context full"
    STOPPED = "stopped"


@dataclass(frozen=True, slots=True)
class Candidates:
    """The most likely tokens of a row under p, with q beside, taken inside the round's eval.

    Attributes:
        tokens: ids by falling p; the proposal and the token drawn here are among them, however unlikely.
        p: target probability of each.
        q: drafter probability of each, or None where nothing was drafted.
        texts: each token on its own, for reading; empty in records that did not keep them.
    """

    tokens: tuple[int, ...]
    p: tuple[float, ...]
    q: tuple[float, ...] | None
    texts: tuple[str, ...] = ()

    def text(self, place: int) -> str:
        """The token at a place, by its id if its text was not kept."""
        return self.texts[place] if place < len(self.texts) else f"#{self.tokens[place]}"


@dataclass(frozen=True, slots=True)
class Proposed:
    """A drafted token and its test. Figures of an untested position are None.

    Attributes:
        token: id the drafter proposed.
        text: the token on its own, for reading.
        q: probability the drafter drew it with; 1 for a deterministic proposal.
        p: target probability at this position, after the whole sampling chain.
        u: the uniform of the accept test; None for rules that draw the target's token instead.
        drawn: what the target drew (sampler-match) or its argmax (greedy); None for the stochastic rule.
        sum_min: closed form sum over x of min(p, q), the stochastic rule's expected acceptance.
        sum_prod: closed form sum over x of p * q, sampler-match's expected acceptance.
        expected: the running rule's own closed form at this position.
        fate: accepted, rejected or untested.
        candidates: a snapshot of the row, where the settings keep one.
    """

    token: int
    text: str
    q: float | None
    p: float | None
    u: float | None
    drawn: int | None
    sum_min: float | None
    sum_prod: float | None
    expected: float | None
    fate: Fate
    candidates: Candidates | None = None


@dataclass(frozen=True, slots=True)
class Emitted:
    """A token that became part of the reply.

    Attributes:
        token: its id.
        text: the characters it completed; empty while a multi-byte character is unfinished.
        source: how it came about.
        p: target probability it was drawn with or accepted at.
        w: the uniform of the draw, None where nothing was drawn.
    """

    token: int
    text: str
    source: Source
    p: float | None
    w: float | None


@dataclass(frozen=True, slots=True)
class Timings:
    """Wall times of a round in milliseconds, in the order they pass.

    draft: the proposals; verify: the target's forward; judge: probabilities, tests, draws, snapshots;
    other: roll-back, text and bookkeeping.
    """

    draft: float = 0.0
    verify: float = 0.0
    judge: float = 0.0
    other: float = 0.0

    @property
    def total(self) -> float:
        """Milliseconds from the start of the round to its record."""
        return self.draft + self.verify + self.judge + self.other


@dataclass(frozen=True, slots=True)
class Round:
    """One turn of propose, verify, judge, commit.

    Attributes:
        index: 0 for the prefill token, then counting up.
        position: reply tokens emitted before this round.
        context: tokens in the context before this round, prompt included.
        rule: the rule that judged it.
        drafter: kind of drafter that proposed, "none" for a plain step.
        proposals: the block, up to and including an end-of-text proposal.
        emitted: what the reply gained, without an end-of-text token.
        next: the draw after the accepted prefix (residual, target, bonus, plain or prefill); None if the reply ended
            inside the prefix. It is also the last of `emitted` unless it was end of text or cut by a stop string.
        text: characters released for display by this round (a possible beginning of a stop string is held back).
        finish: why the reply ended with this round, else None.
        paused: the drafter's governor decided to propose nothing.
        timings: see Timings.
    """

    index: int
    position: int
    context: int
    rule: RuleId
    drafter: str
    proposals: tuple[Proposed, ...]
    emitted: tuple[Emitted, ...]
    next: Emitted | None
    text: str
    finish: FinishReason | None
    paused: bool
    timings: Timings
    next_candidates: Candidates | None = None
    version: int = ROUND_VERSION

    @property
    def forward(self) -> bool:
        """Whether it took a forward of the target after the prompt: all do but the first, and a forced token."""
        return self.next is None or self.next.source not in (Source.PREFILL, Source.FORCED)

    @property
    def drafted(self) -> int:
        """Number of proposals."""
        return len(self.proposals)

    @property
    def tested(self) -> int:
        """Number of proposals the rule looked at."""
        return sum(p.fate is not Fate.UNTESTED for p in self.proposals)

    @property
    def accepted(self) -> int:
        """Number of proposals that survived."""
        return sum(p.fate is Fate.ACCEPTED for p in self.proposals)

    def to_json(self) -> dict[str, Any]:
        """Return the round as JSON values; `from_json` reads it back."""
        return asdict(self)

    @staticmethod
    def from_json(data: dict[str, Any]) -> Round:
        """Rebuild a round written by `to_json`.

        Raises:
            ValueError: the record was written by a newer version.
        """
        if data.get("version") != ROUND_VERSION:
            raise ValueError(f"round record version {data.get('version')} is not {ROUND_VERSION}")
        return Round(
            index=data["index"],
            position=data["position"],
            context=data["context"],
            rule=RuleId(data["rule"]),
            drafter=data["drafter"],
            proposals=tuple(_proposed(p) for p in data["proposals"]),
            emitted=tuple(_emitted(e) for e in data["emitted"]),
            next=None if data["next"] is None else _emitted(data["next"]),
            text=data["text"],
            finish=None if data["finish"] is None else FinishReason(data["finish"]),
            paused=data["paused"],
            timings=Timings(**data["timings"]),
            next_candidates=_candidates(data["next_candidates"]),
        )


def _proposed(data: dict[str, Any]) -> Proposed:
    return Proposed(**{**data, "fate": Fate(data["fate"]), "candidates": _candidates(data["candidates"])})


def _emitted(data: dict[str, Any]) -> Emitted:
    return Emitted(**{**data, "source": Source(data["source"])})


def _candidates(data: dict[str, Any] | None) -> Candidates | None:
    if data is None:
        return None
    q = data["q"]
    texts = tuple(data.get("texts", ()))
    return Candidates(tuple(data["tokens"]), tuple(data["p"]), None if q is None else tuple(q), texts)
