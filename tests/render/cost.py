"""What an update costs while a long reply streams in: processor time, so that a busy machine does not count."""

from __future__ import annotations

from dataclasses import dataclass
from time import thread_time

from draftlens.render.blocks import BlockStream
from render.texts import long_text


@dataclass(frozen=True)
class UpdateCost:
    """Milliseconds an update took: on average in the first and the last tenth, the 99th percentile, the worst."""

    first_tenth: float
    last_tenth: float
    p99: float
    worst: float

    @property
    def growth(self) -> float:
        """The last tenth over the first: 1 is flat."""
        return self.last_tenth / self.first_tenth


def update_cost(shape: str = "mixed", length: int = 100_000, piece: int = 16) -> UpdateCost:
    """Stream so many characters of a shape of `texts.SHAPES`; each update feeds a piece and reads the tail."""
    text = long_text(shape, length)
    stream = BlockStream()
    times: list[float] = []
    for start in range(0, length, piece):
        begun = thread_time()
        stream.feed(text[start : start + piece])
        shown = stream.tail
        times.append((thread_time() - begun) * 1000)
        assert shown or stream.frozen
    tenth = len(times) // 10
    ordered = sorted(times)
    return UpdateCost(
        sum(times[:tenth]) / tenth, sum(times[-tenth:]) / tenth, ordered[len(ordered) * 99 // 100], ordered[-1]
    )
