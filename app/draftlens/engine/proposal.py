"""A block of proposals and the distribution they were drawn from: q is a type, never implied."""

from __future__ import annotations

from dataclasses import dataclass

import mlx.core as mx


@dataclass(frozen=True)
class PointMass:
    """Deterministic proposals: q is 1 on the proposal (prompt lookup, greedy drafts)."""


@dataclass(frozen=True)
class Dense:
    """Sampled proposals.

    Attributes:
        rows: float [k, V]; row i is what proposal i was drawn from, given the proposals before it.
    """

    rows: mx.array


Distribution = PointMass | Dense


@dataclass(frozen=True)
class Proposal:
    """k drafted tokens.

    Attributes:
        tokens: int32 [k], possibly lazy.
        distribution: what they were drawn from.
    """

    tokens: mx.array
    distribution: Distribution

    @property
    def k(self) -> int:
        """Number of proposals."""
        return int(self.tokens.shape[0])
