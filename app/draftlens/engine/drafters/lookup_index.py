"""The n-gram finder: the latest earlier place where the newest tokens stood, and what followed."""

from __future__ import annotations

from collections.abc import Sequence


class LookupIndex:
    """Tokens seen so far, indexed by n-gram; extended as tokens arrive.

    An n-gram enters the index when a token follows it, so the suffix itself is never found.
    """

    def __init__(self, ngram_min: int, ngram_max: int) -> None:
        self.tokens: list[int] = []
        self._sizes = range(ngram_max, ngram_min - 1, -1)
        self._latest: dict[tuple[int, ...], int] = {}

    def extend(self, tokens: Sequence[int]) -> None:
        """Append tokens."""
        for token in tokens:
            end = len(self.tokens)
            for n in self._sizes:
                if end >= n:
                    self._latest[tuple(self.tokens[end - n : end])] = end
            self.tokens.append(token)

    def find(self, limit: int) -> list[int]:
        """Return up to `limit` tokens that followed the latest earlier match of the longest matching suffix."""
        for n in self._sizes:
            if len(self.tokens) <= n:
                continue
            end = self._latest.get(tuple(self.tokens[-n:]))
            if end is not None:
                return self.tokens[end : end + limit]
        return []
