"""Which rule runs, what is claimed of it, and the exact truth tables of the two environment variables."""

from __future__ import annotations

import pytest

from draftlens.core.rules import ASKABLE, RuleId, choose_rule, diagnostics_wanted, stochastic_wanted

STOCHASTIC = "MLXCEL_SPECULATIVE_STOCHASTIC_ACCEPT"
DIAGNOSTICS = "MLXCEL_SPECULATIVE_ACCEPT_DIAG"


@pytest.mark.parametrize("value", ["1", "true", "TRUE", " on ", "Yes", "\tyes\n", "On"])
def test_stochastic_is_wanted(value: str) -> None:
    assert stochastic_wanted({STOCHASTIC: value})


@pytest.mark.parametrize("value", ["0", "false", "off", "no", "", "maybe", "2", "y", "t", "11", "on1"])
def test_any_other_text_does_not_ask_for_stochastic(value: str) -> None:
    assert not stochastic_wanted({STOCHASTIC: value})
    assert not stochastic_wanted({})
    assert not stochastic_wanted({DIAGNOSTICS: "1"})


@pytest.mark.parametrize("value", ["1", "true", "yes", "on", "maybe", "2", " x ", "nope"])
def test_any_text_turns_the_diagnostics_on(value: str) -> None:
    assert diagnostics_wanted({DIAGNOSTICS: value})


@pytest.mark.parametrize("value", ["0", "false", "no", "off", "", "  ", "OFF", " No "])
def test_but_these_do_not(value: str) -> None:
    assert not diagnostics_wanted({DIAGNOSTICS: value})
    assert not diagnostics_wanted({})
    assert not diagnostics_wanted({STOCHASTIC: "1"})


@pytest.mark.parametrize("asked", ASKABLE)
@pytest.mark.parametrize("reports_q", [True, False])
def test_a_greedy_target_is_judged_greedily_whatever_is_asked(asked: RuleId, reports_q: bool) -> None:
    assert choose_rule(asked, greedy=True, drafter_reports_q=reports_q) is RuleId.GREEDY_ARGMAX


@pytest.mark.parametrize(
    ("asked", "reports_q", "runs"),
    [
        (RuleId.SAMPLER_MATCH, True, RuleId.SAMPLER_MATCH),
        (RuleId.SAMPLER_MATCH, False, RuleId.SAMPLER_MATCH),
        (RuleId.STOCHASTIC, True, RuleId.STOCHASTIC),
        (RuleId.STOCHASTIC, False, RuleId.SAMPLER_MATCH_NO_Q),
        (RuleId.ARGMAX_AGAINST_ARGMAX, True, RuleId.ARGMAX_AGAINST_ARGMAX),
        (RuleId.ARGMAX_AGAINST_ARGMAX, False, RuleId.ARGMAX_AGAINST_ARGMAX),
    ],
)
def test_above_temperature_zero_the_drafter_decides_whether_stochastic_can_run(
    asked: RuleId, reports_q: bool, runs: RuleId
) -> None:
    assert choose_rule(asked, greedy=False, drafter_reports_q=reports_q) is runs


def test_every_rule_but_argmax_against_argmax_is_lossless() -> None:
    assert [r for r in RuleId if not r.lossless] == [RuleId.ARGMAX_AGAINST_ARGMAX]
    assert RuleId.STOCHASTIC.guarantee == "lossless"
    assert RuleId.ARGMAX_AGAINST_ARGMAX.guarantee == "not lossless above temperature 0"
    assert all(r.sentence.endswith(".") and r.label for r in RuleId)
