"""What the engine thread tells everyone else: events, plain values only."""

from __future__ import annotations

from dataclasses import dataclass

from draftlens.core.model import ModelInfo
from draftlens.core.proof import Proved, Proving
from draftlens.core.round import FinishReason, Round
from draftlens.core.rules import RuleId


@dataclass(frozen=True)
class Loading:
    """A load goes on. fraction is None where it cannot be known."""

    stage: str
    fraction: float | None = None


@dataclass(frozen=True)
class Loaded:
    """Models are ready.

    Attributes:
        target, drafter: what is loaded.
        drafter_refusal: why the draft model is not used, if it is not.
        warnings: sentences about what is odd but harmless in the folders.
        memory_limit: bytes that the device lets the program keep, None where it does not say.
    """

    target: ModelInfo
    drafter: ModelInfo | None
    drafter_refusal: str | None = None
    warnings: tuple[str, ...] = ()
    memory_limit: int | None = None


@dataclass(frozen=True)
class Unloaded:
    """What was loaded is gone, to make room for what is being loaded."""


@dataclass(frozen=True)
class LoadFailed:
    """Nothing was loaded; what was loaded before is still there, unless it had been unloaded."""

    sentence: str
    next_step: str | None = None


@dataclass(frozen=True)
class Counted:
    """The answer to Count: tokens of the rendered chat, and the longest context."""

    ticket: int
    tokens: int
    context: int


@dataclass(frozen=True)
class Started:
    """A reply begins: what will run, which may differ from what was asked.

    Attributes:
        prompt_tokens: length of the prompt, tokens written before included.
        rule: the rule that will judge.
        drafter: the kind that will draft, "none" for plain decoding.
        note: why speculation will not run, or otherwise than asked; None if as asked.
        seed: the seed that makes the same reply again.
        thinking: the template opened a thinking block that the reply goes on with.
    """

    run: int
    prompt_tokens: int
    rule: RuleId
    drafter: str
    note: str | None
    seed: int
    thinking: bool


@dataclass(frozen=True)
class Prefill:
    """The prompt is being read: done of total tokens, cached of them taken from an earlier reply."""

    run: int
    done: int
    total: int
    cached: int
    ms: float


@dataclass(frozen=True)
class RoundDone:
    """One more round of the reply."""

    run: int
    round: Round


@dataclass(frozen=True)
class Finished:
    """The reply is complete.

    Attributes:
        tail: characters that were held back and are now released.
        shadow_confirmations: how often a paused lookup found its feet again.
        speculation_note: why speculation did not run, or ran otherwise than asked; None if it ran as asked.
        seed: the seed that makes the same reply again.
    """

    run: int
    reason: FinishReason
    tail: str
    shadow_confirmations: int = 0
    speculation_note: str | None = None
    seed: int = 0


@dataclass(frozen=True)
class Failed:
    """The reply ended with an error; what was emitted before it stands."""

    run: int
    sentence: str
    next_step: str | None = None


@dataclass(frozen=True)
class Differed:
    """Two greedy arms part, and what their rows of logits say of it. Pairs belong to (first arm's token, other's).

    Attributes:
        run: the comparison; first, other: the arms' own runs.
        position: of the first token that differs, counted from 0.
        chain: logits after the common text, read one token at a time.
        first_block, other_block: the same logits as each arm saw them, reading blocks of its own width.
        explained: each arm's block alone gives that arm's own token, so the shape of the forwards made the difference.
    """

    run: int
    first: int
    other: int
    position: int
    tokens: tuple[int, int]
    texts: tuple[str, str]
    chain: tuple[float, float]
    first_block: tuple[float, float]
    other_block: tuple[float, float]
    explained: bool


@dataclass(frozen=True)
class Compared:
    """Every arm has ended or was stopped; the sentence says why none began, if none did."""

    run: int
    sentence: str | None = None
    next_step: str | None = None


@dataclass(frozen=True)
class EngineDied:
    """The thread cannot go on; a new one is needed."""

    sentence: str


ReplyEvent = Started | Prefill | RoundDone | Finished | Failed
"""What is heard of one reply; `run` says of which."""
Event = (
    Loading
    | Loaded
    | Unloaded
    | LoadFailed
    | Counted
    | ReplyEvent
    | Differed
    | Compared
    | Proving
    | Proved
    | EngineDied
)


class Cancelled(Exception):
    """A load or fetch was stopped on request."""
