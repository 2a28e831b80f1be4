"""A figure: a name, a value measured in one run, a goal, and whether it is reached."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

REPEATS = 5


@dataclass(frozen=True)
class Figure:
    """One printed line. `at_least` tells the direction of the goal."""

    name: str
    value: float
    goal: float
    at_least: bool
    unit: str = "x"
    note: str = ""

    def line(self) -> str:
        """Return `name value goal verdict`, and a note behind it where one helps."""
        reached = self.value >= self.goal if self.at_least else self.value <= self.goal
        sign = ">=" if self.at_least else "<="
        line = f"{self.name} {self.value:.3f}{self.unit} {sign}{self.goal:g}{self.unit} {'ok' if reached else 'short'}"
        return f"{line}  # {self.note}" if self.note else line


Bench = Callable[[], Iterator[Figure]]
BENCHES: dict[str, Bench] = {}


def bench(name: str) -> Callable[[Bench], Bench]:
    """Register a bench under the common beginning of its figures' names."""

    def register(function: Bench) -> Bench:
        BENCHES[name] = function
        return function

    return register


def paired(first: Callable[[], float], second: Callable[[], float], repeats: int = REPEATS) -> list[float]:
    """Return first/second pair by pair, the two in turn and the order alternating, after one warm-up of each."""
    first(), second()
    ratios = []
    for i in range(repeats):
        if i % 2:
            b = second()
            a = first()
        else:
            a = first()
            b = second()
        ratios.append(a / b)
    return ratios


def median(values: Sequence[float]) -> float:
    """Return the median."""
    return statistics.median(values)


def spread(values: Sequence[float]) -> str:
    """Return the range, for the note behind a figure."""
    return f"{min(values):.3f} to {max(values):.3f} over {len(values)}"
