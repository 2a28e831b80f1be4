"""The threshold of the proof is chi-square's own, and its verdict says what follows from both tests."""

from __future__ import annotations

import pytest
from scipy.stats import chi2

from draftlens.core.proof import LawTest, Proved, chi_square_tail, chi_square_threshold
from draftlens.core.rules import RuleId


@pytest.mark.parametrize("degrees", [1, 2, 3, 7, 8, 21, 60, 200])
def test_the_threshold_is_exact(degrees: int) -> None:
    assert chi_square_threshold(degrees) == pytest.approx(chi2.isf(1e-4, degrees), rel=1e-9)
    assert chi_square_tail(degrees, degrees * 1.3) == pytest.approx(chi2.sf(degrees * 1.3, degrees), rel=1e-9)
    assert chi_square_tail(degrees, 0) == 1


def proved(own: float, wrong: float, rule: RuleId = RuleId.STOCHASTIC) -> Proved:
    return Proved(1, rule, LawTest(f"rule={rule}", 1000, 4, own, 9), LawTest("Wrong", 1000, 4, wrong, 9))


def test_a_rule_holds_only_if_the_wrong_one_is_rejected() -> None:
    assert proved(9, 90).holds
    assert not proved(9, 12).holds
    assert proved(9, 12).verdict().startswith("Not decided: the test did not notice the wrong rule either")
    assert not proved(80, 90).holds
    assert proved(80, 90).verdict().endswith("rule=stochastic does not hold here.")


def test_a_rule_that_promises_nothing_is_not_blamed() -> None:
    found = proved(80, 90, RuleId.ARGMAX_AGAINST_ARGMAX)
    assert found.verdict().endswith("as rule=argmax-against-argmax never promised.")


def test_a_test_names_its_numbers() -> None:
    assert proved(9.04, 90).own.sentence() == (
        "rule=stochastic: n = 1,000 tokens in 4 contexts, χ² = 9.0 ≤ 33.7 (9 degrees of freedom, α = 1e-4)."
    )
