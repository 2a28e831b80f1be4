"""The two kinds of failure: one the user can act on, one we have to mend."""

from __future__ import annotations

INTERRUPTED = 130
"""Exit code after Ctrl-C."""


class DraftlensError(Exception):
    """Base of every error raised on purpose."""

    exit_code = 1


class UserError(DraftlensError):
    """Something outside the program is not as it must be: one sentence, and the next step where there is one.

    Args:
        sentence: names the thing and the reason, complete without a traceback.
        next_step: what the user can do about it, a sentence of its own.
    """

    exit_code = 2

    def __init__(self, sentence: str, next_step: str | None = None) -> None:
        self.sentence = sentence
        self.next_step = next_step
        super().__init__(sentence if next_step is None else f"{sentence} {next_step}")


class BadRow(UserError):
    """A row of logits that no token can be taken from: NaN, or every token banned."""

    exit_code = 1


class BugError(DraftlensError):
    """An invariant of ours is broken; the message is for a report, not for the user to solve."""

    exit_code = 70
