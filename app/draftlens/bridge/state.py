"""What the window can be doing, and what can go wrong."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum, auto

from draftlens.bridge.reply import Phase

Step = tuple[str, Callable[[], None]]
"""What a button says, and what it does."""


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
        stays: a load does not take it away, as it is about something else.
        steps: what can be done about it, the safe one first; two at most.
    """

    title: str
    detail: str
    can_retry: bool = False
    warning: bool = False
    stays: bool = False
    steps: tuple[Step, ...] = field(default=(), compare=False)

    def behind(self, shown: Problem | None) -> Problem:
        """This, together with a notice that is shown and that it would push aside unread."""
        if shown is None or not shown.stays or not self.warning or shown.title == self.title:
            return self
        return replace(shown, detail=f"{shown.detail} {self.title}: {self.detail}")


def joined(sentence: str, next_step: str | None) -> str:
    """A sentence and what to do next."""
    return sentence if next_step is None else f"{sentence} {next_step}"


STATES = {
    Phase.WAITING: State.PREFILL,
    Phase.PREFILL: State.PREFILL,
    Phase.STREAMING: State.STREAMING,
    Phase.STOPPED: State.STOPPED,
    Phase.INTERRUPTED: State.STOPPED,
    Phase.FAILED: State.FAILED,
}
