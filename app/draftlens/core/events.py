"""What crosses between the engine thread and everyone else: commands in, events out, plain values only."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from draftlens.core.params import SessionParams
from draftlens.core.proof import Prove, Proved, Proving
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
        title: its name where that is not the folder's, as in a cache of snapshots.
    """

    path: Path
    weight_files: tuple[Path, ...]
    loads_as: str | None = None
    warnings: tuple[str, ...] = ()
    title: str = ""

    @property
    def name(self) -> str:
        """What people call it."""
        return self.title or self.path.name


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
