"""One reply, growing or read back: its rounds, its figures, and each displayed character's origin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import Enum, auto

from draftlens.core.chat import Message, Status
from draftlens.core.events import Failed, Finished, Prefill, ReplyEvent, RoundDone, Started
from draftlens.core.params import SessionParams
from draftlens.core.provenance import Provenance
from draftlens.core.round import FinishReason, Round, Source
from draftlens.core.stats import RunStats
from draftlens.store.records import RunRecord


class Phase(Enum):
    """How far a reply is."""

    WAITING = auto()
    PREFILL = auto()
    STREAMING = auto()
    DONE = auto()
    STOPPED = auto()
    INTERRUPTED = auto()
    FAILED = auto()

    @property
    def running(self) -> bool:
        """Whether more is to come."""
        return self in (Phase.WAITING, Phase.PREFILL, Phase.STREAMING)


PHASES = {
    Status.COMPLETE: Phase.DONE,
    Status.STREAMING: Phase.INTERRUPTED,
    Status.STOPPED: Phase.STOPPED,
    Status.INTERRUPTED: Phase.INTERRUPTED,
    Status.FAILED: Phase.FAILED,
}


@dataclass(frozen=True, slots=True)
class Piece:
    """Displayed characters of one token: a token that was held back in part arrives as two pieces."""

    text: str
    source: Source
    round: int
    index: int


@dataclass
class Reply:
    """A reply and everything that is known of it.

    Attributes:
        pieces: the displayed text, token by token; only ever appended to.
        note: why speculation did not run, or ran otherwise than asked.
        seed: the seed that makes the same reply again.
        started: what the engine said would run.
        thinking: the template opened a thinking block that the reply goes on with.
        before: characters it had when it was continued.
        message: id of the message it is the text of.
    """

    run: int
    params: SessionParams
    model: str
    phase: Phase = Phase.WAITING
    rounds: list[Round] = field(default_factory=list)
    stats: RunStats = field(default_factory=RunStats)
    pieces: list[Piece] = field(default_factory=list)
    prefill: Prefill | None = None
    note: str | None = None
    seed: int | None = None
    error: Failed | None = None
    shadow_confirmations: int = 0
    started: Started | None = None
    thinking: bool = False
    message: str = ""
    before: int = 0
    _provenance: Provenance = field(default_factory=Provenance)
    _shown: int = 0
    _span: int = 0
    _text: str = ""
    _joined: int = 0

    @property
    def text(self) -> str:
        """The displayed text."""
        if self._joined < len(self.pieces):
            self._text += "".join(piece.text for piece in self.pieces[self._joined :])
            self._joined = len(self.pieces)
        return self._text

    @property
    def finish(self) -> FinishReason | None:
        """Why it ended, None while it runs or if it failed."""
        return self.stats.finish

    @property
    def tokens(self) -> tuple[int, ...]:
        """The token ids it consists of, to continue it."""
        return tuple(token.token for round_ in self.rounds for token in round_.emitted)

    @property
    def zero_rounds(self) -> str | None:
        """Why speculation was on and no verify round ran; None if one ran, or none was wanted."""
        over = self.phase in (Phase.DONE, Phase.STOPPED)
        if not over or self.params.drafter == "none" or self.stats.rounds or self.stats.generated < 2:
            return None
        if self.note:
            return self.note.rstrip(".")
        if self.params.drafter == "prompt-lookup":
            return "prompt lookup found nothing to copy"
        return "the drafter proposed nothing"

    @staticmethod
    def stored(message: Message, records: Sequence[RunRecord]) -> Reply:
        """Rebuild a reply from what was kept; its text counts, also where rounds are missing."""
        run = message.run
        params = SessionParams() if run is None else run.params
        reply = Reply(0, params, (run.model if run else "Reply"), message=message.id)
        for record in records:
            reply._show(message.content[len(reply.text) : record.start])
            kept = record.summary
            reply.params = kept.params
            if kept.prompt_ms:
                reply.stats.prefill(kept.prompt_tokens, kept.cached_tokens, kept.prompt_ms)
            for round_ in record.rounds:
                reply.add(round_)
            reply.note, reply.seed = kept.note, kept.seed
            reply.thinking |= kept.thinking
            reply.shadow_confirmations += kept.shadow_confirmations
            reply.stats.finish = kept.finish
        reply._show(message.content[len(reply.text) :])
        reply.phase = PHASES[message.status]
        if message.error is not None:
            reply.error = Failed(0, message.error)
        return reply

    def take(self, event: ReplyEvent) -> None:
        """Apply an event of the engine."""
        match event:
            case Started():
                self.start(event)
            case Prefill():
                self.read(event)
            case RoundDone():
                self.add(event.round)
            case Finished():
                self.end(event)
            case Failed():
                self.fail(event)

    def start(self, event: Started) -> None:
        """The engine says what runs."""
        self.started = event
        self.note, self.seed = event.note, event.seed
        self.thinking = self.thinking or event.thinking

    def resume(self, run: int, params: SessionParams) -> None:
        """It goes on where it was stopped."""
        self.run, self.params, self.before = run, params, len(self.text)
        self.phase, self.error, self.stats.finish = Phase.WAITING, None, None

    def keep(self, rounds: Sequence[Round]) -> None:
        """It begins with rounds of the reply it branches from."""
        for round_ in rounds:
            self.add(round_)
        self.before, self.phase = len(self.text), Phase.WAITING

    def interrupt(self) -> None:
        """The program or the engine ended before it."""
        self.phase = Phase.INTERRUPTED

    def read(self, event: Prefill) -> None:
        """The prompt is being read."""
        self.phase = Phase.PREFILL
        self.prefill = event
        self.stats.prefill(event.total, event.cached, event.ms)

    def add(self, round_: Round) -> None:
        """One more round has been run."""
        self.phase = Phase.STREAMING
        self.rounds.append(round_)
        self.stats.add(round_)
        self._provenance.add(round_)
        self._show(round_.text)

    def end(self, event: Finished) -> None:
        """It is complete, or was stopped."""
        self.phase = Phase.STOPPED if event.reason is FinishReason.STOPPED else Phase.DONE
        self.stats.finish = event.reason
        self.note = event.speculation_note
        self.seed = event.seed
        self.shadow_confirmations = event.shadow_confirmations
        self._show(event.tail)

    def fail(self, event: Failed) -> None:
        """It ended with an error; what was emitted stands."""
        self.phase = Phase.FAILED
        self.error = event

    def _show(self, text: str) -> None:
        """Cut newly displayed characters at the tokens' borders: display may lag behind the tokens, never lead."""
        spans = self._provenance.spans
        taken = 0
        first = self.rounds[0].index if self.rounds else 0
        while taken < len(text) and self._span < len(spans):
            _, end, index, position = spans[self._span]
            length = min(end - self._shown, len(text) - taken)
            if length > 0:
                source = self.rounds[index - first].emitted[position].source
                self.pieces.append(Piece(text[taken : taken + length], source, index, position))
                taken += length
                self._shown += length
            if self._shown >= end:
                self._span += 1
        if taken < len(text):
            self.pieces.append(Piece(text[taken:], Source.PLAIN, self.rounds[-1].index if self.rounds else 0, 0))
            self._shown += len(text) - taken


def not_yet(reply: Reply | None) -> str:
    """Why there are no figures yet, in a sentence; empty once a round may be missing for another reason."""
    if reply is None:
        return "Send a prompt: its rounds are measured here."
    if reply.phase in (Phase.WAITING, Phase.PREFILL):
        return "The prompt is being read; its rounds are measured here."
    return ""
