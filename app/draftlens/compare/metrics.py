"""The figures of the table, each as a ratio over RunStats, so that rounds, trials and totals count alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from draftlens.compare.statistics import Pairs
from draftlens.core.stats import RunStats

Mark = tuple[float, ...]
"""Numerators and denominators of all ROUND_METRICS, one after the other, as they stand after a round."""


@dataclass(frozen=True)
class Metric:
    """A figure.

    Attributes:
        pair: numerator and denominator of any RunStats.
        places: decimals shown; of the difference's interval too.
        meaning: its definition, for a tooltip.
    """

    name: str
    pair: Callable[[RunStats], tuple[float, float]]
    places: int
    meaning: str

    def value(self, stats: RunStats) -> float | None:
        """The figure, None without a denominator."""
        top, bottom = self.pair(stats)
        return top / bottom if bottom else None

    def of_rounds(self, marks: Iterable[Mark]) -> Pairs:
        """Its pairs, one for each round, from the totals after every round."""
        place = 2 * ROUND_METRICS.index(self)
        totals = np.array([(0.0, 0.0), *(mark[place : place + 2] for mark in marks)])
        return np.diff(totals, axis=0)

    def of_trials(self, trials: Iterable[RunStats]) -> Pairs:
        """Its pairs, one for each trial."""
        return np.array([self.pair(stats) for stats in trials], dtype=float).reshape(-1, 2)


TOKENS_PER_SECOND = Metric(
    "tok/s",
    lambda s: (s.decoded, s.decode_ms / 1000),
    1,
    "Tokens after the first, per second spent in this arm’s own rounds.",
)
PER_POSITION = Metric(
    "per_position_acceptance", lambda s: (s.accepted, s.tested), 4, "accepted / tested: the one theory predicts."
)
MEAN_ACCEPTED = Metric(
    "mean_accepted_len",
    lambda s: (s.accepted, s.rounds),
    4,
    "accepted / rounds: tokens gained per target forward.",
)
PER_FORWARD = Metric(
    "tokens / target forward",
    lambda s: (s.decoded, s.forwards),
    2,
    "Tokens after the first, per forward of the target; the draw that ends a block counts.",
)
FIRST_TOKEN = Metric(
    "time to first token",
    lambda s: (s.prompt_ms, 1.0 if s.prompt_ms else 0.0),
    0,
    "Milliseconds to read the prompt and draw the first token.",
)
ACCEPTANCE_RATE = Metric(
    "acceptance_rate", lambda s: (s.accepted, s.proposed), 4, "accepted / drafted: moves with block length."
)
"""Shown without a difference: it is not comparable across arms."""

ROUND_METRICS = (TOKENS_PER_SECOND, PER_POSITION, MEAN_ACCEPTED, PER_FORWARD)
"""Those in which single rounds have a share."""


def mark(stats: RunStats) -> Mark:
    """Where the totals stand."""
    return tuple(value for metric in ROUND_METRICS for value in metric.pair(stats))
