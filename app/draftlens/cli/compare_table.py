"""The table of a comparison as plain text: columns of equal width, one block for each arm against the first."""

from __future__ import annotations

from collections.abc import Iterator, Sized

from draftlens.cli.output import write
from draftlens.compare.arms import LETTERS
from draftlens.compare.cells import rows
from draftlens.compare.comparison import Comparison
from draftlens.compare.readings import basis, notes
from draftlens.compare.record import SCHEDULES
from draftlens.compare.same_law import law_check
from draftlens.compare.table import Table
from draftlens.compare.verdicts import text_sentence


def write_table(table: Table, comparison: Comparison) -> None:
    """Print what was run, the notes, and a block for each pair."""
    plan = comparison.plan
    for i, settings in enumerate(plan.arms):
        write(f"{LETTERS[i]}  {settings.words(plan.arms[0].params)}")
    size = f"{_counted(plan.prompts, 'prompt')}, {_counted(plan.seeds, 'seed')}, {SCHEDULES[plan.interleaved]}"
    write(f"{size}; {table.trials} of {plan.count} trials counted; {basis(table, comparison)}")
    for note in notes(table, comparison):
        write(note.sentence)
    for arm in range(1, len(plan.arms)):
        write("")
        for line in _block(table, comparison, arm):
            write(line)
    if table.headroom is not None:
        write(f"headroom {table.headroom:.2f}× = sum_min / sum_prod, the most a throughput test could show")


def _counted(things: Sized, noun: str) -> str:
    return f"{len(things)} {noun}{'' if len(things) == 1 else 's'}"


def _block(table: Table, comparison: Comparison, arm: int) -> Iterator[str]:
    name = LETTERS[arm]
    names = [f"{LETTERS[i]} {table.totals[i].rule or 'no rule'}" for i in (0, arm)]
    lines = [("metric", *names, f"Δ ({name} − A)", "95% CI of Δ", "reading")]
    for row in rows(table, comparison, arm):
        badge = f"{row.badge}: " if row.badge else ""
        label = f"{row.name} {row.suffix}".rstrip()
        lines.append((label, row.values[0], row.values[arm], row.delta, row.interval, f"{badge}{row.reading}"))
    widths = [max(len(line[i]) for line in lines) for i in range(5)]
    for line in lines:
        cells = [
            line[0].ljust(widths[0]),
            *(cell.rjust(width) for cell, width in zip(line[1:5], widths[1:], strict=True)),
        ]
        yield f"{'  '.join(cells)}  {line[5]}".rstrip()


def verdict_lines(comparison: Comparison, position: int) -> Iterator[str]:
    """What the texts say: where they part, and over several seeds whether they follow the same law."""
    trials = comparison.complete or comparison.begun[:1]
    if not trials:
        return
    yield ""
    for arm in range(1, len(comparison.plan.arms)):
        yield text_sentence(comparison, trials[0], arm)
        if len(comparison.plan.seeds) > 1:
            for place in sorted({0, position}):
                yield law_check(comparison, arm, place).sentence
