"""One accept test, by the numbers: rates, support and the residual's law; wrong rules exceed the same thresholds."""

from __future__ import annotations

import math

import mlx.core as mx
import numpy as np
import pytest
from scipy.stats import chi2

from draftlens.core.params import SamplingParams
from draftlens.core.rules import RuleId
from draftlens.engine.proposal import Dense, PointMass, Proposal
from draftlens.engine.rules import ArgmaxAgainstArgmax, Coins, SamplerMatch, Stochastic, rule_for
from draftlens.engine.sampling import Rows
from engine.toys import DRAFT_LOGITS, TARGET_LOGITS
from engine.trials import CRITICAL, chi_square, drawn_from, stratified, trials
from engine.wrong_rules import ArgmaxEmission, OtherTemperature, ResampleFromP, ReusedUniform

P = (0.55, 0.2, 0.12, 0.08, 0.05)
Q = (0.3, 0.35, 0.15, 0.15, 0.05)
RESIDUAL_P = (0.5, 0.25, 0.15, 0.07, 0.03)
RESIDUAL_Q = (0.2, 0.4, 0.05, 0.3, 0.05)


def sigmas(rate: float, expected: float, n: int) -> float:
    return abs(rate - expected) / (math.sqrt(expected * (1 - expected) / n) + 1e-12)


def test_the_critical_values_are_those_of_alpha_one_in_ten_thousand() -> None:
    assert all(value == pytest.approx(chi2.isf(1e-4, dof), abs=1e-3) for dof, value in CRITICAL.items())


@pytest.mark.parametrize("token", [0, 1])
def test_a_token_is_always_accepted_where_p_is_at_least_q(token: int) -> None:
    p, q = (0.6, 0.3, 0.1, 0.0), (0.2, 0.2, 0.1, 0.5)
    assert trials(Stochastic(), p, q, [token] * 400).accepted.all()


@pytest.mark.parametrize("token", [2, 3])
def test_a_token_outside_the_targets_support_is_never_accepted_nor_drawn(token: int) -> None:
    made = trials(Stochastic(), (0.7, 0.3, 0, 0), (0.1, 0.1, 0.4, 0.4), [token] * 400)
    assert not made.accepted.any()
    assert set(made.replacements) == {0, 1}


def test_where_q_underflowed_p_alone_decides() -> None:
    p, q = (1.0, 0.0, 0.0), (0.0, 0.0, 1.0)
    assert not trials(Stochastic(), p, q, [1] * 200).accepted.any()
    assert trials(Stochastic(), p, q, [0] * 200).accepted.all()


def test_a_uniform_of_exactly_zero_does_not_let_in_a_token_without_mass() -> None:
    rows = Rows.of_probs(mx.array([[1.0, 0.0], [1.0, 0.0]]))
    for distribution in (Dense(mx.array([[0.0, 1.0]])), PointMass()):
        proposal = Proposal(mx.array([1]), distribution)
        verdict = Stochastic().judge(rows, proposal, Coins(mx.array([0.0]), mx.array([0.0, 0.0])))
        assert (verdict.accepted.item(), verdict.next.item()) == (0, 0)


@pytest.mark.parametrize("token", range(4))
def test_the_accept_rate_of_a_token_is_the_smaller_of_one_and_p_over_q(token: int) -> None:
    p, q = (0.5, 0.2, 0.2, 0.1), (0.1, 0.4, 0.2, 0.3)
    expected = min(1.0, p[token] / q[token])
    assert sigmas(trials(Stochastic(), p, q, [token] * 4000).rate, expected, 4000) <= 4


def test_a_replacement_follows_the_residual_which_has_two_tokens() -> None:
    made = trials(Stochastic(), RESIDUAL_P, RESIDUAL_Q, drawn_from(RESIDUAL_Q, 12000))
    law = np.maximum(np.array(RESIDUAL_P) - RESIDUAL_Q, 0)
    assert law / law.sum() == pytest.approx([0.75, 0, 0.25, 0, 0])
    assert len(made.replacements) > 4000
    assert chi_square(made.replacements, law) < CRITICAL[1]
    more = trials(Stochastic(), RESIDUAL_P, RESIDUAL_Q, drawn_from(RESIDUAL_Q, 16000))
    assert len(more.replacements) > 6000
    assert chi_square(more.replacements, law) < CRITICAL[1]


@pytest.mark.parametrize("rule", [ResampleFromP(), ArgmaxEmission(), ReusedUniform(), OtherTemperature(0.3)])
def test_a_wrong_rule_does_not_follow_the_residual_or_the_target(rule: Stochastic) -> None:
    proposals = drawn_from(RESIDUAL_Q, 12000)
    made = trials(rule, RESIDUAL_P, RESIDUAL_Q, proposals)
    emitted = np.where(made.accepted, proposals, made.following)
    assert chi_square(emitted, RESIDUAL_P) > CRITICAL[4]


def test_the_right_rules_follow_the_target_where_the_wrong_ones_do_not() -> None:
    proposals = drawn_from(RESIDUAL_Q, 12000)
    for rule in (Stochastic(), SamplerMatch()):
        made = trials(rule, RESIDUAL_P, RESIDUAL_Q, proposals)
        assert chi_square(np.where(made.accepted, proposals, made.following), RESIDUAL_P) < CRITICAL[4]


def test_four_thousand_tokens_have_the_power_to_tell_the_wrong_rules_from_the_right_ones() -> None:
    p, q = (np.exp(np.array(row) / 0.7) for row in (TARGET_LOGITS, DRAFT_LOGITS))
    p, q = p / p.sum(), q / q.sum()
    resampled = np.minimum(p, q) + (1 - np.minimum(p, q).sum()) * p
    top = np.eye(6)[0]
    assert ((resampled - p) ** 2 / p).sum() == pytest.approx(0.03336, abs=5e-6)
    assert 4000 * ((top - p) ** 2 / p).sum() == pytest.approx(1825, abs=1)
    proposals = drawn_from(q.tolist(), 4000)
    found = []
    for rule in (Stochastic(), SamplerMatch(), ResampleFromP(), ArgmaxAgainstArgmax()):
        made = trials(rule, p.tolist(), q.tolist(), proposals)
        found.append(chi_square(np.where(made.accepted, proposals, made.following), p) < CRITICAL[5])
    assert found == [True, True, False, False]


def test_equal_p_and_q_always_accept_and_without_a_residual_the_draw_is_from_p() -> None:
    row = (0.0, 0.5, 0.25, 0.25)
    assert trials(Stochastic(), row, row, [1] * 64).accepted.all()
    rows, proposal = Rows.of_probs(mx.array([row, row])), Proposal(mx.array([0]), Dense(mx.array([row])))
    drawn = []
    for i in range(64):
        verdict = Stochastic().judge(rows, proposal, Coins(mx.array([0.5]), mx.array([i / 64, 0.5])))
        assert verdict.accepted.item() == 0
        drawn.append(verdict.next.item())
    assert [drawn.count(t) for t in range(4)] == [0, 32, 16, 16]
    equal = (0.6, 0.3, 0.1, 0.0)
    made = trials(Stochastic(), equal, equal, drawn_from(equal, 64))
    assert set(np.where(made.accepted, -1, made.following)) <= {-1, 0, 1, 2}


def test_the_rate_reaches_sum_min_for_stochastic_and_sum_prod_for_sampler_match() -> None:
    high, low = np.minimum(P, Q).sum(), np.dot(P, Q)
    assert (high, low) == pytest.approx((0.75, 0.2675))
    tokens = stratified(Q, 8000)
    assert sigmas(trials(Stochastic(), P, Q, tokens).rate, high, 8000) <= 4
    assert sigmas(trials(SamplerMatch(), P, Q, tokens).rate, low, 8000) <= 4


def test_argmax_against_argmax_accepts_at_q_of_the_argmax() -> None:
    made = trials(ArgmaxAgainstArgmax(), P, Q, stratified(Q, 8000))
    assert made.rate == pytest.approx(Q[0], abs=1e-3)
    assert set(made.following) == {0}


@pytest.mark.parametrize("rule_id", list(RuleId))
def test_the_closed_forms_are_the_sums_and_expected_is_the_running_rules_own(rule_id: RuleId) -> None:
    rows = Rows.of_probs(mx.array([P, P]))
    forms = rule_for(rule_id).closed_forms(rows, Proposal(mx.array([1]), Dense(mx.array([Q]))))
    if rule_id is RuleId.GREEDY_ARGMAX:
        assert [np.array(a).item() for a in forms.arrays()] == [0, 0, 0]
        return
    assert forms.sum_min.item() == pytest.approx(0.75, abs=1e-6)
    assert forms.sum_prod.item() == pytest.approx(0.2675, abs=1e-6)
    own = {RuleId.STOCHASTIC: 0.75, RuleId.ARGMAX_AGAINST_ARGMAX: Q[0]}.get(rule_id, 0.2675)
    assert forms.expected.item() == pytest.approx(own, abs=1e-6)


def test_the_closed_forms_of_a_certain_proposal_are_its_target_probability() -> None:
    forms = Stochastic().closed_forms(Rows.of_probs(mx.array([P, P])), Proposal(mx.array([2]), PointMass()))
    assert [np.array(a).item() for a in forms.arrays()] == pytest.approx([P[2]] * 3)


def test_greedy_is_temperature_zero_or_top_k_one() -> None:
    assert SamplingParams(temperature=0).greedy
    assert SamplingParams(temperature=1, top_k=1).greedy
    assert not SamplingParams(temperature=0.7, top_k=2).greedy
