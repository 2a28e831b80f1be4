"""The text of whole sessions follows the target's distribution, whatever the drafter, the rule and the block."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from scipy.stats import chi2

from draftlens.core.params import SamplingParams
from draftlens.core.rules import RuleId
from draftlens.core.stats import RunStats
from draftlens.engine.drafters.draft_model import DraftModel
from draftlens.engine.keys import DrawName, Keys
from draftlens.engine.sampling import Chain
from draftlens.engine.target import DraftContext, Model, Target
from engine.toys import DRAFT_LOGITS, TARGET_LOGITS, Reply, Table, context_free, run, toy
from engine.trials import CRITICAL, chi_square

TOKENS = int(os.environ.get("MLXCEL_SPEC_DIST_SAMPLES") or 12000)
CALL = 64
WARM = SamplingParams(temperature=0.7)


def softmax(logits: Sequence[float], temperature: float = 0.7) -> list[float]:
    weights = np.exp(np.array(logits) / temperature)
    return [float(x) for x in weights / weights.sum()]


P, Q = softmax(TARGET_LOGITS), softmax(DRAFT_LOGITS)


def speculate(
    target: Model,
    drafter: Model,
    seed: int,
    sampling: SamplingParams = WARM,
    keys: Keys | None = None,
    **params: Any,
) -> Reply:
    keys = keys or Keys(seed)
    draft_chain = Chain(SamplingParams(temperature=sampling.temperature), drafter.vocabulary)
    model = DraftModel(DraftContext(drafter), draft_chain, keys)
    return run(Target(target), model, [1], sampling=sampling, keys=keys, **params)


def stream(count: int, k: int, rule: RuleId, sampling: SamplingParams = WARM, call: int = CALL) -> list[Reply]:
    target, drafter = context_free(TARGET_LOGITS), context_free(DRAFT_LOGITS)
    return [
        speculate(target, drafter, seed, sampling, k=k, rule=rule, max_tokens=call) for seed in range(-(-count // call))
    ]


def tokens_of(replies: Sequence[Reply]) -> list[int]:
    return [t for r in replies for t in r.tokens]


def test_the_fixture_has_the_known_figures() -> None:
    assert pytest.approx([0.68668, 0.16456, 0.08056, 0.03944, 0.01931, 0.00945], abs=5e-6) == P
    assert pytest.approx([0.40045, 0.34714, 0.07212, 0.12771, 0.03530, 0.01728], abs=5e-6) == Q
    assert np.minimum(P, Q).sum() == pytest.approx(0.70533, abs=5e-6)
    assert np.dot(P, Q) == pytest.approx(0.34380, abs=5e-6)
    rest = np.maximum(np.array(P) - Q, 0)
    assert rest / rest.sum() == pytest.approx([0.97135, 0, 0.02865, 0, 0, 0], abs=5e-6)


@pytest.mark.parametrize(("k", "share"), [(4, 1.0), (1, 0.5)])
def test_the_stochastic_stream_matches_the_target(k: int, share: float) -> None:
    assert chi_square(tokens_of(stream(int(TOKENS * share), k, RuleId.STOCHASTIC)), P) < CRITICAL[5]


@pytest.mark.parametrize("k", [4, 1])
def test_the_default_rules_stream_matches_the_target(k: int) -> None:
    assert chi_square(tokens_of(stream(TOKENS // 2, k, RuleId.SAMPLER_MATCH)), P) < CRITICAL[5]


def test_argmax_against_argmax_has_the_power_to_fail_this_test() -> None:
    assert chi_square(tokens_of(stream(640, 4, RuleId.ARGMAX_AGAINST_ARGMAX)), P) > CRITICAL[5]


def test_a_filtered_target_emits_nothing_outside_its_support() -> None:
    replies = stream(1536, 4, RuleId.STOCHASTIC, SamplingParams(temperature=0.7, top_k=2))
    tokens = tokens_of(replies)
    assert len(tokens) >= 1500
    assert set(tokens) == {0, 1}
    assert sum(Q[2:]) == pytest.approx(0.252, abs=1e-3)
    proposed = {p.token for r in replies for made in r.rounds for p in made.proposals}
    assert proposed == set(range(6))


def test_acceptance_sits_at_the_rules_own_closed_form() -> None:
    stats = {}
    for rule, calls in ((RuleId.STOCHASTIC, 24), (RuleId.SAMPLER_MATCH, 8)):
        stats[rule] = RunStats()
        for reply in stream(calls * 240, 4, rule, call=240):
            for made in reply.rounds:
                stats[rule].add(made)
    best, default = stats[RuleId.STOCHASTIC], stats[RuleId.SAMPLER_MATCH]
    sigma = (0.70533 * 0.29467 / best.tested) ** 0.5
    assert abs(best.per_position_acceptance - 0.70533) < 5 * sigma
    assert best.per_position_acceptance > 0.34380
    assert best.mean_accepted_len == pytest.approx(1.8012, rel=0.12)
    assert default.mean_accepted_len == pytest.approx(0.5166, rel=0.12)
    assert best.mean_accepted_len > 2 * default.mean_accepted_len
    for run_stats in stats.values():
        assert run_stats.closed_form_min == pytest.approx(0.70533, abs=1e-5)
        assert run_stats.closed_form_prod == pytest.approx(0.34380, abs=1e-5)
        assert run_stats.verdict().tone in ("ok", "info")
        assert run_stats.z is not None and abs(run_stats.z) < 3


MARKOV_P = ((1.0, 0.2, -0.5), (-0.3, 0.8, 0.1), (0.4, -0.6, 0.9))
MARKOV_Q = ((0.1, 0.9, 0.0), (0.6, -0.4, 0.5), (-0.2, 0.7, 0.2))


def openings(rule: RuleId, count: int, keys_of: type[Keys]) -> list[int]:
    """The first three tokens of many seeds, as one number each."""
    target, drafter = toy(Table(MARKOV_P), 3), toy(Table(MARKOV_Q), 3)
    out = []
    for seed in range(count):
        reply = speculate(target, drafter, 0, keys=keys_of(seed), k=2, rule=rule, max_tokens=3, closed_forms=False)
        a, b, c = reply.tokens
        out.append(9 * a + 3 * b + c)
    return out


def openings_law() -> list[float]:
    rows = [softmax(row) for row in MARKOV_P]
    return [rows[1][a] * rows[a][b] * rows[b][c] for a in range(3) for b in range(3) for c in range(3)]


@pytest.mark.parametrize("rule", [RuleId.STOCHASTIC, RuleId.SAMPLER_MATCH])
def test_whole_openings_have_the_targets_law_so_rounds_share_no_uniform(rule: RuleId) -> None:
    assert chi_square(openings(rule, TOKENS // 12, Keys), openings_law()) < chi2.isf(1e-4, 26)


class SameForEveryName(Keys):
    """Keys that forget what a draw is for: the draft, its test and the replacement share one uniform."""

    def uniform(self, name: DrawName, position: int) -> float:
        return super().uniform("draw", position)


@pytest.mark.parametrize("rule", [RuleId.STOCHASTIC, RuleId.SAMPLER_MATCH])
def test_keys_without_names_are_found_out_where_they_matter(rule: RuleId) -> None:
    found = chi_square(openings(rule, TOKENS // 24, SameForEveryName), openings_law()) > chi2.isf(1e-4, 26)
    # Sampler-match emits the target's own draw, so its text cannot depend on how the draft was drawn.
    assert bool(found) == (rule is RuleId.STOCHASTIC)
