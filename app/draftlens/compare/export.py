"""A comparison as files for others: JSON with everything in it, CSV with one line a round, one page of HTML."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from draftlens.compare import record
from draftlens.compare.arms import LETTERS
from draftlens.compare.comparison import Comparison
from draftlens.compare.readings import basis, notes
from draftlens.compare.report import page
from draftlens.compare.table import Table, table
from draftlens.core.errors import UserError
from draftlens.core.report import acceptance_json, timings_block
from draftlens.core.round import Round
from draftlens.core.values import flat

KINDS = (".json", ".csv", ".html")

_COLUMNS = (
    "trial",
    "prompt",
    "seed",
    "arm",
    "rule",
    "drafter",
    "k",
    "temperature",
    "round",
    "position",
    "drafted",
    "tested",
    "accepted",
    "emitted",
    "ended_by",
    "closed_form_sum_min",
    "closed_form_sum_prod",
    "draft_ms",
    "verify_ms",
    "judge_ms",
    "other_ms",
    "total_ms",
)


def write(comparison: Comparison, path: Path) -> None:
    """Write a comparison in the form its file's name asks for; the file is whole or not there at all.

    Raises:
        UserError: the name ends otherwise, or the file cannot be written.
    """
    makers = {".json": as_json, ".csv": as_csv, ".html": page}
    make = makers.get(path.suffix.lower())
    if make is None:
        raise UserError(f"{path.name} names no form to export in.", f"End it in {', '.join(KINDS)}.")
    part = path.with_name(f".{path.name}.part")
    try:
        part.write_text(make(comparison), encoding="utf-8")
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        reason = error.strerror or str(error)
        raise UserError(f"{path} cannot be written: {reason}.", "Choose another place.") from error


def as_json(comparison: Comparison) -> str:
    """Head, figures of the table, and every event; what `files.read` shows again."""
    whole: dict[str, Any] = record.head(comparison)
    whole["table"] = figures(table(comparison), comparison)
    whole["events"] = list(_entries(comparison))
    return json.dumps(whole, default=flat, ensure_ascii=False, indent=1) + "\n"


def figures(shown: Table, comparison: Comparison) -> dict[str, Any]:
    """The table as JSON values; an unknown figure is null."""
    return {
        "trials": shown.trials,
        "intervals": basis(shown, comparison),
        "headroom": shown.headroom,
        "notes": [note.sentence for note in notes(shown, comparison)],
        "arms": [
            {"arm": LETTERS[i], "acceptance": acceptance_json(stats), "timings": timings_block(stats)}
            for i, stats in enumerate(shown.totals)
        ],
        "rows": [
            {
                "metric": row.metric.name,
                "values": list(row.values),
                "differences": [
                    None if d is None else {"value": d.value, "interval": d.interval, "arm": LETTERS[i]}
                    for i, d in enumerate(row.deltas, 1)
                ],
            }
            for row in shown.rows
        ],
    }


def _entries(comparison: Comparison) -> Iterator[dict[str, Any]]:
    for trial in comparison.plan.trials:
        for arm in range(len(comparison.plan.arms)):
            for event in comparison.reply(trial.index, arm).events():
                entry = record.entry(trial.index, arm, event)
                if entry is not None:
                    yield entry
        for found in comparison.differences.get(trial.index, ()):
            yield record.difference(trial.index, found)


def as_csv(comparison: Comparison) -> str:
    """Lines that begin with # say what ran on what; then one line for each round of each arm."""
    out = io.StringIO()
    for name, value in record.head(comparison).items():
        out.write(f"# {name}: {json.dumps(value, default=flat, ensure_ascii=False)}\n")
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for trial in comparison.plan.trials:
        for arm, settings in enumerate(comparison.plan.arms):
            before = (trial.index, trial.prompt, trial.seed, LETTERS[arm])
            for made in comparison.reply(trial.index, arm).rounds:
                asked = (made.rule, made.drafter, settings.block, settings.params.sampling.temperature)
                writer.writerow((*before, *asked, *_round_cells(made)))
    return out.getvalue()


def _round_cells(made: Round) -> tuple[object, ...]:
    times = made.timings
    forms = [(p.sum_min, p.sum_prod) for p in made.proposals if p.sum_min is not None and p.sum_prod is not None]
    return (
        made.index,
        made.position,
        made.drafted,
        made.tested,
        made.accepted,
        len(made.emitted),
        "" if made.next is None else made.next.source,
        round(sum(low for low, _ in forms), 6) if forms else "",
        round(sum(high for _, high in forms), 6) if forms else "",
        *(round(ms, 3) for ms in (times.draft, times.verify, times.judge, times.other, times.total)),
    )
