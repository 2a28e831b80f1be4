"""The verdict of a real loop: green for a right accept test, amber or red for a wrong one, at 1,500 tested places."""

from __future__ import annotations

from dataclasses import replace

import mlx.core as mx
import pytest

from draftlens.core.params import SamplingParams, SessionParams
from draftlens.core.rules import RuleId
from draftlens.core.stats import RunStats
from draftlens.engine.drafters.draft_model import DraftModel
from draftlens.engine.keys import Keys
from draftlens.engine.proposal import Dense, Proposal
from draftlens.engine.rules import AcceptanceRule, ClosedForms, Coins, SamplerMatch, Stochastic, Verdict, rule_for
from draftlens.engine.sampling import Chain, Rows
from draftlens.engine.session import Session
from draftlens.engine.target import DraftContext, Target
from engine.toys import DRAFT_LOGITS, TARGET_LOGITS, context_free
from engine.wrong_rules import SquaredUniform

TESTED = 1500
WARM = SamplingParams(temperature=0.7)


class MatchesInstead:
    """Says it is stochastic and matches a draw."""

    id = RuleId.STOCHASTIC

    def judge(self, target: Rows, proposal: Proposal, coins: Coins) -> Verdict:
        return replace(SamplerMatch().judge(target, proposal, coins), drawn=None)

    def closed_forms(self, target: Rows, proposal: Proposal) -> ClosedForms:
        return Stochastic().closed_forms(target, proposal)


class WrongQ:
    """Tests against a q that is half of what the draft was drawn with."""

    id = RuleId.STOCHASTIC

    def judge(self, target: Rows, proposal: Proposal, coins: Coins) -> Verdict:
        assert isinstance(proposal.distribution, Dense)
        return Stochastic().judge(
            target, Proposal(proposal.tokens, Dense(mx.minimum(proposal.distribution.rows * 2, 1))), coins
        )

    def closed_forms(self, target: Rows, proposal: Proposal) -> ClosedForms:
        return Stochastic().closed_forms(target, proposal)


def measured(rule: AcceptanceRule, seed: int = 3) -> RunStats:
    """Run blocks until enough positions were tested."""
    keys = Keys(seed)
    drafter = DraftModel(DraftContext(context_free(DRAFT_LOGITS)), Chain(WARM, 6), keys)
    params = SessionParams(sampling=WARM, k=4, rule=rule.id, max_tokens=10 * TESTED)
    session = Session(Target(context_free(TARGET_LOGITS)), drafter, params, keys)
    session.rule = rule
    stats = RunStats()
    for made in session.rounds([1]):
        stats.add(made)
        if stats.tested >= TESTED:
            break
    return stats


@pytest.mark.parametrize("rule", [RuleId.SAMPLER_MATCH, RuleId.STOCHASTIC])
def test_a_right_rule_sits_within_three_sigma_of_its_closed_form(rule: RuleId) -> None:
    stats = measured(rule_for(rule))
    assert stats.tested >= TESTED
    assert stats.z is not None and abs(stats.z) <= 3
    assert stats.verdict().tone in ("ok", "info")
    name = "sum_min" if rule is RuleId.STOCHASTIC else "sum_prod"
    assert name in stats.verdict().sentence


def test_a_rule_that_is_another_one_is_amber_and_names_it() -> None:
    verdict = measured(MatchesInstead()).verdict()
    assert verdict.tone == "warning"
    assert verdict.sentence.startswith("sits at sum_prod, but rule=stochastic predicts sum_min")


@pytest.mark.parametrize("rule", [SquaredUniform(), WrongQ()])
def test_a_wrong_accept_test_is_red(rule: AcceptanceRule) -> None:
    verdict = measured(rule).verdict()
    assert verdict.tone == "error"
    assert verdict.sentence.startswith("sits at neither closed form")
