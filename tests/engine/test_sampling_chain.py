"""Logits to probabilities: each filter by its numbers, the order they act in, and one history for block and step."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from draftlens.core.errors import UserError
from draftlens.core.params import SamplingParams
from draftlens.engine.sampling import Chain, Rows, check_bias, draw


def probabilities(
    logits: Sequence[float], history: Sequence[int] = (), gates: Sequence[float] = (), **params: Any
) -> NDArray[np.float32]:
    chain = Chain(SamplingParams(**{"temperature": 1.0, **params}), len(logits), protected=(0,))
    return np.array(chain.rows(mx.array([list(logits)]), history, None, gates).probs[0])


def scores(logits: Sequence[float], history: Sequence[int] = (), **params: Any) -> list[float]:
    chain = Chain(SamplingParams(**{"temperature": 1.0, **params}), len(logits))
    return np.array(chain.rows(mx.array([list(logits)]), history).scores[0]).tolist()  # type: ignore[no-any-return]


def test_without_filters_it_is_the_softmax_of_logits_over_temperature() -> None:
    logits = np.array([2, 1, 0.5, 0, -0.5, -1])
    expected = np.exp(logits / 0.7) / np.exp(logits / 0.7).sum()
    assert np.abs(probabilities(logits.tolist(), temperature=0.7) - expected).max() < 1e-5


def test_a_greedy_row_is_not_tempered_and_its_argmax_is_the_draw() -> None:
    rows = Chain(SamplingParams(temperature=0), 4).rows(mx.array([[0.1, 3.0, 0.2, -1.0]]))
    assert np.array(rows.scores[0]).tolist() == pytest.approx([0.1, 3.0, 0.2, -1.0])
    assert int(np.argmax(np.array(rows.scores[0]))) == 1


def test_top_k_leaves_exact_zeros_outside() -> None:
    p = probabilities([3, 2.5, 1, 0.5, 0, -2], top_k=2)
    assert (p[:2] > 0).all()
    assert p[2:].tolist() == [0.0] * 4


def test_filters_act_before_the_temperature() -> None:
    row = np.log([0.5, 0.3, 0.15, 0.05]).tolist()
    assert probabilities(row, temperature=0.5, top_p=0.9) == pytest.approx([0.6897, 0.2483, 0.0621, 0], abs=1e-4)


def test_top_k_keeps_every_tie_at_the_threshold() -> None:
    assert (probabilities([3, 1, 1, 1, 0], top_k=2) > 0).tolist() == [True, True, True, True, False]


@pytest.mark.parametrize("k", [0, 5, 6, 10**9])
def test_top_k_of_zero_or_at_least_the_vocabulary_is_off(k: int) -> None:
    assert probabilities([3, 2, 1, 0, -1], top_k=k) == pytest.approx(probabilities([3, 2, 1, 0, -1]))


@pytest.mark.parametrize(
    ("top_p", "kept"),
    [(0.01, 1), (0.49, 1), (0.5, 2), (0.79, 2), (0.81, 3), (0.949, 3), (0.951, 4), (1.0, 4)],
)
def test_top_p_keeps_a_token_if_the_mass_before_it_is_at_most_p(top_p: float, kept: int) -> None:
    row = np.log([0.5, 0.3, 0.15, 0.05]).tolist()
    assert int((probabilities(row, top_p=top_p) > 0).sum()) == kept


def test_top_p_counts_the_mass_that_top_k_left() -> None:
    # after top_k = 2 the row is (.625, .375): the second has .625 before it
    row = np.log([0.5, 0.3, 0.15, 0.05]).tolist()
    assert (probabilities(row, top_k=2, top_p=0.6) > 0).tolist() == [True, False, False, False]
    assert (probabilities(row, top_p=0.6) > 0).tolist() == [True, True, False, False]


@pytest.mark.parametrize(("top_k", "top_p"), [(1, 0.1), (3, 0.5), (2, 1e-6)])
def test_top_k_and_top_p_together_never_take_the_last_token(top_k: int, top_p: float) -> None:
    flat = Chain(SamplingParams(temperature=1, top_k=top_k, top_p=top_p), 6).rows(mx.zeros((1, 6)))
    assert float(np.array(flat.probs).sum()) == pytest.approx(1)


def test_min_p_keeps_what_reaches_its_share_of_the_most_likely() -> None:
    row = np.log([0.5, 0.3, 0.15, 0.05]).tolist()
    assert (probabilities(row, min_p=0.29) > 0).tolist() == [True, True, True, False]
    assert (probabilities(row, min_p=0.31) > 0).tolist() == [True, True, False, False]
    assert (probabilities(row, min_p=1.0) > 0).tolist() == [True, False, False, False]


def test_a_bias_is_added_before_everything_and_minus_infinity_bans_for_good() -> None:
    assert scores([1, 2, 3], logit_bias=((0, 5.0), (2, -1.5))) == pytest.approx([6, 2, 1.5])
    assert scores([1, 2, 3], logit_bias=((1, -math.inf), (1, 7.0), (1, -math.inf)))[1] == -math.inf
    assert probabilities([1, 9, 3], logit_bias=((1, -math.inf),))[1] == 0
    assert scores([1, 2, 3], logit_bias=((7, 5.0),)) == pytest.approx([1, 2, 3])


def test_a_bias_for_an_id_the_model_does_not_have_is_refused_by_name() -> None:
    with pytest.raises(UserError, match="token 7, but this model has 6 tokens"):
        check_bias(SamplingParams(logit_bias=((7, 1.0),)), 6)
    check_bias(SamplingParams(logit_bias=((5, 1.0),)), 6)


def test_the_repetition_penalty_divides_positive_and_multiplies_negative_logits() -> None:
    assert scores([1, 2, -1, 3, -2], [1, 3], repetition_penalty=2.0) == pytest.approx([1, 1.0, -1, 1.5, -2])
    assert scores([2, -2], [0, 1], repetition_penalty=1.5) == pytest.approx([4 / 3, -3])


def test_frequency_counts_and_presence_does_not() -> None:
    got = scores([0, 0, 0], [1, 1, 2], frequency_penalty=0.5, presence_penalty=0.25)
    assert got == pytest.approx([0, -1.25, -0.75])


def test_the_two_windows_are_separate_and_count_from_the_newest() -> None:
    params: dict[str, Any] = {"repetition_penalty": 2.0, "presence_penalty": 1.0}
    history = [0, 1, 2, 3]
    assert scores([4, 4, 4, 4], history, repetition_window=1, penalty_window=3, **params) == [4, 3, 3, 1]
    assert scores([4, 4, 4, 4], history, repetition_window=3, penalty_window=1, **params) == [4, 2, 2, 1]
    assert scores([4, 4, 4, 4], history, repetition_window=0, penalty_window=0, **params) == [4, 4, 4, 4]


def test_a_history_with_ids_beyond_the_vocabulary_touches_no_other_token() -> None:
    got = scores([1, 1, 1], [2, 3, 90, 2**20], repetition_penalty=2.0, frequency_penalty=0.25)
    assert got == pytest.approx([1, 1, 0.25])


def test_xtc_removes_the_top_choices_but_the_least_of_them_where_its_gate_is_open() -> None:
    row = np.log([0.05, 0.4, 0.3, 0.2, 0.05]).tolist()
    params: dict[str, Any] = {"xtc_probability": 0.5, "xtc_threshold": 0.15}
    assert (probabilities(row, gates=[0.49], **params) > 0).tolist() == [True, False, False, True, True]
    assert probabilities(row, gates=[0.5], **params) == pytest.approx(np.exp(row))
    assert probabilities(row, gates=[0.49], xtc_probability=0.5, xtc_threshold=0.35) == pytest.approx(np.exp(row))


def test_xtc_never_removes_a_protected_id() -> None:
    row = np.log([0.5, 0.3, 0.2]).tolist()
    kept = probabilities(row, gates=[0.0], xtc_probability=1.0, xtc_threshold=0.1)
    assert (kept > 0).tolist() == [True, False, True]


def test_xtc_looks_at_the_filtered_row() -> None:
    # .14 of the whole row, but above the threshold once top-k has left three tokens
    row = np.log([0.05, 0.3, 0.2, 0.14, 0.31]).tolist()
    params: dict[str, Any] = {"xtc_probability": 1.0, "xtc_threshold": 0.18}
    assert (probabilities(row, gates=[0.0], **params) > 0).tolist() == [True, False, True, True, False]
    three = probabilities(row, gates=[0.0], top_k=4, **params)
    assert three[0] == 0
    assert (three > 0).tolist() == [False, False, True, True, False]


def test_every_row_of_a_block_has_its_own_gate() -> None:
    chain = Chain(SamplingParams(temperature=1, xtc_probability=0.5, xtc_threshold=0.1), 3)
    assert chain.draws_gates
    rows = chain.rows(mx.array([np.log([0.5, 0.3, 0.2]).tolist()] * 2), gates=[0.9, 0.1])
    assert (np.array(rows.probs) > 0).tolist() == [[True, True, True], [False, False, True]]
    assert not Chain(SamplingParams(temperature=0, xtc_probability=0.5), 3).draws_gates


@pytest.mark.parametrize("temperature", [0.0, 1e-3, 1e-10, 1e-40, 1e-300, 5e-324])
def test_tiny_temperatures_are_greedy(temperature: float) -> None:
    chain = Chain(SamplingParams(temperature=temperature), 3)
    assert chain.greedy
    assert np.isfinite(np.array(chain.rows(mx.array([[1.0, 2.0, 3.0]])).scores)).all()


def test_the_smallest_temperature_that_draws_is_finite_and_sure() -> None:
    assert probabilities([100.0, -100.0, 99.0], temperature=0.0011) == pytest.approx([1, 0, 0])


def test_padded_columns_are_cut() -> None:
    rows = Chain(SamplingParams(temperature=1), 3).rows(mx.array([[1.0, 1.0, 1.0, 50.0]]))
    assert np.array(rows.probs).tolist() == [pytest.approx([1 / 3] * 3)]


@pytest.mark.parametrize("dtype", [mx.float16, mx.bfloat16, mx.float32])
def test_rows_are_float32_whatever_the_logits_are(dtype: mx.Dtype) -> None:
    rows = Chain(SamplingParams(temperature=0.7), 3).rows(mx.array([[1.0, 2.0, 3.0]], dtype=dtype))
    assert rows.scores.dtype == rows.probs.dtype == mx.float32


def test_peak_is_not_finite_exactly_where_no_token_can_be_taken() -> None:
    nan, banned = float("nan"), -math.inf
    rows = Chain(SamplingParams(temperature=1), 2).rows(mx.array([[0.0, nan], [banned, banned], [banned, 1.0]]))
    assert np.isfinite(np.array(rows.peak)).tolist() == [False, False, True]


IDS = st.integers(0, 5)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(
    st.lists(IDS, max_size=12),
    st.lists(IDS, min_size=1, max_size=5),
    st.integers(0, 9),
    st.integers(0, 9),
    st.binary(min_size=36, max_size=36),
)
def test_a_row_inside_a_block_is_the_row_of_decoding_step_by_step(
    history: list[int], drafts: list[int], repetition: int, penalty: int, noise: bytes
) -> None:
    params = SamplingParams(
        temperature=0.7,
        logit_bias=((2, 0.5),),
        repetition_penalty=1.3,
        repetition_window=repetition,
        frequency_penalty=0.4,
        presence_penalty=0.2,
        penalty_window=penalty,
        top_k=5,
        top_p=0.95,
        min_p=0.01,
    )
    chain = Chain(params, 6)
    logits = (np.frombuffer(noise, dtype=np.uint8).reshape(6, 6)[: len(drafts) + 1] / 64 - 2).astype(np.float32)
    block = chain.rows(mx.array(logits), history, mx.array(drafts, dtype=mx.int32))
    for i in range(len(drafts) + 1):
        step = chain.rows(mx.array(logits[i : i + 1]), history + drafts[:i])
        lazily = chain.rows(mx.array(logits[i : i + 1]), history, mx.array(drafts[:i], dtype=mx.int32) if i else None)
        for other in (step, lazily):
            assert np.array_equal(np.array(other.scores[0]), np.array(block.scores[i]))


@pytest.mark.parametrize("uniform", [0.0, 1 - 2.0**-24])
def test_a_draw_stays_inside_the_support_at_the_ends_of_the_unit_interval(uniform: float) -> None:
    for row in ([0.0, 0.5, 0.5, 0.0], [0.0, 3.0, 0.0], [0.0, 1e-30, 0.0], [0.0, 1.0, 1e-9, 0.0], [0.0, 0.1, 0.7, 0.0]):
        token = np.array(draw(mx.array([row]), mx.array([uniform])))[0]
        assert row[token] > 0


def test_a_draw_inverts_the_distribution_function_and_needs_no_sum_of_one() -> None:
    row = mx.array([[2.0, 0.0, 1.0, 1.0]] * 4)
    assert np.array(draw(row, mx.array([0.0, 0.49, 0.51, 0.76]))).tolist() == [0, 0, 2, 3]


def test_probabilities_given_as_such_are_kept_as_they_are() -> None:
    rows = Rows.of_probs(mx.array([[0.25, 0.75]]))
    assert np.array(rows.probs).tolist() == [[0.25, 0.75]]
    assert int(np.argmax(np.array(rows.scores))) == 1
