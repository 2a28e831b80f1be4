"""Forgetting the newest entries of a cache is logical and exact: what is appended later shows no trace of them."""

from __future__ import annotations

from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from mlx_lm.models.cache import ArraysCache, CacheList, KVCache, QuantizedKVCache, RotatingKVCache

from draftlens.core.errors import BugError
from draftlens.engine import rollback
from draftlens.engine.hooks import Recording

SIZE = 64


def entries(start: int, count: int, dtype: mx.Dtype = mx.float16) -> mx.array:
    key = mx.random.key(start)
    return mx.random.normal((1, 2, count, SIZE), key=key).astype(dtype)


def append(cache: Any, start: int, count: int) -> None:
    cache.update_and_fetch(entries(start, count), entries(start + 1000, count))


def bytes_of(cache: Any) -> list[bytes]:
    parts: list[mx.array] = []
    for held in (cache.keys, cache.values):
        parts.extend(held if isinstance(held, tuple | list) else [held])
    return [np.array(p[..., : cache.offset, :]).tobytes() for p in parts]


MAKERS = [KVCache, lambda: QuantizedKVCache(group_size=64, bits=8)]


@pytest.mark.parametrize("make", MAKERS)
def test_trim_then_append_is_byte_identical_to_never_having_written(make: Any) -> None:
    rolled, clean = make(), make()
    for cache in (rolled, clean):
        append(cache, 1, 20)
    append(rolled, 2, 7)
    rollback.trim([rolled], 7)
    for cache in (rolled, clean):
        append(cache, 3, 5)
    assert rolled.offset == clean.offset == 25
    assert bytes_of(rolled) == bytes_of(clean)


@pytest.mark.parametrize("make", MAKERS)
def test_trimming_across_a_growth_of_the_buffer_is_exact(make: Any) -> None:
    rolled, clean = make(), make()
    for cache in (rolled, clean):
        append(cache, 1, 254)
    append(rolled, 2, 5)
    rollback.trim([rolled], 4)
    append(clean, 2, 5)
    clean.trim(4)
    for cache in (rolled, clean):
        append(cache, 3, 9)
    assert bytes_of(rolled) == bytes_of(clean)


def test_trimming_moves_the_offset_and_copies_nothing() -> None:
    cache = KVCache()
    append(cache, 1, 20)
    buffer = cache.keys
    rollback.trim([cache], 6)
    assert cache.keys is buffer
    assert cache.offset == 14
    rollback.trim([cache], 0)
    assert cache.offset == 14


def test_dropping_more_than_there_is_is_a_bug_that_is_reported() -> None:
    cache = KVCache()
    append(cache, 1, 3)
    with pytest.raises(BugError, match="dropped fewer than 5"):
        rollback.trim([cache], 5)


def test_a_list_with_one_cache_that_cannot_be_trimmed_is_not_trimmed_in_silence() -> None:
    assert rollback.can_trim([KVCache(), CacheList(KVCache(), KVCache())])
    assert not rollback.can_trim([KVCache(), ArraysCache(1)])
    assert not rollback.can_trim([CacheList(KVCache(), ArraysCache(1))])
    assert not rollback.can_trim([RotatingKVCache(16)])


def test_a_target_is_refused_only_where_no_recipe_exists_and_the_reason_is_named() -> None:
    assert rollback.rewind_refusal([KVCache(), ArraysCache(1), RotatingKVCache(8)], 1) is None
    unhooked = rollback.rewind_refusal([KVCache(), ArraysCache(1)], 0)
    assert unhooked == "this target's cache cannot rewind (a recurrent state of a kind without a roll-back recipe)"
    kept = rollback.rewind_refusal([RotatingKVCache(8, keep=4)], 0)
    assert kept == "this target's cache cannot rewind (RotatingKVCache with kept first tokens)"
    assert rollback.replay_refusal([ArraysCache(2), RotatingKVCache(8)]) is None


@pytest.mark.parametrize("keep", [1, 2, 3, 4])
@pytest.mark.parametrize("held", [3, 7, 8, 9, 20])
@pytest.mark.parametrize("single", [True, False])
def test_a_rotating_cache_keeps_the_first_rows_of_a_block_wherever_its_ring_stands(
    held: int, keep: int, single: bool
) -> None:
    rolled, clean = RotatingKVCache(8), RotatingKVCache(8)
    for cache in (rolled, clean):
        for i in range(held if single else 1):
            append(cache, i, 1 if single else held)
    snapshot = rollback.Snapshot([rolled], 4)
    append(rolled, 100, 4)
    snapshot.keep(keep, Recording())
    block = entries(100, 4), entries(1100, 4)
    clean.update_and_fetch(*(b[..., :keep, :] for b in block))
    assert rolled.offset == clean.offset == held + keep
    for start in range(200, 212):
        seen = [c.update_and_fetch(entries(start, 1), entries(start + 1000, 1)) for c in (rolled, clean)]
        # The order within the ring is free; attention sums over it.
        assert sorted(row_keys(seen[0][0])) == sorted(row_keys(seen[1][0]))


def row_keys(keys: mx.array) -> list[bytes]:
    return [np.array(keys[0, :, i]).tobytes() for i in range(keys.shape[2])]


@pytest.mark.parametrize("held", [3, 8, 20])
def test_a_rotating_cache_is_restored_whole_after_a_block_or_a_copied_run_of_single_rows(held: int) -> None:
    for copy in (False, True):
        cache, clean = RotatingKVCache(8), RotatingKVCache(8)
        for c in (cache, clean):
            for i in range(held):
                append(c, i, 1)
        snapshot = rollback.Snapshot([cache], 1 if copy else 4, ring_copy=copy)
        for i in range(5 if copy else 1):
            append(cache, 50 + i, 1 if copy else 4)
        snapshot.restore()
        for start in (200, 201):
            seen = [c.update_and_fetch(entries(start, 1), entries(start + 1000, 1)) for c in (cache, clean)]
            assert row_keys(seen[0][0]) == row_keys(seen[1][0])


def test_a_single_row_in_a_ring_cannot_be_taken_back_and_says_so() -> None:
    cache = RotatingKVCache(8)
    append(cache, 1, 9)
    snapshot = rollback.Snapshot([cache], 1)
    assert not snapshot.can_restore
    with pytest.raises(BugError):
        snapshot.restore()


@pytest.mark.parametrize("rows", [0, 5])
def test_keeping_no_row_or_too_many_is_a_bug_that_is_reported(rows: int) -> None:
    cache = KVCache()
    snapshot = rollback.Snapshot([cache], 4)
    append(cache, 1, 4)
    with pytest.raises(BugError, match="cannot keep"):
        snapshot.keep(rows, Recording())


def test_copies_of_nested_caches_grow_on_their_own() -> None:
    rows = mx.ones((1, 1, 3, 4))
    nested = [CacheList(KVCache(), KVCache()), KVCache()]
    for cache in rollback.flat(nested):
        cache.update_and_fetch(rows, rows)
    grown = rollback.flat(rollback.copies(nested))
    for cache in grown:
        cache.update_and_fetch(rows[:, :, :1], rows[:, :, :1])
    assert [c.offset for c in grown] == [4, 4, 4]
    assert [c.offset for c in rollback.flat(nested)] == [3, 3, 3]
