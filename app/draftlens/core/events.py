"""What crosses between the engine thread and everyone else: commands in, events out, plain values only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from draftlens.core.params import SessionParams
from draftlens.core.round import FinishReason, Round
from draftlens.core.rules import RuleId


@dataclass(frozen=True)
class ModelInfo:
    """What is loaded, for showing.

    Attributes:
        name: folder name.
        path: the folder.
        vocabulary: number of token ids that can be drawn.
        context: longest context in tokens.
        weights_bytes: size of the weights in memory.
        rewind_refusal: why its caches cannot be rolled back, None if they can.
        has_chat_template: whether messages can be rendered.
    """

    name: str
    path: Path
    vocabulary: int
    context: int
    weights_bytes: int
    rewind_refusal: str | None
    has_chat_template: bool


@dataclass(frozen=True)
class Folder:
    """A model folder that was judged fit to load.

    Attributes:
        path: the folder.
        weight_files: the files that hold its weights; others beside them are not read.
        loads_as: the architecture name to load it under, None for the config's own.
        warnings: sentences about what is odd but harmless.
    """

    path: Path
    weight_files: tuple[Path, ...]
    loads_as: str | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class Request:
    """A reply that is asked for.

    Attributes:
        run: the caller's own number for it; comes back in every event.
        messages: chat turns as (role, content), the last one from the user; or
        prompt: raw text, used as it is when `messages` is empty.
        written: tokens the reply has already, when it is continued; they are part of the context, not of new rounds.
        first_round: index of the first new round, the number of rounds the reply has already.
    """

    run: int
    params: SessionParams
    messages: tuple[tuple[str, str], ...] = ()
    prompt: str = ""
    written: tuple[int, ...] = ()
    first_round: int = 0


@dataclass(frozen=True)
class Load:
    """Load a target and, if given, a draft model; what is loaded already stays."""

    target: Path | None
    """None is the demo pair, which is fetched if needed."""
    drafter: Path | None = None


@dataclass(frozen=True)
class Generate:
    """Start a reply."""

    request: Request


@dataclass(frozen=True)
class Stop:
    """End the running reply after its round, or the running load at its next step."""


@dataclass(frozen=True)
class Count:
    """Ask how many tokens a chat takes; answered also while a reply runs, between its rounds."""

    ticket: int
    messages: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Quit:
    """End the thread."""


Command = Load | Generate | Stop | Count | Quit


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
    """

    target: ModelInfo
    drafter: ModelInfo | None
    drafter_refusal: str | None = None
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True)
class LoadFailed:
    """Nothing was loaded; what was loaded before is still there."""

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
class EngineDied:
    """The thread cannot go on; a new one is needed."""

    sentence: str


Event = Loading | Loaded | LoadFailed | Counted | Started | Prefill | RoundDone | Finished | Failed | EngineDied


class Engine(Protocol):
    """What the engine thread needs of an engine; every call happens on that one thread."""

    def load(
        self,
        target: Path,
        drafter: Path | None,
        report: Callable[[Loading], None],
        cancelled: Callable[[], bool],
    ) -> Loaded:
        """Load models.

        Raises:
            UserError: with the sentence to show.
            Cancelled: the load was cancelled.
        """
        ...

    def reply(
        self,
        request: Request,
        emit: Callable[[Started | Prefill | RoundDone], None],
        cancelled: Callable[[], bool],
    ) -> Finished:
        """Run a reply to its end; `cancelled` is asked between rounds and between prefill chunks.

        Raises:
            UserError: with the sentence to show.
        """
        ...

    def count(self, messages: Sequence[tuple[str, str]]) -> tuple[int, int]:
        """Return how many tokens the rendered messages take, and the longest context.

        Raises:
            UserError: nothing is loaded, or the template refuses the messages.
        """
        ...

    def close(self) -> None:
        """Free everything MLX holds; the thread ends after it."""
        ...


class Cancelled(Exception):
    """A load or fetch was stopped on request."""


@dataclass
class Provenance:
    """Where each character of a reply came from, built from its rounds: (start, end, round, index in round)."""

    spans: list[tuple[int, int, int, int]] = field(default_factory=list)
    length: int = 0

    def add(self, round_: Round) -> None:
        """Append the spans of one more round's tokens."""
        for i, token in enumerate(round_.emitted):
            end = self.length + len(token.text)
            if token.text:
                self.spans.append((self.length, end, round_.index, i))
            self.length = end
