"""How far a download is, and how long it goes on trying."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from draftlens.core.errors import UserError


class State(StrEnum):
    """How far a download is; `stalled` is told by `Progress` beside it."""

    QUEUED = "queued"
    DOWNLOADING = "downloading"
    PAUSED = "paused"
    VERIFYING = "verifying"
    DONE = "done"
    FAILED = "failed"

    @property
    def active(self) -> bool:
        return self in (State.DOWNLOADING, State.VERIFYING)


@dataclass(frozen=True)
class Patience:
    """How long to go on trying: pauses double from `first` to `longest` seconds, `tries` times without a new byte."""

    tries: int = 6
    first: float = 1.0
    longest: float = 30.0
    silence: float = 60.0


@dataclass(frozen=True)
class Progress:
    """A download as it is shown.

    Attributes:
        rate: bytes a second over the last seconds, None while it cannot be told.
        left: seconds left at that rate.
        stalled: no byte has come for a while.
        problem: why it failed, with the next step; while it goes on, what hinders it until the next try.
    """

    state: State
    done: int
    total: int
    rate: float | None = None
    left: float | None = None
    stalled: bool = False
    problem: UserError | None = None
