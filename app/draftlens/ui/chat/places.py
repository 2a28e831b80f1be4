"""Where each turn of a chat stands: heights added up, and what is at a height."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate, islice

from draftlens.ui.chat.item import Item


class Places:
    """Pixels from the top of the chat, `above` the first turn; a turn's number is its place in `items`."""

    def __init__(self, above: int) -> None:
        self._above = above
        self.tops: list[int] = [above]

    @property
    def bottom(self) -> int:
        """Where the last turn ends."""
        return self.tops[-1]

    def add_up(self, items: Sequence[Item], first: int = 0) -> None:
        """Add up the heights, from a turn on: a reply that grows at the end costs the same however long the chat is."""
        if first == 0 or first >= len(self.tops):
            first, self.tops = 0, [self._above]
        del self.tops[first + 1 :]
        self.tops += accumulate((item.room for item in islice(items, first, None)), initial=self.tops.pop())

    def at(self, y: int) -> tuple[int, int]:
        """The turn at a height, and how far below its top that is."""
        number = max(0, min(bisect_right(self.tops, y), len(self.tops) - 1) - 1)
        return number, y - self.tops[number]

    def between(self, start: float, end: float) -> range:
        """The turns that reach into a stretch."""
        count = len(self.tops) - 1
        return range(max(0, min(bisect_right(self.tops, start), count) - 1), min(bisect_left(self.tops, end), count))
