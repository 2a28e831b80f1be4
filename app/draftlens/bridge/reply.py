"""One reply as it grows: its rounds, its figures, and each displayed character's origin."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto

from draftlens.core.events import Failed, Finished, Prefill, Provenance
from draftlens.core.params import SessionParams
from draftlens.core.round import FinishReason, Round, Source
from draftlens.core.stats import RunStats


class Phase(Enum):
    """How far a reply is."""

    WAITING = auto()
    PREFILL = auto()
    STREAMING = auto()
    DONE = auto()
    STOPPED = auto()
    FAILED = auto()

    @property
    def running(self) -> bool:
        """Whether more is to come."""
        return self in (Phase.WAITING, Phase.PREFILL, Phase.STREAMING)


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
        seed: the seed that makes the same reply again, known at its end.
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
    _provenance: Provenance = field(default_factory=Provenance)
    _shown: int = 0
    _span: int = 0

    @property
    def text(self) -> str:
        """The displayed text."""
        return "".join(piece.text for piece in self.pieces)

    @property
    def finish(self) -> FinishReason | None:
        """Why it ended, None while it runs or if it failed."""
        return self.stats.finish

    def read(self, event: Prefill) -> None:
        """The prompt is being read."""
        self.phase = Phase.PREFILL
        self.prefill = event
        self.stats.prompt_tokens = event.total
        self.stats.cached_tokens = event.cached
        self.stats.prompt_ms = event.ms

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
        while taken < len(text) and self._span < len(spans):
            _, end, index, position = spans[self._span]
            length = min(end - self._shown, len(text) - taken)
            if length > 0:
                source = self.rounds[index - self.rounds[0].index].emitted[position].source
                self.pieces.append(Piece(text[taken : taken + length], source, index, position))
                taken += length
                self._shown += length
            if self._shown >= end:
                self._span += 1
        if taken < len(text):
            self.pieces.append(Piece(text[taken:], Source.PLAIN, self.rounds[-1].index if self.rounds else 0, 0))
            self._shown += len(text) - taken
