"""Plain decoding measured on this machine, and what it says of a reply’s speed: no number that was not measured."""

from __future__ import annotations

import math
from dataclasses import dataclass

from draftlens.core.stats import Z95, RunStats


@dataclass(frozen=True)
class Pair:
    """What a baseline belongs to.

    Attributes:
        context: prompt tokens, rounded up to a power of two of at least 128: speed changes slowly with it.
    """

    target: str
    drafter: str
    context: int

    @staticmethod
    def of(target: str, drafter: str | None, prompt_tokens: int) -> Pair:
        """Return the pair for a prompt of so many tokens."""
        return Pair(target, drafter or "", 1 << max(7, math.ceil(math.log2(max(1, prompt_tokens)))))


@dataclass(frozen=True)
class Baseline:
    """A measurement.

    Attributes:
        measured: seconds since the epoch.
        speed: tokens a second of plain decoding.
        error: relative standard error of it.
        rounds: plain rounds it rests on.
    """

    pair: Pair
    measured: float
    speed: float
    error: float
    rounds: int

    @staticmethod
    def of(pair: Pair, stats: RunStats, now: float) -> Baseline | None:
        """Return what plain rounds give, None if they are too few to say how sure it is."""
        speed, error = stats.tokens_per_second, stats.speed_error
        if speed is None or error is None:
            return None
        return Baseline(pair, now, speed, error, stats.forwards)


@dataclass(frozen=True)
class Gain:
    """How many times as fast as plain decoding, with its 95 % interval."""

    times: float
    low: float
    high: float

    @property
    def loses(self) -> bool:
        """Whether it is slower beyond doubt."""
        return self.high < 1

    @property
    def pays(self) -> bool:
        """Whether it is faster beyond doubt."""
        return self.low > 1


def gain(stats: RunStats, baseline: Baseline) -> Gain | None:
    """Compare a reply with plain decoding; None where it has no speed of its own or nothing was drafted.

    The interval is that of a ratio of two independent speeds, on the logarithm of each.
    """
    speed, error = stats.tokens_per_second, stats.speed_error
    if speed is None or error is None or stats.rounds == 0:
        return None
    times, spread = speed / baseline.speed, Z95 * math.hypot(error, baseline.error)
    return Gain(times, times * math.exp(-spread), times * math.exp(spread))


def break_even(stats: RunStats, baseline: Baseline) -> float | None:
    """Return the acceptance a position must have for a block to be as fast as plain decoding.

    A block of k drafts whose every position is accepted with probability b gives 1 + b + … + b^k tokens and costs what
    the reply's blocks did. 0 if one token a block is enough; infinite if even k + 1 are not; None without a block.
    """
    if stats.rounds == 0:
        return None
    k = round(stats.proposed / stats.rounds)
    needed = stats.verify_round_ms / stats.rounds * baseline.speed / 1000
    if needed <= 1:
        return 0.0
    if k < 1 or needed > k + 1:
        return math.inf
    low, high = 0.0, 1.0
    for _ in range(60):
        middle = (low + high) / 2
        if sum(middle**i for i in range(k + 1)) < needed:
            low = middle
        else:
            high = middle
    return (low + high) / 2
