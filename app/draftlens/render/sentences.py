"""Text into sentences as it arrives, so that a screen reader hears whole ones."""

from __future__ import annotations

import re

_CLOSERS = "\"')\\]”’»*_`"
_ENDS = re.compile(
    rf"[。！？]+[{_CLOSERS}」』）]*"  # no space follows a sentence in Chinese and Japanese
    rf"|[.!?…।؟]+[{_CLOSERS}]*(?=[ \t])"
    r"|\n"
)
_NOT_AN_END = re.compile(r"(?:\b(?:e\.g|i\.e|etc|cf|vs|approx|Dr|Mr|Mrs|Ms|Prof|St|No|Fig|Eq)|^\W*\d{1,3}|\b[A-Z])\.$")
LONGEST = 400
"""What has no end by then is spoken at a space."""


class Sentences:
    """Pieces in, whole sentences out; each sentence once."""

    def __init__(self) -> None:
        self._rest = ""

    def add(self, piece: str) -> tuple[str, ...]:
        """Add a piece and return the sentences it completed, without space around them."""
        self._rest += piece
        found: list[str] = []
        start = 0
        for end in _ENDS.finditer(self._rest):
            start = self._shorten(start, end.end(), found)
            sentence = self._rest[start : end.end()].strip()
            # Closing quotes may still arrive behind an end that needs no space.
            if end[0] != "\n" and end.end() == len(self._rest):
                break
            if end[0] == "\n" or not _NOT_AN_END.search(sentence):
                found.append(sentence)
                start = end.end()
        start = self._shorten(start, len(self._rest), found)
        self._rest = self._rest[start:]
        return tuple(sentence for sentence in found if _speaks(sentence))

    def _shorten(self, start: int, end: int, found: list[str]) -> int:
        """Cut what is too long to wait for at its spaces; return where the rest begins."""
        while end - start > LONGEST:
            cut = self._rest.rfind(" ", start + 1, start + LONGEST)
            cut = cut if cut > 0 else start + LONGEST
            found.append(self._rest[start:cut].strip())
            start = cut
        return start

    def finish(self) -> tuple[str, ...]:
        """Nothing follows: return what is left."""
        rest, self._rest = self._rest.strip(), ""
        return (rest,) if _speaks(rest) else ()


def _speaks(sentence: str) -> bool:
    return any(sign.isalnum() for sign in sentence)
