"""One page of HTML about a comparison: what was asked, the table, what it says, plots; nothing from elsewhere."""

from __future__ import annotations

import json
from collections.abc import Iterable
from html import escape

from draftlens.compare import metrics, plots
from draftlens.compare.arms import LETTERS
from draftlens.compare.cells import rows
from draftlens.compare.comparison import Comparison
from draftlens.compare.readings import basis, notes
from draftlens.compare.record import SCHEDULES
from draftlens.compare.same_law import law_check
from draftlens.compare.table import Table, table
from draftlens.compare.verdicts import text_sentence

_STYLE = """
body { font: 14px/1.45 system-ui, sans-serif; color: #1c1c1e; background: #fff; max-width: 860px; margin: 32px auto;
  padding: 0 20px; }
h1 { font-size: 20px; } h2 { font-size: 15px; margin: 28px 0 8px; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th { font-weight: 400; color: #63636a; font-size: 12px; } th, td { padding: 5px 8px; border-bottom: 1px solid #e3e3e7;
  text-align: right; } th:first-child, td:first-child, th:last-child, td:last-child { text-align: left; }
.note { padding: 6px 10px; border-radius: 6px; background: #f2f2f5; } .warning { background: #fff1d9; }
.error { background: #fde8e8; } .quiet { color: #63636a; } svg { width: 100%; max-width: 640px; display: block; }
pre { white-space: pre-wrap; font: 13px/1.5 ui-monospace, monospace; background: #f7f7f9; padding: 10px; }
@media print { body { margin: 0; } }
"""


def page(comparison: Comparison) -> str:
    """The page; without scripts and without anything fetched, so that it can be mailed and printed."""
    shown = table(comparison)
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8"><title>Comparison of acceptance rules</title>',
        f"<style>{_STYLE}</style></head><body>",
        "<h1>Comparison of acceptance rules</h1>",
        _asked(comparison, shown),
        *(f'<p class="note {note.tone}">{escape(note.sentence)}</p>' for note in notes(shown, comparison)),
        *(_table(shown, comparison, arm) for arm in range(1, len(comparison.plan.arms))),
        f'<p class="quiet">{escape(basis(shown, comparison))}.</p>',
        _verdicts(comparison),
        "<h2>Acceptance against the closed forms</h2>",
        "<p class='quiet'>Dots: measured, with the Wilson 95% interval. Dashed: sum_prod. Solid: sum_min.</p>",
        plots.acceptance(shown.totals),
        "<h2>Accepted drafts a round</h2>",
        "<p class='quiet'>Share of each arm’s rounds by the number of drafts they accepted.</p>",
        plots.accepted_lengths(shown.totals),
        "<h2>Speed</h2>",
        "<p class='quiet'>Tokens a second of every arm, trial by trial.</p>",
        plots.speed(_speeds(comparison)),
        _texts(comparison),
        _settings(comparison),
        "</body></html>",
    ]
    return "\n".join(parts) + "\n"


def _asked(comparison: Comparison, shown: Table) -> str:
    plan = comparison.plan
    arms = "".join(
        f"<li><b>{LETTERS[i]}</b> {escape(arm.words(plan.arms[0].params))}</li>" for i, arm in enumerate(plan.arms)
    )
    size = f"Prompts: {len(plan.prompts)}, seeds: {len(plan.seeds)}, schedule: {SCHEDULES[plan.interleaved]}"
    words = f"{size}; {shown.trials} of {plan.count} trials counted."
    return f"<ul>{arms}</ul><p>{words}</p>"


def _table(shown: Table, comparison: Comparison, arm: int) -> str:
    names = (f"A {shown.totals[0].rule or ''}", f"{LETTERS[arm]} {shown.totals[arm].rule or ''}")
    head = ("metric", *names, f"Δ ({LETTERS[arm]} − A)", "95% CI of Δ", "reading")
    body = "".join(
        _row((row.name, row.values[0], row.values[arm], row.delta, row.interval, row.reading), "td")
        for row in rows(shown, comparison, arm)
    )
    ratio = "" if shown.headroom is None else f"<p>sum_min / sum_prod: headroom {shown.headroom:.2f}×</p>"
    return f"<h2>A and {LETTERS[arm]}</h2><table>{_row(head, 'th')}{body}</table>{ratio}"


def _row(cells: Iterable[str], tag: str) -> str:
    return f"<tr>{''.join(f'<{tag}>{escape(cell)}</{tag}>' for cell in cells)}</tr>"


def _verdicts(comparison: Comparison) -> str:
    trials = comparison.complete or comparison.begun[:1]
    lines = []
    for arm in range(1, len(comparison.plan.arms)):
        lines += [text_sentence(comparison, trial, arm) for trial in trials[:1]]
        lines += [law_check(comparison, arm, position).sentence for position in (0, 1)]
    return f"<h2>Texts</h2><ul>{''.join(f'<li>{escape(line)}</li>' for line in lines)}</ul>"


def _speeds(comparison: Comparison) -> list[list[float | None]]:
    arms = range(len(comparison.plan.arms))
    trials = comparison.complete or comparison.begun[:1]
    return [[metrics.TOKENS_PER_SECOND.value(comparison.reply(t, a).stats) for a in arms] for t in trials]


def _texts(comparison: Comparison) -> str:
    trial = next(comparison.plan.trials)
    made = [f"<h2>Prompt</h2><pre>{escape(comparison.plan.prompts[0].text)}</pre>"]
    for arm in range(len(comparison.plan.arms)):
        reply = comparison.reply(trial.index, arm)
        if reply.text:
            made.append(f"<h2>{LETTERS[arm]}, seed {trial.seed}</h2><pre>{escape(reply.text)}</pre>")
    return "".join(made)


def _settings(comparison: Comparison) -> str:
    kept = json.dumps(comparison.about, ensure_ascii=False, indent=1, default=str)
    return f"<h2>Where it ran</h2><pre>{escape(kept)}</pre>"
