"""What the engine thread is told: commands, plain values only."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from draftlens.core.params import SessionParams
from draftlens.core.proof import Prove


@dataclass(frozen=True)
class Request:
    """A reply that is asked for.

    Attributes:
        run: the caller's own number for it; comes back in every event.
        messages: chat turns as (role, content), the last one from the user; or
        prompt: raw text, used as it is when `messages` is empty.
        written: tokens the reply has already, when it is continued; they are part of the context, not of new rounds.
        first_round: index of the first new round, the number of rounds the reply has already.
        forced: the token after those, chosen by a person; it makes a round of its own.
    """

    run: int
    params: SessionParams
    messages: tuple[tuple[str, str], ...] = ()
    prompt: str = ""
    written: tuple[int, ...] = ()
    first_round: int = 0
    forced: int | None = None


@dataclass(frozen=True)
class Load:
    """Load a target and, if given, a draft model; what is loaded already stays until they are ready.

    Attributes:
        target: None is the demo pair, which is fetched if needed.
        first_unload: what is loaded goes first, where the memory does not hold both.
    """

    target: Path | None
    drafter: Path | None = None
    first_unload: bool = False


@dataclass(frozen=True)
class Generate:
    """Start a reply."""

    request: Request


WARM_UP_TOKENS = 8
"""What an arm writes unheard where asked: enough for every kernel of a round to have run before any is timed."""


@dataclass(frozen=True)
class Arm:
    """One side of a comparison: a reply, and the draft model it runs with where that is not the loaded one."""

    request: Request
    draft_model: Path | None = None


@dataclass(frozen=True)
class Compare:
    """Run arms on one target, each with caches of its own; their events are those of replies.

    Attributes:
        run: the caller's own number for the whole, different from those of the arms.
        arms: in the order in which they take their turns.
        interleaved: they take rounds in turn; otherwise one runs after the other.
        warm_up: every arm first runs a few rounds that nobody hears of.
        keep_chat: the chat's own caches stay in memory beside those of the arms.
    """

    run: int
    arms: tuple[Arm, ...]
    interleaved: bool = True
    warm_up: bool = False
    keep_chat: bool = False


@dataclass(frozen=True)
class Stop:
    """End what runs after its round, or the running load at its next step."""


@dataclass(frozen=True)
class Count:
    """Ask how many tokens a chat takes; answered also while a reply runs, between its rounds."""

    ticket: int
    messages: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Quit:
    """End the thread."""


Command = Load | Generate | Compare | Prove | Stop | Count | Quit
