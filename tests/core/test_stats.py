"""RunStats counts every figure once, and the verdict says in words where the measurement sits."""

from __future__ import annotations

import math

import pytest
from scipy.stats import binomtest

from draftlens.core.round import Emitted, Fate, FinishReason, Proposed, Round, Source, Timings
from draftlens.core.rules import RuleId
from draftlens.core.stats import RunStats, Verdict, wilson


def proposed(fate: Fate, low: float = 0.4, high: float = 0.7, expected: float | None = 0.7) -> Proposed:
    if fate is Fate.UNTESTED:
        return Proposed(1, "x", 0.5, None, None, None, None, None, None, fate)
    return Proposed(1, "x", 0.5, 0.6, 0.3, None, high, low, expected, fate)


def round_of(
    *fates: Fate,
    source: Source | None = None,
    rule: RuleId = RuleId.STOCHASTIC,
    finish: FinishReason | None = None,
    paused: bool = False,
) -> Round:
    accepted = sum(f is Fate.ACCEPTED for f in fates)
    whole = accepted == len(fates)
    kind = source or (Source.BONUS if fates and whole else Source.RESIDUAL if fates else Source.PLAIN)
    last = Emitted(2, "y", kind, 0.5, 0.1)
    drafts = tuple(Emitted(1, "x", Source.DRAFT, 0.6, None) for _ in range(accepted))
    return Round(
        index=0,
        position=0,
        context=5,
        rule=rule,
        drafter="classic",
        proposals=tuple(proposed(f) for f in fates),
        emitted=(*drafts, last),
        next=last,
        text="",
        finish=finish,
        paused=paused,
        timings=Timings(1.0, 2.0, 3.0, 4.0),
    )


A, R, U = Fate.ACCEPTED, Fate.REJECTED, Fate.UNTESTED


def added(*rounds: Round) -> RunStats:
    stats = RunStats()
    for made in rounds:
        stats.add(made)
    return stats


def test_three_rates_have_three_denominators() -> None:
    stats = added(round_of(A, A, R, U), round_of(A, R, U, U, U), round_of(A))
    assert (stats.rounds, stats.proposed, stats.tested, stats.accepted) == (3, 10, 6, 4)
    assert stats.per_position_acceptance == pytest.approx(4 / 6)
    assert stats.acceptance_rate == pytest.approx(0.4)
    assert stats.mean_accepted_len == pytest.approx(4 / 3)
    assert (stats.ended, stats.censored) == ({2: 1, 1: 1}, {1: 1})
    assert stats.bonus == 1


def test_without_rounds_every_rate_is_zero_and_unknown_figures_are_none() -> None:
    stats = RunStats()
    assert (stats.per_position_acceptance, stats.acceptance_rate, stats.mean_accepted_len) == (0, 0, 0)
    assert stats.interval is stats.closed_form_min is stats.closed_form_prod is stats.z is None
    assert stats.tokens_per_forward is stats.tokens_per_second is None


def test_the_prefill_token_and_plain_steps_only_add_tokens() -> None:
    stats = added(round_of(source=Source.PREFILL), round_of(), round_of(paused=True), round_of(A, R))
    assert stats.generated == 5
    assert (stats.rounds, stats.plain_steps, stats.paused_rounds) == (1, 2, 1)
    assert stats.rule is RuleId.STOCHASTIC
    assert stats.drafter == "classic"


def test_times_are_added_without_the_prefill_round_which_the_prompt_time_holds() -> None:
    stats = added(round_of(source=Source.PREFILL), round_of(), round_of(A, R))
    assert (stats.draft_ms, stats.verify_ms, stats.judge_ms, stats.other_ms) == (2, 4, 6, 8)
    assert stats.decode_ms == 20
    # 3 tokens after the first in 20 ms
    assert stats.tokens_per_second == pytest.approx(150)
    assert stats.tokens_per_forward == pytest.approx(1.5)


def test_the_finish_reason_is_that_of_the_last_round_that_has_one() -> None:
    assert added(round_of(A, R), round_of(A, R, finish=FinishReason.LENGTH)).finish is FinishReason.LENGTH


def test_closed_forms_are_means_over_tested_positions() -> None:
    stats = added(round_of(A, R, U, U), round_of(A))
    assert stats.closed_form_min == pytest.approx(0.7)
    assert stats.closed_form_prod == pytest.approx(0.4)
    assert stats.form_count == 3


@pytest.mark.parametrize(("hits", "trials"), [(0, 1), (1, 1), (18, 24), (0, 50), (50, 50), (333, 1000)])
def test_the_interval_is_wilsons(hits: int, trials: int) -> None:
    expected = binomtest(hits, trials).proportion_ci(0.95, method="wilson")
    assert wilson(hits, trials) == pytest.approx((expected.low, expected.high))


def test_an_interval_of_nothing_is_unknown() -> None:
    assert wilson(0, 0) is None


def test_z_uses_the_running_rules_own_form_at_each_position() -> None:
    stats = added(*[round_of(A, R)] * 50)
    assert stats.z == pytest.approx((50 - 70) / math.sqrt(100 * 0.7 * 0.3))


def measured(
    accepted: int,
    tested: int,
    low: float,
    high: float,
    rule: RuleId = RuleId.STOCHASTIC,
    expected: float | None = None,
) -> Verdict:
    own = expected if expected is not None else high if rule is RuleId.STOCHASTIC else low
    return RunStats(
        rule=rule,
        rounds=tested,
        proposed=tested,
        tested=tested,
        accepted=accepted,
        form_count=tested,
        sum_min=high * tested,
        sum_prod=low * tested,
        expected_count=tested,
        expected_sum=own * tested,
        expected_variance=own * (1 - own) * tested,
        expected_accepted=accepted,
    ).verdict()


def test_a_measurement_within_two_sigma_sits_at_its_form() -> None:
    # sigma of 1000 tests at .7 is 14.49
    verdict = measured(706, 1000, 0.4, 0.7)
    assert verdict.sentence == "sits at sum_min, as rule=stochastic predicts (z = 0.4)"
    assert verdict.tone == "ok"
    default = measured(395, 1000, 0.4, 0.7, RuleId.SAMPLER_MATCH)
    assert default.sentence == "sits at sum_prod, as rule=sampler-match predicts (z = −0.3)"


def test_a_measurement_between_two_and_three_sigma_is_near_its_form() -> None:
    low = measured(665, 1000, 0.4, 0.7)
    assert low.sentence == "near sum_min, a little low for rule=stochastic (z = −2.4); more rounds will tell"
    assert low.tone == "info"
    assert "a little high" in measured(735, 1000, 0.4, 0.7).sentence


def test_a_measurement_at_the_other_form_asks_whether_the_rule_ran() -> None:
    verdict = measured(405, 1000, 0.4, 0.7)
    assert verdict.sentence == (
        "sits at sum_prod, but rule=stochastic predicts sum_min (z = −20.4). Check that the rule really ran."
    )
    assert verdict.tone == "warning"
    other = measured(702, 1000, 0.4, 0.7, RuleId.SAMPLER_MATCH)
    assert other.sentence.startswith("sits at sum_min, but rule=sampler-match predicts sum_prod (z = 19.5).")


def test_a_measurement_at_neither_form_accuses_the_accept_test() -> None:
    verdict = measured(550, 1000, 0.4, 0.7)
    assert verdict.sentence == "sits at neither closed form (z = −10.4). The accept test or p and q are wrong."
    assert verdict.tone == "error"


def test_a_sum_min_below_sum_prod_cannot_happen_and_is_said_even_of_few_positions() -> None:
    verdict = measured(5, 10, 0.7, 0.4)
    assert verdict.sentence == "sum_min is below sum_prod, which cannot happen. p or q is wrong."
    assert verdict.tone == "error"


def test_forms_within_two_hundredths_cannot_tell_the_rules_apart() -> None:
    verdict = measured(700, 1000, 0.69, 0.7)
    assert verdict.sentence == "sum_prod and sum_min nearly coincide here; this run cannot tell the rules apart"
    assert verdict.tone == "info"
    assert measured(700, 1000, 0.67, 0.7).tone == "ok"
    assert measured(300, 1000, 0.69, 0.7).tone == "error"


def test_fewer_than_a_hundred_positions_are_still_being_measured() -> None:
    assert measured(43, 61, 0.4, 0.7) == Verdict("measuring, n = 61", "none")
    assert measured(0, 99, 0.4, 0.7).sentence == "measuring, n = 99"
    assert measured(70, 100, 0.4, 0.7).tone == "ok"


def test_rules_without_a_prediction_say_so() -> None:
    assert RunStats().verdict() == Verdict("No verify round ran.", "none")
    greedy = measured(70, 100, 0.4, 0.7, RuleId.GREEDY_ARGMAX)
    assert greedy == Verdict("Greedy draws nothing; acceptance is agreement with the argmax.", "none")
    biased = measured(70, 100, 0.4, 0.7, RuleId.ARGMAX_AGAINST_ARGMAX)
    words = "Biased above temperature 0: the closed forms do not bound it. It expects q(argmax p) = 0.4000."
    assert biased == Verdict(words, "warning")
    silent = RunStats(rule=RuleId.STOCHASTIC, tested=500, accepted=300)
    assert silent.verdict() == Verdict("Closed forms are off for this reply.", "none")
