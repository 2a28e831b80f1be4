"""Snapshots of the most likely tokens of a row, taken inside the round's single eval."""

from __future__ import annotations

from dataclasses import dataclass

import mlx.core as mx

from draftlens.core.round import Candidates
from draftlens.engine.proposal import Dense, Proposal
from draftlens.engine.sampling import Rows


@dataclass(frozen=True)
class Snapshots:
    """Top tokens of k + 1 rows, lazy; the last column is the row's proposal, which may stand there twice.

    Attributes:
        tokens: int32 [k + 1, n + 1].
        p: [k + 1, n + 1].
        q: [k, n + 1], None without proposals.
    """

    tokens: mx.array
    p: mx.array
    q: mx.array | None

    def arrays(self) -> list[mx.array]:
        """Everything to evaluate."""
        return [self.tokens, self.p] + ([] if self.q is None else [self.q])

    def row(self, index: int) -> Candidates:
        """Return row `index` by falling p; q is None in the last row, where nothing was drafted."""
        tokens: list[int] = self.tokens[index].tolist()  # type: ignore[assignment]
        p: list[float] = self.p[index].tolist()  # type: ignore[assignment]
        first = {token: i for i, token in reversed(list(enumerate(tokens)))}
        order = sorted(first.values(), key=lambda i: (-p[i], tokens[i]))
        q = None
        if self.q is not None and index < self.q.shape[0]:
            row: list[float] = self.q[index].tolist()  # type: ignore[assignment]
            q = tuple(row[i] for i in order)
        return Candidates(tuple(tokens[i] for i in order), tuple(p[i] for i in order), q)


def observe(rows: Rows, proposal: Proposal | None, count: int) -> Snapshots:
    """Take the `count` most likely tokens of every row, and the row's proposal.

    Args:
        rows: k + 1 target rows.
        proposal: the block, None for a plain step.
        count: tokens a row.
    """
    count = min(count, rows.probs.shape[-1])
    top = mx.argpartition(-rows.probs, kth=count - 1, axis=-1)[:, :count].astype(mx.int32)
    if proposal is None:
        tokens = mx.concatenate([top, top[:, :1]], axis=-1)
        return Snapshots(tokens, mx.take_along_axis(rows.probs, tokens, axis=-1), None)
    own = mx.concatenate([proposal.tokens[:, None], top[-1:, :1]])
    tokens = mx.concatenate([top, own], axis=-1)
    head = tokens[:-1]
    if isinstance(proposal.distribution, Dense):
        q = mx.take_along_axis(proposal.distribution.rows, head, axis=-1)
    else:
        q = (head == own[:-1]).astype(mx.float32)
    return Snapshots(tokens, mx.take_along_axis(rows.probs, tokens, axis=-1), q)
