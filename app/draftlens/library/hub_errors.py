"""What can go wrong between this computer and the hub, each kind with its sentence and its next step."""

from __future__ import annotations

from enum import Enum, auto

from draftlens.core.errors import UserError


class Trouble(Enum):
    """The kinds that are told apart."""

    OFFLINE = auto()
    LOST = auto()
    GATED = auto()
    BAD_TOKEN = auto()
    PRIVATE = auto()
    MISSING = auto()
    FILE_GONE = auto()
    BUSY = auto()
    SERVER = auto()
    RANGE = auto()
    LENGTH = auto()
    CHANGED = auto()
    HASH = auto()
    REDIRECTS = auto()
    ODD = auto()


PASSING = frozenset({Trouble.OFFLINE, Trouble.LOST, Trouble.BUSY, Trouble.SERVER, Trouble.RANGE})
"""What may be over after a while: tried again with growing pauses."""


class HubError(UserError):
    """Something about the hub, told in a sentence; `trouble` is for the program to act on.

    Args:
        wait: seconds that the hub asked to wait, where it did.
    """

    exit_code = 1

    def __init__(self, trouble: Trouble, what: str, detail: str = "", wait: float | None = None) -> None:
        self.trouble = trouble
        self.wait = wait
        sentence, step = _WORDS[trouble]
        super().__init__(sentence.format(what=what, detail=detail), step.format(what=what) or None)

    def point_to(self, page: str) -> None:
        """Where the next step is to be done on the model's page, give its address."""
        if self.trouble is Trouble.GATED and page not in str(self):
            self.next_step = f"{self.next_step} Its page is {page}"
            self.args = (f"{self.sentence} {self.next_step}",)


def from_status(status: int, code: str, what: str, *, with_token: bool, wait: float | None = None) -> HubError:
    """The error for an HTTP status and the hub's own error code.

    Args:
        what: the repository or file asked for.
        with_token: whether a token was sent, and was therefore not enough.
    """
    if code == "GatedRepo" or status == 403:
        # Not one file is, the whole model is.
        return HubError(Trouble.GATED, what.rpartition(" of ")[2])
    if code == "EntryNotFound":
        return HubError(Trouble.FILE_GONE, what)
    if code == "RevisionNotFound":
        return HubError(Trouble.CHANGED, what)
    if code == "RepoNotFound" or status == 404:
        return HubError(Trouble.MISSING, what)
    if status == 401:
        return HubError(Trouble.BAD_TOKEN if with_token else Trouble.PRIVATE, what)
    if status == 416:
        return HubError(Trouble.RANGE, what)
    if status == 429:
        return HubError(Trouble.BUSY, what, wait=wait)
    if status >= 500:
        return HubError(Trouble.SERVER, what, str(status), wait=wait)
    return HubError(Trouble.ODD, what, str(status))


_PAGE = "Open the model's page on the hub in a browser, accept its conditions, and give a token under Models."
_WORDS = {
    Trouble.OFFLINE: (
        "The hub cannot be reached, so {what} could not be asked for.",
        "Connect to the network and try again; models on this computer work without it.",
    ),
    Trouble.LOST: ("The connection was lost while {what} was being fetched; the part on disk is kept.", "Resume it."),
    Trouble.GATED: ("{what} is gated: its owner must let you in first.", _PAGE),
    Trouble.BAD_TOKEN: (
        "The hub does not accept the token for {what}.",
        "Check that the token has not expired and may read this model, or remove it under Models.",
    ),
    Trouble.PRIVATE: ("{what} is private, or does not exist.", "Check the spelling, or give a token under Models."),
    Trouble.MISSING: ("There is no model called {what} on the hub.", "Check the spelling of owner and name."),
    Trouble.FILE_GONE: ("{what} is not on the hub any more.", "Search for the model again; it may have changed."),
    Trouble.BUSY: ("The hub asks to slow down and did not send {what}.", "Wait a few minutes and resume."),
    Trouble.SERVER: ("The hub has trouble of its own ({detail}) and did not send {what}.", "Try again later."),
    Trouble.RANGE: ("The hub would not continue {what} where it stopped.", "Resume it; the file is begun again."),
    Trouble.LENGTH: ("{what} has another length than announced ({detail}).", "Cancel it and fetch it again."),
    Trouble.CHANGED: (
        "{what} has changed on the hub since its download began.",
        "Cancel this download and start it again to get the new revision.",
    ),
    Trouble.HASH: (
        "{what} arrived damaged twice: its content is not what the hub's hash says.",
        "Try again, on another network if it happens again; nothing of it was used.",
    ),
    Trouble.REDIRECTS: ("The hub sent us in circles for {what}.", "Try again later."),
    Trouble.ODD: ("The hub answered {detail} for {what}.", "Try again later."),
}
