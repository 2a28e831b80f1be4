"""An error inside a round costs the round and nothing else: the caches are in step, the next reply is right."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import pytest
from mlx_lm.models.cache import ConcatenateKVCache, KVCache

from draftlens.core.errors import BadRow
from draftlens.core.params import SamplingParams
from draftlens.engine.drafters.draft_model import DraftModel
from draftlens.engine.keys import Keys
from draftlens.engine.sampling import Chain
from draftlens.engine.target import DraftContext, Model, Target
from engine.checks import assert_in_step, naive
from engine.families import TARGETS, VOCABULARY, model
from engine.toys import GREEDY, Adversary, Scripted, remember, run, toy

PROMPT = [7, 3, 11, 3, 29, 14, 5, 2, 40, 17]
TOKENS = 20


class Broken(Exception):
    """The forward failed."""


@contextmanager
def failing(network: nn.Module, at: int, poison: float | None = None) -> Iterator[None]:
    """Let the network's `at`-th forward from now raise after it has run, or give rows of `poison`."""
    original = type(network)
    calls = [0]

    def call(self: Any, ids: mx.array, cache: Any = None) -> mx.array:
        out: mx.array = original.__call__(self, ids, cache=cache)
        calls[0] += 1
        if calls[0] != at:
            return out
        if poison is None:
            raise Broken
        return out + poison

    network.__class__ = type(f"Failing{original.__name__}", (original,), {"__call__": call})
    try:
        yield
    finally:
        network.__class__ = original


def start(made: Model) -> tuple[Target, Adversary, list[int]]:
    truth = naive(made, PROMPT, TOKENS)
    return Target(made), Adversary(truth, VOCABULARY, rate=0.2, seed=4), truth


@pytest.mark.parametrize("at", [2, 3, 5])
@pytest.mark.parametrize("family", TARGETS)
def test_after_a_forward_that_raises_the_context_is_consistent_and_works(family: str, at: int) -> None:
    made = model(family)
    target, adversary, truth = start(made)
    with failing(made.network, at), pytest.raises(Broken):
        run(target, adversary, PROMPT, max_tokens=TOKENS, k=4)
    assert_in_step(target)
    assert run(target, None, PROMPT, max_tokens=6).tokens == truth[:6]


@pytest.mark.parametrize("k", [0, 4])
@pytest.mark.parametrize("at", [2, 3, 5])
@pytest.mark.parametrize("family", TARGETS)
def test_rows_of_nan_are_a_clear_error_and_leave_the_caches_in_step(family: str, at: int, k: int) -> None:
    made = model(family)
    target, adversary, truth = start(made)
    with failing(made.network, at, float("nan")), pytest.raises(BadRow, match="NaN"):
        run(target, adversary if k else None, PROMPT, max_tokens=TOKENS, k=k)
    assert_in_step(target)
    assert run(target, None, PROMPT, max_tokens=6).tokens == truth[:6]


@pytest.mark.parametrize("temperature", [0.0, 0.7])
def test_banning_every_token_is_a_clear_error_and_never_a_random_token(temperature: float) -> None:
    bans = tuple((t, float("-inf")) for t in range(VOCABULARY))
    target = Target(model("qwen3"))
    with pytest.raises(BadRow, match="bans every one"):
        run(target, None, PROMPT, sampling=SamplingParams(logit_bias=bans, temperature=temperature), max_tokens=3)
    assert_in_step(target)


class OnlyFirstRowGood(nn.Module):
    """Says 1 in the first row of a block and NaN in every other."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]

    def make_cache(self) -> list[KVCache]:
        return [KVCache()]

    def __call__(self, ids: mx.array, cache: list[KVCache]) -> mx.array:
        remember(ids, cache[0])
        late = (mx.arange(ids.shape[1]) > 0)[None, :, None]
        return mx.where(late, float("nan"), 8.0 * (mx.arange(6) == 1))


@pytest.mark.parametrize("temperature", [0.0, 0.7])
def test_a_bad_row_after_a_rejection_is_of_no_consequence_but_one_after_an_acceptance_is(temperature: float) -> None:
    sampling = SamplingParams(temperature=temperature, top_k=2, min_p=0.5)
    rejected = run(Target(toy(OnlyFirstRowGood())), Scripted([[3], [3]]), [2], sampling=sampling, max_tokens=3, k=1)
    assert rejected.tokens == [1, 1, 1]
    with pytest.raises(BadRow, match="NaN"):
        run(Target(toy(OnlyFirstRowGood())), Scripted([[1], [1]]), [2], sampling=sampling, max_tokens=3, k=1)


DRAFT_FAMILIES = ("qwen3", "lfm2", "gemma4_text")


@pytest.mark.parametrize("at", [1, 2, 3, 4])
@pytest.mark.parametrize("family", DRAFT_FAMILIES)
def test_after_a_draft_model_that_raises_both_contexts_are_consistent_and_work(family: str, at: int) -> None:
    made, draft = model("qwen3"), model(family, seed=1)
    truth = naive(made, PROMPT, TOKENS)
    target, context = Target(made), DraftContext(draft)

    def drafter() -> DraftModel:
        return DraftModel(context, Chain(GREEDY, VOCABULARY), Keys(0))

    run(target, drafter(), PROMPT, max_tokens=3, k=4)
    with failing(draft.network, at), pytest.raises(Broken):
        run(target, drafter(), PROMPT, max_tokens=TOKENS, k=4)
    assert_in_step(target)
    assert_in_step(context)
    assert run(target, drafter(), PROMPT, max_tokens=TOKENS, k=4).tokens == truth


def test_a_target_that_raises_leaves_the_draft_context_consistent_too() -> None:
    for family in DRAFT_FAMILIES:
        made, draft = model("qwen3"), model(family, seed=1)
        target, context = Target(made), DraftContext(draft)
        drafter = DraftModel(context, Chain(GREEDY, VOCABULARY), Keys(0))
        with failing(made.network, 4), pytest.raises(Broken):
            run(target, drafter, PROMPT, max_tokens=TOKENS, k=4)
        assert_in_step(context)


class Unknown(nn.Module):
    """Its cache is of a type whose trimming is broken: it must not be relied on, not even for plain decoding."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]

    def make_cache(self) -> list[ConcatenateKVCache]:
        return [ConcatenateKVCache()]

    def __call__(self, ids: mx.array, cache: list[ConcatenateKVCache]) -> mx.array:
        keys = ids.astype(mx.float32)[:, None, :, None]
        seen, _ = cache[0].update_and_fetch(keys, keys)
        total = mx.sum(seen).astype(mx.int32) % 6
        return mx.broadcast_to(8.0 * (mx.arange(6) == total), (1, ids.shape[1], 6))


def test_a_cache_of_unknown_type_decodes_plainly_and_survives_a_bad_row() -> None:
    made = toy(Unknown())
    target = Target(made)
    assert target.rewind_refusal == "this target's cache cannot rewind (ConcatenateKVCache)"
    truth = naive(made, PROMPT[:3], 8)
    assert run(target, None, PROMPT[:3], max_tokens=8).tokens == truth
    with failing(made.network, 4, float("nan")), pytest.raises(BadRow):
        run(target, None, PROMPT[:3], max_tokens=8)
    assert target.caches[0].keys.shape[2] == len(target.tokens)
    assert run(target, None, PROMPT[:3], max_tokens=8).tokens == truth
