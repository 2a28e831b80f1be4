"""Tokens to text: each token's own characters, and the part of the text that may be shown.

A token's characters are those it completed, so the pieces joined are exactly the decoded reply: nothing is sent
twice, leading spaces are kept, and a character cut between tokens belongs to the token that ends it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

Decode = Callable[[Sequence[int]], str]

_UNFINISHED = "\ufffd"


class TokenText:
    """Incremental decoding of one reply.

    Args:
        decode: ids to text, special tokens left out, spaces untouched.
    """

    def __init__(self, decode: Decode) -> None:
        self._decode = decode
        self._ids: list[int] = []
        self._start = 0
        self._read = 0

    def push(self, token: int) -> str:
        """Return the characters this token completes; empty inside a multi-byte character."""
        self._ids.append(token)
        known, whole = self._window()
        if whole.endswith(_UNFINISHED) or len(whole) < len(known):
            return ""
        self._start, self._read = self._read, len(self._ids)
        return whole[len(known) :]

    def finish(self) -> str:
        """Return what an unfinished character leaves, once the reply has ended."""
        known, whole = self._window()
        self._start = self._read = len(self._ids)
        return whole[len(known) :]

    def _window(self) -> tuple[str, str]:
        """Decode the tokens read before, and those with what is pending; earlier text cannot change either."""
        return self._decode(self._ids[self._start : self._read]), self._decode(self._ids[self._start :])


class StopText:
    """Holds back any tail that may begin a stop string, and cuts the text at the first one that is complete."""

    def __init__(self, stops: Sequence[str]) -> None:
        self._stops = tuple(s for s in stops if s)
        self._held = ""
        self.found: str | None = None

    def push(self, text: str) -> str:
        """Return the part of the text so far that may be shown now."""
        if self.found is not None:
            return ""
        self._held += text
        cut = min(((i, s) for s in self._stops if (i := self._held.find(s)) >= 0), default=None)
        if cut is not None:
            self.found = cut[1]
            shown, self._held = self._held[: cut[0]], ""
            return shown
        keep = max((_overlap(self._held, s) for s in self._stops), default=0)
        shown, self._held = self._held[: len(self._held) - keep], self._held[len(self._held) - keep :]
        return shown

    def finish(self) -> str:
        """Return what was held back and turned out to be ordinary text."""
        shown, self._held = self._held, ""
        return shown


def _overlap(text: str, stop: str) -> int:
    """Length of the longest end of `text` that begins `stop`."""
    for size in range(min(len(text), len(stop) - 1), 0, -1):
        if text.endswith(stop[:size]):
            return size
    return 0
