"""The table of a comparison: figures of every arm, differences from the first arm with their intervals, headroom."""

from __future__ import annotations

from dataclasses import dataclass

from draftlens.compare import metrics
from draftlens.compare.comparison import Comparison
from draftlens.compare.metrics import Metric
from draftlens.compare.statistics import Delta, over_rounds, over_trials
from draftlens.core.rules import RuleId
from draftlens.core.stats import RunStats

MEASURED = (
    metrics.TOKENS_PER_SECOND,
    metrics.PER_POSITION,
    metrics.MEAN_ACCEPTED,
    metrics.PER_FORWARD,
    metrics.FIRST_TOKEN,
)


@dataclass(frozen=True)
class Row:
    """One figure: a value for each arm, and a difference from the first arm for each other one."""

    metric: Metric
    values: tuple[float | None, ...]
    deltas: tuple[Delta | None, ...]


@dataclass(frozen=True)
class Table:
    """What a comparison says in numbers.

    Attributes:
        totals: each arm's figures over the trials that count.
        trials: their number; differences rest on them.
        rows: in the order shown.
        headroom: sum_min / sum_prod over the arms that share a drafter, None where it was not measured.
    """

    totals: tuple[RunStats, ...]
    trials: int
    rows: tuple[Row, ...]
    headroom: float | None

    @property
    def paired(self) -> bool:
        """Whether intervals are paired over trials; one trial has its rounds only."""
        return self.trials > 1

    def row(self, metric: Metric) -> Row:
        """The row of a figure."""
        return next(row for row in self.rows if row.metric is metric)


def table(comparison: Comparison) -> Table:
    """Count what has been run: the complete trials, or the one that is on its way while there is none."""
    counted = comparison.complete or comparison.begun[:1]
    arms = range(len(comparison.plan.arms))
    replies = [[comparison.reply(trial, arm) for trial in counted] for arm in arms]
    totals = tuple(comparison.total(arm, counted) for arm in arms)

    def delta(metric: Metric, arm: int) -> Delta | None:
        if len(counted) > 1:
            first, other = ([r.stats for r in replies[a]] for a in (0, arm))
            return over_trials(metric.of_trials(first), metric.of_trials(other))
        if counted and metric in metrics.ROUND_METRICS:
            return over_rounds(metric.of_rounds(replies[0][0].marks), metric.of_rounds(replies[arm][0].marks))
        before, after = metric.value(totals[0]), metric.value(totals[arm])
        return None if before is None or after is None else Delta(after - before, None)

    rows = tuple(
        Row(metric, tuple(metric.value(t) for t in totals), tuple(delta(metric, arm) for arm in arms if arm))
        for metric in MEASURED
    )
    return Table(totals, len(counted), rows, _headroom(comparison, totals))


def _headroom(comparison: Comparison, totals: tuple[RunStats, ...]) -> float | None:
    """One number only where all arms that draft do it with the same drafter and sampling."""
    drafting = [(arm, t) for arm, t in zip(comparison.plan.arms, totals, strict=True) if t.form_count]
    if (
        len({(a.params.sampling, a.params.drafter, a.draft_model, a.params.draft_temperature) for a, _ in drafting})
        != 1
    ):
        return None
    if any(t.rule is RuleId.GREEDY_ARGMAX for _, t in drafting):
        return None
    low, high = sum(t.sum_prod for _, t in drafting), sum(t.sum_min for _, t in drafting)
    return high / low if low > 0 else None
