"""What the window can be doing, and what can go wrong."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from draftlens.bridge.reply import Phase


class State(Enum):
    """What the window is doing."""

    NO_MODEL = auto()
    LOADING = auto()
    READY = auto()
    PREFILL = auto()
    STREAMING = auto()
    STOPPED = auto()
    FAILED = auto()


@dataclass(frozen=True)
class Problem:
    """Something the user should know, with what it left untouched.

    Attributes:
        title: what failed.
        detail: the reason and the next step.
        can_retry: whether loading the same folders again may help.
        warning: it works, though not as asked.
    """

    title: str
    detail: str
    can_retry: bool = False
    warning: bool = False


STATES = {
    Phase.WAITING: State.PREFILL,
    Phase.PREFILL: State.PREFILL,
    Phase.STREAMING: State.STREAMING,
    Phase.STOPPED: State.STOPPED,
    Phase.INTERRUPTED: State.STOPPED,
    Phase.FAILED: State.FAILED,
}
