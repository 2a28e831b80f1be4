"""Many independent trials of one accept test at once, and the chi-square they are held against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import mlx.core as mx
import numpy as np
from numpy.typing import NDArray

from draftlens.engine.proposal import Dense, Proposal
from draftlens.engine.rules import AcceptanceRule, Coins
from draftlens.engine.sampling import Rows

CRITICAL = {1: 15.1367, 2: 18.4207, 3: 21.1075, 4: 23.5127, 5: 25.7448, 6: 27.8563, 7: 29.8775}
"""Chi-square at alpha = 1e-4 by degrees of freedom."""


@dataclass(frozen=True)
class Trials:
    """What became of n proposals: whether each was accepted, and the token drawn where it was not."""

    accepted: NDArray[np.bool_]
    following: NDArray[np.int64]

    @property
    def rate(self) -> float:
        return float(self.accepted.mean())

    @property
    def replacements(self) -> NDArray[np.int64]:
        return self.following[~self.accepted]


def trials(
    rule: AcceptanceRule,
    p: Sequence[float],
    q: Sequence[float],
    tokens: Sequence[int] | NDArray[np.int64],
    seed: int = 0,
) -> Trials:
    """Judge each token as a block of one, with fresh coins."""
    random = np.random.default_rng(seed)
    n = len(tokens)

    def judge(p: mx.array, q: mx.array, token: mx.array, accept: mx.array, drawn: mx.array) -> list[mx.array]:
        verdict = rule.judge(Rows.of_probs(p), Proposal(token, Dense(q)), Coins(accept, drawn))
        return [verdict.accepted, verdict.next]

    accepted, following = mx.vmap(judge)(
        mx.array(np.tile(np.asarray(p, dtype=np.float32), (n, 2, 1))),
        mx.array(np.tile(np.asarray(q, dtype=np.float32), (n, 1, 1))),
        mx.array(np.asarray(tokens, dtype=np.int32)[:, None]),
        mx.array(random.random((n, 1), dtype=np.float32)),
        mx.array(random.random((n, 2), dtype=np.float32)),
    )
    return Trials(np.array(accepted) == 1, np.array(following, dtype=np.int64))


def drawn_from(q: Sequence[float], n: int, seed: int = 1) -> NDArray[np.int64]:
    """Draw n independent proposals."""
    return np.random.default_rng(seed).choice(len(q), size=n, p=np.array(q) / np.sum(q))


def stratified(q: Sequence[float], n: int) -> NDArray[np.int64]:
    """Return n proposals in exactly the proportions of q: the inverse distribution function at (i + 1/2)/n."""
    return np.searchsorted(np.cumsum(q) / np.sum(q), (np.arange(n) + 0.5) / n)


def chi_square(observed: Sequence[int] | NDArray[np.int64], law: Sequence[float] | NDArray[np.float64]) -> float:
    """Pearson's statistic of tokens against a law; infinite if one fell where the law has no mass."""
    probabilities = np.asarray(law, dtype=np.float64) / np.sum(law)
    counts = np.bincount(np.asarray(observed), minlength=len(probabilities))
    inside = probabilities > 0
    if counts[~inside].sum():
        return float("inf")
    expected = probabilities[inside] * counts.sum()
    return float(((counts[inside] - expected) ** 2 / expected).sum())
