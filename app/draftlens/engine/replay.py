"""A model that reads each context once and remembers its logits: many rounds in few contexts cost few forwards."""

from __future__ import annotations

from dataclasses import replace

import mlx.core as mx
import mlx.nn as nn
from mlx_lm.models.cache import KVCache, make_prompt_cache

from draftlens.engine.target import Model


class Replay(nn.Module):
    """Stands in for a network; its cache holds the tokens themselves, so it rolls back like any other.

    Every context goes on with a few tokens only, those the target finds likeliest there; the rest are excluded.

    Args:
        width: ids that may be drawn.
        support: how many tokens a context may go on with.
        leader: the target's own, whose tokens a drafter's contexts go on with too.

    Attributes:
        shortest: rows of contexts shorter than this are never looked at, and are not computed.
    """

    def __init__(self, network: nn.Module, width: int, support: int, leader: Replay | None = None) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        # In a list, so that neither counts as a part of this module.
        self._others = [network, leader]
        self._width, self._support = width, support
        self._known: dict[tuple[int, ...], mx.array] = {}
        self._tokens: dict[tuple[int, ...], list[int]] = {}
        self._blank = mx.zeros((width,))
        self.shortest = 0

    def make_cache(self) -> list[KVCache]:
        """One cache of one number a token."""
        return [KVCache()]

    def __call__(self, ids: mx.array, cache: list[KVCache]) -> mx.array:
        """Return logits [1, S, V] of ids [1, S]."""
        held, _ = cache[0].update_and_fetch(*[ids.astype(mx.float32)[:, None, :, None]] * 2)
        seen: list[int] = held[0, 0, :, 0].astype(mx.int32).tolist()
        before = len(seen) - ids.shape[1]
        return mx.stack([self.row(tuple(seen[: before + i + 1])) for i in range(ids.shape[1])])[None]

    def tokens(self, context: tuple[int, ...]) -> list[int]:
        """The tokens a context may go on with."""
        self.row(context)
        return self._tokens[context]

    def row(self, context: tuple[int, ...]) -> mx.array:
        """Logits [V] after a context."""
        if len(context) < self.shortest:
            return self._blank
        if context not in self._known:
            network, leader = self._others
            assert network is not None
            logits: mx.array = network(mx.array([list(context)]), cache=make_prompt_cache(network))
            row = logits[0, -1, : self._width].astype(mx.float32)
            if isinstance(leader, Replay):
                allowed = [token for token in leader.tokens(context) if token < self._width]
            else:
                likeliest: list[int] = mx.argsort(-row)[: self._support].tolist()  # type: ignore[assignment]
                allowed = likeliest
            row = _only(row, mx.array(allowed or [0]))
            mx.eval(row)
            self._known[context], self._tokens[context] = row, allowed
        return self._known[context]


def _only(row: mx.array, at: mx.array) -> mx.array:
    """The row with every id but these excluded."""
    kept = mx.zeros(row.shape).at[at].add(mx.ones(at.shape))
    return mx.where(kept > 0, row, float("-inf"))


def replayed(model: Model, support: int, leader: Replay | None = None) -> tuple[Model, Replay]:
    """Return the model with its network remembered, and what stands in for it."""
    network = Replay(model.network, model.vocabulary, support, leader)
    return replace(model, network=network, kv_bits=None), network
