"""A reply in two voices: what the model thinks between `<think>` tags, and its answer.

Thinking stands only at the beginning of a reply: an opening tag later on is text, and so is a closing one once the
answer has begun, inside a code block or not. The prompt may have opened the tag already; it may never be closed.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto

_OPENING = ("<think>", "<thinking>")
_CLOSING = ("</think>", "</thinking>")
_SPACE = " \t\r\n"


class Voice(Enum):
    """Who speaks."""

    THINKING = auto()
    ANSWER = auto()


@dataclass(frozen=True, slots=True)
class Part:
    """Characters of one voice; `start` and `end` are their source offsets, tags lie between parts."""

    voice: Voice
    text: str
    start: int
    end: int


class ThinkingSplit:
    """Splits pieces as they arrive; only what may be the beginning of a tag is held back.

    Attributes:
        opened: whether there is thinking.
        closed: whether the thinking has ended; false for a tag that was never closed.
        answer_start: where the answer begins, None while it has not.
    """

    def __init__(self, opened: bool = False) -> None:
        self.opened = opened
        self.closed = False
        self.answer_start: int | None = None
        self._closers: tuple[str, ...] = _CLOSING
        self._begun = False
        self._held = ""
        self._at = 0

    def add(self, piece: str) -> tuple[Part, ...]:
        """Add a piece and return what is now certain, in order."""
        self._held += piece
        return self._release(final=False)

    def finish(self) -> tuple[Part, ...]:
        """Nothing follows: return what was held back."""
        return self._release(final=True)

    def _release(self, *, final: bool) -> tuple[Part, ...]:
        parts: list[Part] = []
        if not self._begun:
            self._begin(final)
        if self._begun and self.opened and not self.closed:
            parts += self._think(final)
        if self._begun and (self.closed or not self.opened):
            parts += self._answer()
        return tuple(parts)

    def _begin(self, final: bool) -> None:
        """Look for the opening tag behind leading space; a prompt that opened one may be echoed."""
        text = self._held.lstrip(_SPACE)
        tag = next((tag for tag in _OPENING if text.startswith(tag)), None)
        if tag is not None:
            self._drop(len(self._held) - len(text) + len(tag))
            if not self.opened:
                self._closers = (tag.replace("<", "</"),)
            self.opened = self._begun = True
        elif final or not any(opening.startswith(text) for opening in _OPENING):
            self._begun = True

    def _think(self, final: bool) -> list[Part]:
        found = [(self._held.find(tag), tag) for tag in self._closers if tag in self._held]
        if found:
            end, tag = min(found)
            parts = self._part(Voice.THINKING, end)
            self._drop(len(tag))
            self.closed = True
            return parts
        return self._part(Voice.THINKING, len(self._held) if final else len(self._held) - self._tag_begun())

    def _answer(self) -> list[Part]:
        """Blank lines between thinking and answer are neither's; an answer may begin with spaces."""
        if self.answer_start is None:
            if self.closed:
                self._drop(len(self._held) - len(self._held.lstrip("\r\n")))
            if not self._held:
                return []
            self.answer_start = self._at
        return self._part(Voice.ANSWER, len(self._held))

    def _tag_begun(self) -> int:
        """Return how many characters at the end may be the beginning of a closing tag."""
        longest = max(map(len, self._closers)) - 1
        for size in range(min(longest, len(self._held)), 0, -1):
            if any(tag.startswith(self._held[-size:]) for tag in self._closers):
                return size
        return 0

    def _part(self, voice: Voice, length: int) -> list[Part]:
        if length <= 0:
            return []
        part = Part(voice, self._held[:length], self._at, self._at + length)
        self._drop(length)
        return [part]

    def _drop(self, length: int) -> None:
        self._held = self._held[length:]
        self._at += length


def split(reply: str, opened: bool = False) -> tuple[str, str]:
    """Return the thinking and the answer of a whole reply."""
    splitter = ThinkingSplit(opened)
    parts = (*splitter.add(reply), *splitter.finish())
    thinking, answer = ("".join(part.text for part in parts if part.voice is voice) for voice in Voice)
    return thinking, answer
