"""The figures of the table, each as a ratio over RunStats, so that rounds, trials and totals count alike."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from draftlens.compare.statistics import Pairs
from draftlens.core.round import Round
from draftlens.core.stats import RunStats


@dataclass(frozen=True)
class Metric:
    """A figure.

    Attributes:
        pair: numerator and denominator of any RunStats.
        places: decimals shown; of the difference's interval too.
        by_round: whether single rounds have a share in it.
        meaning: its definition, for a tooltip.
    """

    name: str
    pair: Callable[[RunStats], tuple[float, float]]
    places: int
    meaning: str
    by_round: bool = True

    def value(self, stats: RunStats) -> float | None:
        """The figure, None without a denominator."""
        top, bottom = self.pair(stats)
        return top / bottom if bottom else None

    def of_rounds(self, rounds: Iterable[Round]) -> Pairs:
        """Its pairs, one for each round that took a forward of the target."""
        pairs = [self.pair(_alone(made)) for made in rounds if made.forward]
        return np.array(pairs, dtype=float).reshape(-1, 2)

    def of_trials(self, trials: Iterable[RunStats]) -> Pairs:
        """Its pairs, one for each trial."""
        return np.array([self.pair(stats) for stats in trials], dtype=float).reshape(-1, 2)


def _alone(made: Round) -> RunStats:
    stats = RunStats()
    stats.add(made)
    return stats


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
    by_round=False,
)
ACCEPTANCE_RATE = Metric(
    "acceptance_rate", lambda s: (s.accepted, s.proposed), 4, "accepted / drafted: moves with block length."
)
"""Shown without a difference: it is not comparable across arms."""


def total(parts: Iterable[RunStats], rounds: Iterable[Round]) -> RunStats:
    """RunStats over several replies: their rounds in order, and the sum of their times to the first token."""
    stats = RunStats()
    for made in rounds:
        stats.add(made)
    times = [part.prompt_ms for part in parts if part.prompt_ms]
    if times:
        stats.prompt_ms = sum(times) / len(times)
    return stats
