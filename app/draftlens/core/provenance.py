"""Where each character of a reply came from."""

from __future__ import annotations

from dataclasses import dataclass, field

from draftlens.core.round import Round


@dataclass
class Provenance:
    """Where each character of a reply came from, built from its rounds: (start, end, round, index in round)."""

    spans: list[tuple[int, int, int, int]] = field(default_factory=list)
    length: int = 0

    def add(self, round_: Round) -> None:
        """Append the spans of one more round's tokens."""
        for i, token in enumerate(round_.emitted):
            end = self.length + len(token.text)
            if token.text:
                self.spans.append((self.length, end, round_.index, i))
            self.length = end
