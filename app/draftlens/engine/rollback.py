"""What each cache type needs to forget tokens; the only place that knows.

A verify forward of w rows is a transaction: `Snapshot` before it, then either `keep` the first n rows or `restore`.
Facts per type were measured on mlx-lm 0.32.2: trimming is logical for KV caches; a rotating cache keeps its window
plus the block after an update of w >= 2 rows, and overwrites in place after one of 1 row; recurrent slots are
replaced, never written in place, so an old reference is a snapshot.
"""

from __future__ import annotations

import copy
from collections.abc import Iterable, Sequence
from typing import Any

import mlx.core as mx
from mlx_lm.models.cache import ArraysCache, CacheList, KVCache, QuantizedKVCache, RotatingKVCache

from draftlens.core.errors import BugError
from draftlens.engine.hooks import ConvCall, DeltaCall, Recording

_TRIMMABLE = (KVCache, QuantizedKVCache)
_RESTORABLE = (*_TRIMMABLE, RotatingKVCache, ArraysCache)


def flat(caches: Iterable[Any]) -> list[Any]:
    """Return the caches with every CacheList opened, in layer order."""
    out: list[Any] = []
    for cache in caches:
        out.extend(flat(cache.caches) if isinstance(cache, CacheList) else [cache])
    return out


def evaluate(caches: Iterable[Any]) -> None:
    """Compute what the caches hold; nothing else of the forward (logits stay lazy and are never built)."""
    mx.eval([c.state for c in caches if not c.empty()])


def rewind_refusal(caches: Sequence[Any], recurrent_layers_hooked: int) -> str | None:
    """Say why a verify forward over these caches could not be rolled back, None if it can.

    Args:
        caches: one entry a layer, as the model makes them.
        recurrent_layers_hooked: how many recurrent layers record what a roll-back needs.
    """
    recurrent = 0
    for cache in flat(caches):
        if type(cache) is ArraysCache:
            recurrent += 1
        elif type(cache) is RotatingKVCache and cache.keep:
            return "this target's cache cannot rewind (RotatingKVCache with kept first tokens)"
        elif type(cache) not in (*_TRIMMABLE, RotatingKVCache):
            return f"this target's cache cannot rewind ({type(cache).__name__})"
    if recurrent > recurrent_layers_hooked:
        return "this target's cache cannot rewind (a recurrent state of a kind without a roll-back recipe)"
    return None


def replay_refusal(caches: Sequence[Any]) -> str | None:
    """Say why a context over these caches could not be put back to an earlier point, None if it can.

    Weaker than `rewind_refusal`: a draft model may be put back to the start of the round and fed again.
    """
    for cache in flat(caches):
        if type(cache) not in _RESTORABLE:
            return f"this draft model's cache cannot rewind ({type(cache).__name__})"
    return None


def can_trim(caches: Sequence[Any]) -> bool:
    """Whether any number of tokens can be dropped at any time: true of plain and quantised KV caches only."""
    return all(type(c) in _TRIMMABLE for c in flat(caches))


def copies(caches: Sequence[Any]) -> list[Any]:
    """Return caches that grow on their own while the originals keep their length; nothing they hold is copied.

    For caches of which `can_trim` holds: what a copy appends lies beyond the length its original knows.
    """
    return [CacheList(*copies(c.caches)) if isinstance(c, CacheList) else copy.copy(c) for c in caches]


def trim(caches: Sequence[Any], count: int) -> None:
    """Drop the newest `count` tokens of caches for which `can_trim` holds.

    Raises:
        BugError: a cache dropped fewer tokens than asked.
    """
    for cache in flat(caches):
        if count and cache.trim(count) != count:
            raise BugError(f"{type(cache).__name__} dropped fewer than {count} tokens")


class Snapshot:
    """The caches before a forward of `width` rows.

    Args:
        caches: the caches of one context.
        width: rows of the forward to come.
        ring_copy: also copy what a 1-row update of a rotating cache overwrites, so that a run of such updates can be
            undone; costs a copy of the window, so a target, which never needs it, does not ask.
    """

    def __init__(self, caches: Sequence[Any], width: int, *, ring_copy: bool = False) -> None:
        self.width = width
        self._caches = flat(caches)
        self._saved = [_save(c, ring_copy) for c in self._caches]
        overwritten = any(type(c) is RotatingKVCache for c in self._caches) and width == 1 and not ring_copy
        self._can_restore = not overwritten and all(type(c) in _RESTORABLE for c in self._caches)

    @property
    def can_restore(self) -> bool:
        """Whether `restore` is exact.

        Not for a cache of a type without a recipe, which only decodes plainly, nor after a single row was written
        into a full ring, where it has overwritten the oldest.
        """
        return self._can_restore

    def restore(self) -> None:
        """Forget the whole forward."""
        if not self._can_restore:
            raise BugError("this update of the caches cannot be undone")
        for cache, saved in zip(self._caches, self._saved, strict=True):
            _restore(cache, saved)

    def keep(self, rows: int, record: Recording) -> None:
        """Keep exactly the first `rows` of the forward's rows, 1 <= rows <= width.

        Args:
            rows: how many tokens stay.
            record: what the hooks saw during the forward.
        """
        drop = self.width - rows
        if not 1 <= rows <= self.width:
            raise BugError(f"cannot keep {rows} of {self.width} rows")
        if drop == 0:
            return
        convolutions, deltas = iter(record.convolutions), iter(record.deltas)
        for cache in self._caches:
            if type(cache) is ArraysCache:
                _rebuild(cache, rows, next(convolutions), deltas)
            elif type(cache) is RotatingKVCache:
                _slice_rotating(cache, drop)
            elif cache.trim(drop) != drop:
                raise BugError(f"{type(cache).__name__} dropped fewer than {drop} tokens")
        if next(convolutions, None) is not None or next(deltas, None) is not None:
            raise BugError("the forward recorded more recurrent layers than there are recurrent caches")


def _rebuild(cache: ArraysCache, rows: int, convolution: ConvCall, deltas: Iterable[DeltaCall]) -> None:
    """Slot 0 is the window of the convolution, slot 1 (gated delta) the state of the recurrence."""
    cache[0] = mx.contiguous(convolution.rows[:, rows : rows + convolution.window])
    if len(cache.cache) > 1:
        cache[1] = next(iter(deltas)).state_after(rows)


def _slice_rotating(cache: RotatingKVCache, drop: int) -> None:
    """Drop rows physically, in temporal order; the block update left max_size - 1 rows before the block."""
    keys, values = cache._temporal_order(cache.keys), cache._temporal_order(cache.values)
    left = keys.shape[2] - drop
    cache.keys, cache.values = keys[..., :left, :], values[..., :left, :]
    cache.offset -= drop
    cache._idx = left


def _save(cache: Any, ring_copy: bool) -> Any:
    if type(cache) is ArraysCache:
        return list(cache.cache)
    if type(cache) is RotatingKVCache:
        keys, values = cache.keys, cache.values
        if ring_copy and keys is not None and values is not None:
            keys, values = mx.array(keys), mx.array(values)
        return keys, values, cache.offset, cache._idx
    return cache.offset if type(cache) in _TRIMMABLE else None


def _restore(cache: Any, saved: Any) -> None:
    if type(cache) is ArraysCache:
        cache.cache = list(saved)
    elif type(cache) is RotatingKVCache:
        cache.keys, cache.values, cache.offset, cache._idx = saved
    else:
        cache.offset = saved
