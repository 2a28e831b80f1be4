"""The rows of the table as texts, for window, terminal and report alike: the first arm and one other."""

from __future__ import annotations

from dataclasses import dataclass

from draftlens.compare import metrics
from draftlens.compare.comparison import Comparison
from draftlens.compare.metrics import Metric
from draftlens.compare.readings import (
    DASH,
    NOT_COMPARABLE,
    form_name,
    form_reading,
    form_value,
    interval,
    not_comparable,
    number,
    reading,
)
from draftlens.compare.table import Table


@dataclass(frozen=True)
class Cells:
    """One row.

    Attributes:
        values: of every arm.
        delta, interval: of the other arm from the first.
        badge: stands before the reading, for what must not be compared.
    """

    name: str
    meaning: str
    values: tuple[str, ...]
    delta: str
    interval: str
    reading: str
    badge: str = ""
    suffix: str = ""


def rows(table: Table, comparison: Comparison, arm: int) -> list[Cells]:
    """The rows in their fixed order; `arm` is the one held against the first."""
    made = []
    for row in table.rows:
        made.append(_measured(table, comparison, row.metric, arm))
        if row.metric is metrics.PER_POSITION:
            made.append(_form(table, arm))
    values = tuple(number(metrics.ACCEPTANCE_RATE.value(s), 4) for s in table.totals)
    made.append(
        Cells(
            metrics.ACCEPTANCE_RATE.name,
            metrics.ACCEPTANCE_RATE.meaning,
            values,
            DASH,
            DASH,
            not_comparable(table, comparison, arm),
            NOT_COMPARABLE,
        )
    )
    return made


def _measured(table: Table, comparison: Comparison, metric: Metric, arm: int) -> Cells:
    row = table.row(metric)
    delta = row.deltas[arm - 1]
    blocks = {a.block for a in comparison.plan.arms if a.block}
    suffix = f"of k = {min(blocks)}" if metric is metrics.MEAN_ACCEPTED and len(blocks) == 1 else ""
    if metric is metrics.FIRST_TOKEN:
        suffix = "ms"
    return Cells(
        metric.name,
        metric.meaning,
        tuple(number(value, metric.places) for value in row.values),
        number(None if delta is None else delta.value, metric.places, sign=True),
        interval(delta, metric),
        reading(table, comparison, metric, arm),
        suffix=suffix,
    )


def _form(table: Table, arm: int) -> Cells:
    values = tuple(
        f"{form_name(stats)} {number(value, 4)}" if (value := form_value(stats)) is not None else DASH
        for stats in table.totals
    )
    meaning = "The acceptance its rule predicts at the positions it tested: sum_prod or sum_min."
    return Cells("closed form for its rule", meaning, values, DASH, DASH, form_reading(table, arm))
