"""The proof of a rule: does what is emitted follow the target's law, and would the test notice if it did not."""

from __future__ import annotations

import math
from dataclasses import dataclass

from draftlens.core.params import SessionParams
from draftlens.core.rules import RuleId

ALPHA = 1e-4


@dataclass(frozen=True)
class Prove:
    """Ask for the proof of what is loaded, with these parameters."""

    run: int
    params: SessionParams


@dataclass(frozen=True)
class Proving:
    """Trials made of all."""

    run: int
    done: int
    total: int


@dataclass(frozen=True)
class LawTest:
    """Pearson's test of emitted tokens against the target's law.

    Attributes:
        rule: what emitted them, in words.
        n: tokens.
        contexts: contexts they were emitted in, each with a law of its own.
        degrees: of freedom.
    """

    rule: str
    n: int
    contexts: int
    statistic: float
    degrees: int

    @property
    def threshold(self) -> float:
        """Above it, a rule that follows the law falls once in 1 / alpha proofs."""
        return chi_square_threshold(self.degrees)

    @property
    def fits(self) -> bool:
        """Whether nothing speaks against the law."""
        return self.statistic <= self.threshold

    def sentence(self) -> str:
        """The test in words."""
        sign = "≤" if self.fits else ">"
        return (
            f"{self.rule}: n = {self.n:,} tokens in {self.contexts} contexts, χ² = {self.statistic:.1f} {sign} "
            f"{self.threshold:.1f} ({self.degrees} degrees of freedom, α = 1e-4)."
        )


@dataclass(frozen=True)
class Proved:
    """Both tests: the rule that runs, and "resample from p", which is wrong and must be rejected."""

    run: int
    rule: RuleId
    own: LawTest
    wrong: LawTest

    @property
    def holds(self) -> bool:
        """Whether the rule does what it promises and the test could have told otherwise."""
        return self.own.fits and not self.wrong.fits

    def verdict(self) -> str:
        """What follows, in a sentence."""
        if self.wrong.fits:
            return (
                "Not decided: the test did not notice the wrong rule either, so it is too weak here. "
                "More trials, or a higher temperature, would tell."
            )
        if self.own.fits:
            return f"The emitted tokens follow the target’s distribution; rule={self.rule} holds on this machine."
        if not self.rule.lossless:
            return f"The emitted tokens do not follow the target’s distribution, as rule={self.rule} never promised."
        return f"The emitted tokens do not follow the target’s distribution: rule={self.rule} does not hold here."


def chi_square_tail(degrees: int, x: float) -> float:
    """Return P(chi-square > x), exactly for whole degrees of freedom (Abramowitz and Stegun 26.4.4, 26.4.5)."""
    if x <= 0:
        return 1.0
    half, odd = x / 2, degrees % 2
    tail = math.erfc(math.sqrt(half)) if odd else 0.0
    for i in range(degrees // 2):
        power = i + odd / 2
        tail += math.exp(power * math.log(half) - half - math.lgamma(power + 1))
    return tail


def chi_square_threshold(degrees: int, alpha: float = ALPHA) -> float:
    """Return the x that chi-square exceeds with probability alpha."""
    low, high = 0.0, 10.0 * degrees + 100
    for _ in range(80):
        middle = (low + high) / 2
        if chi_square_tail(degrees, middle) > alpha:
            low = middle
        else:
            high = middle
    return high
