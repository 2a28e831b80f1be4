"""What the window can be doing, what can go wrong, and a turn of the chat."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

from draftlens.bridge.reply import Phase, Reply


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


@dataclass
class Turn:
    """What the user wrote and the reply to it."""

    user: str
    reply: Reply


STATES = {
    Phase.WAITING: State.PREFILL,
    Phase.PREFILL: State.PREFILL,
    Phase.STREAMING: State.STREAMING,
    Phase.STOPPED: State.STOPPED,
    Phase.FAILED: State.FAILED,
}
