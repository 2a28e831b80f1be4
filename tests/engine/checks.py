"""What must hold of caches after every round, and how a differing text is told apart from a rounding flip."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import mlx.core as mx
import numpy as np
from mlx_lm.models.cache import ArraysCache, KVCache, RotatingKVCache
from numpy.typing import NDArray

from draftlens.core.params import SamplingParams
from draftlens.engine import rollback
from draftlens.engine.sampling import Chain
from draftlens.engine.session import Session
from draftlens.engine.target import DraftContext, Model, Target
from engine.toys import GREEDY

FLIP = 1e-3
QUANTISED_FLIP = 0.05
"""An 8-bit key that rounds to the other side moves logits by more than float rounding does."""
CLOSE = 2e-3
QUANTISED_CLOSE = 0.1


def naive(model: Model, prompt: Sequence[int], count: int) -> list[int]:
    """Greedy text by nothing but the network and fresh caches: no session, no chunks, no blocks."""
    caches = model.make_cache()
    logits = model.network(mx.array([list(prompt)]), cache=caches)
    out: list[int] = []
    for _ in range(count):
        out.append(np.array(mx.argmax(logits[0, -1, : model.vocabulary])).item())
        logits = model.network(mx.array([[out[-1]]]), cache=caches)
    return out


def assert_same_text(
    model: Model, prompt: Sequence[int], got: Sequence[int], expected: Sequence[int], sampling: SamplingParams = GREEDY
) -> None:
    """Equal, or different first at a token where the two candidates' scores are closer than rounding."""
    first = next((i for i, (a, b) in enumerate(zip(got, expected, strict=True)) if a != b), None)
    if first is None:
        return
    tokens = [*prompt, *expected[:first]]
    logits = model.network(mx.array([tokens]), cache=model.make_cache())[0, -1:]
    row = Chain(sampling, model.vocabulary).rows(logits, tokens).scores[0]
    margin = np.array(mx.abs(row[got[first]] - row[expected[first]])).item()
    limit = QUANTISED_FLIP if model.kv_bits else FLIP
    assert margin < limit, f"token {first} differs: {got[first]} for {expected[first]}, margin {margin:.4f}"


def assert_offsets(context: Target | DraftContext) -> None:
    """Every cache that counts holds exactly the context's tokens."""
    counted = [c.offset for c in rollback.flat(context.caches) if not isinstance(c, ArraysCache)]
    assert counted and set(counted) == {len(context.tokens)}


def assert_in_step(context: Target | DraftContext) -> None:
    """The caches hold what a fresh forward of exactly the context's tokens would put there."""
    assert_offsets(context)
    if not context.tokens:
        return
    fresh = context.model.make_cache()
    logits = context.model.network(mx.array([context.tokens]), cache=fresh)
    mx.eval(logits)
    for mine, right in zip(rollback.flat(context.caches), rollback.flat(fresh), strict=True):
        for a, b in zip(content(mine), content(right), strict=True):
            assert a.shape == b.shape
            assert np.abs(a - b).max() < (QUANTISED_CLOSE if context.model.kv_bits else CLOSE)


def content(cache: Any) -> list[NDArray[np.float32]]:
    """What the next token can see of a cache, oldest first."""
    if isinstance(cache, ArraysCache):
        return [np.array(a) for a in cache.state[0]]
    if isinstance(cache, RotatingKVCache):
        seen = min(cache.offset, cache.max_size - 1)
        ordered = [cache._temporal_order(a) for a in (cache.keys, cache.values)]
        return [np.array(a[..., a.shape[2] - seen :, :]) for a in ordered]
    if isinstance(cache, KVCache):
        return [np.array(a[..., : cache.offset, :]) for a in cache.state[:2]]
    packed = [cache.keys, cache.values]
    parts = [mx.dequantize(w, s, b, group_size=cache.group_size, bits=cache.bits) for w, s, b in packed]
    return [np.array(a[..., : cache.offset, :]) for a in parts]


def each_round(*extra: Callable[[], None]) -> Callable[[Session], None]:
    """Return a check for `run(after=...)`: the target is in step, and so is whatever else is named."""

    def check(session: Session) -> None:
        assert_in_step(session.target)
        for part in extra:
            part()

    return check
