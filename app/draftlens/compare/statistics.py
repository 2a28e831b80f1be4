"""Intervals of differences: resampled over rounds for one trial, paired over trials for several.

Every figure is a ratio of sums, such as accepted by tested. Its pairs (numerator, denominator) are per round or per
trial; sums of ratios would weigh short rounds like long ones.
Sources: Künsch 1989 for the moving-block bootstrap, Cochran 1977, chapter 6, for the variance of a ratio.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

Pairs = NDArray[np.float64]
"""Shape [n, 2]: numerator and denominator of each round or trial."""

RESAMPLES = 1000
FEWEST_ROUNDS = 8
"""With fewer, resampling rounds says nothing."""

_T975 = (12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228)
"""Student's t at 97.5 %, for 1 to 10 degrees of freedom."""


@dataclass(frozen=True)
class Delta:
    """A difference B - A with its 95 % interval, None where it cannot be had."""

    value: float
    interval: tuple[float, float] | None

    @property
    def shown(self) -> bool:
        """Whether the interval excludes 0."""
        return self.interval is not None and not self.interval[0] <= 0 <= self.interval[1]


def ratio(pairs: Pairs) -> float | None:
    """The ratio of the sums, None without a denominator."""
    top, bottom = pairs.sum(axis=0)
    return float(top / bottom) if bottom else None


def over_rounds(a: Pairs, b: Pairs) -> Delta | None:
    """Difference of two ratios within one trial, by a moving-block bootstrap over each arm's rounds.

    Neighbouring rounds are alike (the same passage, the same moment of the machine), so blocks of about n^(1/3) rounds
    are drawn instead of single ones.
    """
    first, second = ratio(a), ratio(b)
    if first is None or second is None:
        return None
    if min(len(a), len(b)) < FEWEST_ROUNDS:
        return Delta(second - first, None)
    spread = _resampled(b, 1) - _resampled(a, 0)
    low, high = np.quantile(spread, (0.025, 0.975))
    return Delta(second - first, (float(low), float(high)))


def _resampled(pairs: Pairs, stream: int) -> NDArray[np.float64]:
    """The ratio of each resample, [RESAMPLES]."""
    n = len(pairs)
    length = _block(n)
    # Circular, so that the first and last rounds are drawn as often as the others.
    sums = np.cumsum(np.vstack([np.zeros((1, 2)), pairs, pairs[: length - 1]]), axis=0)
    blocks = sums[length:] - sums[:-length]
    drawn = blocks[_draws(n, stream)].sum(axis=1)
    return np.asarray(drawn[:, 0] / np.maximum(drawn[:, 1], 1e-12))


def _block(n: int) -> int:
    return max(1, round(math.cbrt(n)))


@lru_cache(maxsize=8)
def _draws(n: int, stream: int) -> NDArray[np.int64]:
    """Where the blocks of each resample begin, [RESAMPLES, blocks]: the same for every figure of an arm."""
    return np.random.default_rng((n, stream)).integers(0, n, (RESAMPLES, math.ceil(n / _block(n))))


def over_trials(a: Pairs, b: Pairs) -> Delta | None:
    """Difference of two ratios over trials that both arms ran, paired trial by trial, by Student's t.

    The ratio is linearised: a trial's influence is (numerator - ratio x denominator) / mean denominator.
    """
    first, second = ratio(a), ratio(b)
    if first is None or second is None:
        return None
    n = len(a)
    if n < 2:
        return Delta(second - first, None)
    influence = _influence(b, second) - _influence(a, first)
    half = student_975(n - 1) * math.sqrt(float(influence @ influence) / (n * (n - 1)))
    value = second - first
    return Delta(value, (value - half, value + half))


def _influence(pairs: Pairs, of: float) -> NDArray[np.float64]:
    return np.asarray((pairs[:, 0] - of * pairs[:, 1]) / pairs[:, 1].mean())


def student_975(freedom: int) -> float:
    """Student's t quantile at 97.5 % (Abramowitz and Stegun 26.7.5 beyond ten degrees; within 0.001 there)."""
    if freedom <= len(_T975):
        return _T975[freedom - 1]
    z, v = 1.959963984540054, float(freedom)
    return (
        z
        + (z**3 + z) / (4 * v)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * v**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * v**3)
    )
