"""Snapshots of the most likely tokens of a row, taken inside the round's single eval."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import mlx.core as mx

from draftlens.core.round import Candidates
from draftlens.engine.proposal import Dense, Proposal
from draftlens.engine.sampling import Rows

_BLOCK = 256
"""Tokens a block: the n likeliest tokens lie in the n blocks whose likeliest tokens are the n likeliest."""


@dataclass(frozen=True)
class Snapshots:
    """Top tokens of k + 1 rows, lazy; the last two columns are the row's proposal and the token the round drew.

    Attributes:
        tokens: int32 [k + 1, n + 2].
        p: [k + 1, n + 2].
        q: [k, n + 2], None without proposals.
    """

    tokens: mx.array
    p: mx.array
    q: mx.array | None

    def arrays(self) -> list[mx.array]:
        """Everything to evaluate."""
        return [self.tokens, self.p] + ([] if self.q is None else [self.q])

    def read(self, last: int, spell: Callable[[int], str]) -> list[Candidates]:
        """Return rows 0 to `last`, where the draw was made, each by falling p; what is behind was never judged."""
        tokens: list[list[int]] = self.tokens[: last + 1].tolist()  # type: ignore[assignment]
        p: list[list[float]] = self.p[: last + 1].tolist()  # type: ignore[assignment]
        q: list[list[float]] = [] if self.q is None else self.q.tolist()  # type: ignore[assignment]
        return [_row(tokens[i], p[i], q[i] if i < len(q) else None, i == last, spell) for i in range(last + 1)]


def _row(
    tokens: list[int], p: list[float], q: list[float] | None, drawn_here: bool, spell: Callable[[int], str]
) -> Candidates:
    width = len(tokens) if drawn_here else len(tokens) - 1
    first = {tokens[i]: i for i in range(width - 1, -1, -1)}
    order = sorted(first.values(), key=lambda i: (-p[i], tokens[i]))
    return Candidates(
        tuple(tokens[i] for i in order),
        tuple(p[i] for i in order),
        None if q is None else tuple(q[i] for i in order),
        tuple(spell(tokens[i]) for i in order),
    )


def observe(rows: Rows, proposal: Proposal | None, drawn: mx.array, count: int) -> Snapshots:
    """Take the `count` most likely tokens of every row, the row's proposal and the drawn token.

    Args:
        rows: k + 1 target rows.
        proposal: the block, None for a plain step.
        drawn: int, the token the round draws after the accepted prefix.
        count: tokens a row.
    """
    probs = rows.probs
    top = _likeliest(probs, min(count, probs.shape[-1]))
    own = top[:, :1] if proposal is None else mx.concatenate([proposal.tokens[:, None], top[-1:, :1]])
    ends = mx.broadcast_to(drawn.astype(mx.int32), (top.shape[0], 1))
    tokens = mx.concatenate([top, own, ends], axis=-1)
    q = None
    if proposal is not None:
        head = tokens[:-1]
        if isinstance(proposal.distribution, Dense):
            q = mx.take_along_axis(proposal.distribution.rows, head, axis=-1)
        else:
            q = (head == own[:-1]).astype(mx.float32)
    return Snapshots(tokens, mx.take_along_axis(probs, tokens, axis=-1), q)


def _likeliest(probs: mx.array, count: int) -> mx.array:
    """Return the ids of the `count` largest of each row, int32 [n, count], in no order."""
    rows, vocabulary = probs.shape
    if vocabulary <= 2 * count * _BLOCK:
        return mx.argpartition(-probs, kth=count - 1, axis=-1)[:, :count].astype(mx.int32)
    surplus = -vocabulary % _BLOCK
    padded = mx.pad(probs, [(0, 0), (0, surplus)], constant_values=mx.array(-1.0)) if surplus else probs
    blocks = padded.reshape(rows, -1, _BLOCK)
    best = mx.argpartition(-mx.max(blocks, axis=-1), kth=count - 1, axis=-1)[:, :count]
    inside = mx.take_along_axis(blocks, best[:, :, None], axis=1).reshape(rows, -1)
    place = mx.argpartition(-inside, kth=count - 1, axis=-1)[:, :count]
    block = mx.take_along_axis(best, place // _BLOCK, axis=-1)
    return (block * _BLOCK + place % _BLOCK).astype(mx.int32)
