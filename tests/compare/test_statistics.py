"""Intervals cover what they should, see what they should, and say nothing where nothing can be said."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats as scipy_stats

from compare.made import P_MIN, P_PROD, played
from draftlens.compare import metrics
from draftlens.compare.metrics import Metric
from draftlens.compare.statistics import over_rounds, over_trials, student_975
from draftlens.compare.table import MEASURED, table
from draftlens.core.rules import RuleId

SAME = (RuleId.STOCHASTIC, RuleId.STOCHASTIC)
RANDOM = [m for m in MEASURED if m is not metrics.FIRST_TOKEN]


@pytest.mark.parametrize("freedom", [1, 2, 7, 10, 11, 15, 19, 40, 200])
def test_students_quantile_is_that_of_the_tables(freedom: int) -> None:
    assert student_975(freedom) == pytest.approx(scipy_stats.t.ppf(0.975, freedom), rel=2e-4)


def covering(groups: int, seeds: int, slow: tuple[float, float] = (1.0, 1.0)) -> dict[str, int]:
    """How many of the groups have an interval that covers 0, for each figure."""
    found: dict[str, int] = {metric.name: 0 for metric in RANDOM}
    for group in range(groups):
        shown = table(played(SAME, seeds, slow, start=100 + group))
        for metric in RANDOM:
            delta = shown.row(metric).deltas[0]
            assert delta is not None and delta.interval is not None
            found[metric.name] += not delta.shown
    return found


@pytest.mark.parametrize("seeds", [1, 8])
def test_equal_arms_show_no_difference_in_at_least_17_of_20_groups(seeds: int) -> None:
    assert min(covering(20, seeds).values()) >= 17


def test_over_60_groups_the_intervals_cover_zero_about_as_often_as_they_say() -> None:
    for seeds in (1, 8):
        assert all(0.85 <= count / 60 <= 1 for count in covering(60, seeds).values()), seeds


@pytest.mark.parametrize(("slow", "least", "most"), [(1.0, 0, 3), (1.1, 20, 20)])
def test_a_round_that_takes_ten_percent_longer_is_seen_over_eight_seeds(slow: float, least: int, most: int) -> None:
    shown = [table(played(SAME, 8, (1.0, slow), start=i, alike=True)) for i in range(20)]
    deltas = [one.row(metrics.TOKENS_PER_SECOND).deltas[0] for one in shown]
    assert least <= sum(d is not None and d.shown for d in deltas) <= most
    if slow > 1:
        assert all(d is not None and d.value < 0 for d in deltas)


def test_the_rules_are_told_apart_each_at_its_own_closed_form() -> None:
    shown = table(played(seeds=8))
    first, other = shown.totals
    assert first.per_position_acceptance == pytest.approx(P_PROD, abs=0.05)
    assert other.per_position_acceptance == pytest.approx(P_MIN, abs=0.05)
    delta = shown.row(metrics.PER_POSITION).deltas[0]
    assert delta is not None and delta.shown and delta.value == pytest.approx(P_MIN - P_PROD, abs=0.06)
    assert shown.headroom == pytest.approx(P_MIN / P_PROD)


def test_a_difference_is_that_of_the_figures_shown() -> None:
    for seeds in (1, 6):
        shown = table(played(seeds=seeds))
        for row in shown.rows:
            (a, b), delta = row.values, row.deltas[0]
            assert a is not None and b is not None and delta is not None
            assert delta.value == pytest.approx(b - a)


def test_the_figures_are_those_of_runstats() -> None:
    made = played()
    shown, stats = table(made), made.reply(0, 1).stats
    expected: dict[Metric, float | None] = {
        metrics.TOKENS_PER_SECOND: stats.tokens_per_second,
        metrics.PER_POSITION: stats.per_position_acceptance,
        metrics.MEAN_ACCEPTED: stats.mean_accepted_len,
        metrics.PER_FORWARD: stats.tokens_per_forward,
        metrics.FIRST_TOKEN: stats.prompt_ms,
    }
    assert {m: shown.row(m).values[1] for m in expected} == pytest.approx(expected)


def test_neighbouring_rounds_that_are_alike_widen_the_interval() -> None:
    random = np.random.default_rng(3)
    drift = np.repeat(random.normal(30, 4, 20), 6)
    alike = np.column_stack([np.full(120, 2.0), drift])
    mixed = alike[random.permutation(120)]
    wide, narrow = over_rounds(alike, alike), over_rounds(mixed, mixed)
    assert wide is not None and narrow is not None and wide.interval is not None and narrow.interval is not None
    assert np.diff(wide.interval) > 1.3 * np.diff(narrow.interval)


def test_pairing_removes_what_both_arms_share() -> None:
    random = np.random.default_rng(4)
    shared = random.normal(30, 10, 12)
    a = np.column_stack([np.full(12, 60.0), shared])
    b = np.column_stack([np.full(12, 60.0), shared * 0.95])
    delta = over_trials(a, b)
    assert delta is not None and delta.shown


def test_with_few_rounds_or_one_trial_there_is_no_interval() -> None:
    few = np.ones((5, 2))
    assert over_rounds(few, few) is not None
    assert over_rounds(few, few).interval is None  # type: ignore[union-attr]
    assert over_trials(few[:1], few[:1]).interval is None  # type: ignore[union-attr]
    nothing = np.zeros((0, 2))
    assert over_rounds(nothing, few) is None
