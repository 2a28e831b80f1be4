"""Whether two arms sample the same thing: their tokens at one position over many seeds, held against each other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from draftlens.compare.arms import LETTERS
from draftlens.compare.comparison import Comparison

FEWEST = 8
"""With fewer trials nothing can be seen."""
PERMUTATIONS = 4000
_COMMON = 5
"""A token seen less often, in both arms together, is counted among the others."""


@dataclass(frozen=True)
class LawCheck:
    """Two arms at one position.

    Attributes:
        position: counted from 0.
        trials: how many had a token there in both arms.
        equal: in how many both had the same.
        support: tokens counted on their own; the rest is one class.
        p_value: how often arms of the same law would differ this much; None where nothing can be said.
    """

    arm: int
    position: int
    trials: int
    equal: int
    support: int
    p_value: float | None

    @property
    def sentence(self) -> str:
        """The outcome, and what it rests on."""
        names, place = f"{LETTERS[0]} and {LETTERS[self.arm]}", f"token {self.position + 1}"
        if self.trials < FEWEST:
            return f"{names} at {place}: {self.trials} trials, too few to compare laws; {FEWEST} are the least"
        if self.equal == self.trials:
            return f"{names} at {place}: the same token in all {self.trials} trials"
        if self.p_value is None:
            return f"{names} at {place}: no token is common enough over {self.trials} trials to compare laws"
        shown = f"p = {self.p_value:.3f}" if self.p_value >= 0.001 else "p < 0.001"
        basis = f"{self.trials} trials, {self.support} tokens and the rest, {shown}"
        if self.p_value < 0.01:
            return f"{names} at {place}: they do not sample the same thing ({basis})"
        return f"{names} at {place}: no difference of law seen ({basis})"


def law_check(comparison: Comparison, arm: int, position: int, seed: int = 0) -> LawCheck:
    """Compare an arm with the first one at a position, over the complete trials of the first prompt.

    At position 0 every trial has the same context, so the whole law is compared; later only tokens that are common
    enough are told apart. Trials pair the arms by seed, which draws both from the same uniforms: so the null is that
    the two tokens of a trial may be swapped, and the statistic is the chi-square of homogeneity over such swaps.
    """
    prompts = len(comparison.plan.prompts)
    pairs = [
        (a[position], b[position])
        for trial in comparison.complete
        if trial % prompts == 0
        and len(a := comparison.reply(trial, 0).tokens) > position
        and len(b := comparison.reply(trial, arm).tokens) > position
    ]
    equal = sum(a == b for a, b in pairs)
    counts = Counter(token for pair in pairs for token in pair)
    common = [token for token, count in counts.items() if count >= (1 if position == 0 else _COMMON)]
    if len(pairs) < FEWEST or equal == len(pairs) or not common:
        return LawCheck(arm, position, len(pairs), equal, len(common), None)
    return LawCheck(arm, position, len(pairs), equal, len(common), _p_value(pairs, common, seed))


def _p_value(pairs: Sequence[tuple[int, int]], common: Sequence[int], seed: int) -> float:
    place = {token: i for i, token in enumerate(common)}
    rest = len(common)
    signed = np.zeros((len(pairs), rest + 1))
    for row, (a, b) in enumerate(pairs):
        signed[row, place.get(a, rest)] += 1
        signed[row, place.get(b, rest)] -= 1
    both = np.zeros(rest + 1)
    for pair in pairs:
        for token in pair:
            both[place.get(token, rest)] += 1
    weights = 1 / np.maximum(both, 1)

    def statistic(signs: np.ndarray) -> np.ndarray:
        return np.asarray(((signs @ signed) ** 2 * weights).sum(axis=-1))

    swaps = np.random.default_rng(seed).choice((-1.0, 1.0), (PERMUTATIONS, len(pairs)))
    observed = float(statistic(np.ones((1, len(pairs))))[0])
    return float((1 + np.sum(statistic(swaps) >= observed - 1e-9)) / (PERMUTATIONS + 1))
