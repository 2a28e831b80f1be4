"""What may be concluded, in words: a reading for each row, and the notes that stand above the table."""

from __future__ import annotations

from dataclasses import dataclass

from draftlens.compare import metrics
from draftlens.compare.arms import LETTERS
from draftlens.compare.comparison import Comparison
from draftlens.compare.metrics import Metric
from draftlens.compare.statistics import Delta
from draftlens.compare.table import Table
from draftlens.compare.verdicts import greedy_pair, text_sentence, text_verdict
from draftlens.core.rules import RuleId
from draftlens.core.stats import RunStats, Tone

DASH = "–"
NOT_COMPARABLE = "not comparable across arms"
NOTHING_YET = "nothing measured yet"


@dataclass(frozen=True)
class Note:
    """A sentence about the comparison as a whole; warning is amber, error red."""

    sentence: str
    tone: Tone


def number(value: float | None, places: int, *, sign: bool = False) -> str:
    """A figure as it is shown; unknown is a dash."""
    if value is None:
        return DASH
    # What rounds to nothing has no direction.
    shown = round(value, places) or 0.0
    return f"{shown:{'+' if sign else ''}.{places}f}".replace("-", "−")


def interval(delta: Delta | None, metric: Metric) -> str:
    """The interval of a difference."""
    if delta is None or delta.interval is None:
        return DASH
    places = min(metric.places, 3)
    low, high = (number(end, places, sign=True) for end in delta.interval)
    return f"{low} to {high}"


def reading(table: Table, comparison: Comparison, metric: Metric, arm: int) -> str:
    """What a row says of the first arm and another one."""
    row, name = table.row(metric), LETTERS[arm]
    before, after, delta = row.values[0], row.values[arm], row.deltas[arm - 1]
    if before is None or after is None or delta is None:
        return "not measured in both arms" if table.trials else NOTHING_YET
    if metric is metrics.TOKENS_PER_SECOND:
        times = f"{name} is {after / before:.2f}× {LETTERS[0]}" if before else ""
        return times if delta.shown or delta.interval is None else f"{times}; no difference shown"
    if metric is metrics.PER_POSITION:
        return "compare this one across arms"
    if metric is metrics.MEAN_ACCEPTED:
        blocks = comparison.plan.arms[0].block, comparison.plan.arms[arm].block
        return "drives throughput" if blocks[0] == blocks[1] else f"k = {blocks[0]} and k = {blocks[1]}"
    if metric is metrics.FIRST_TOKEN:
        return "reading the prompt; no rule takes part"
    return "what one target forward yields"


def form_name(stats: RunStats) -> str:
    """Which closed form an arm's rule predicts."""
    match stats.rule:
        case RuleId.STOCHASTIC:
            return "sum_min"
        case RuleId.SAMPLER_MATCH | RuleId.SAMPLER_MATCH_NO_Q:
            return "sum_prod"
        case _:
            return ""


def form_value(stats: RunStats) -> float | None:
    """The closed form of an arm's own rule over its own tested positions."""
    name = form_name(stats)
    return None if not name else stats.closed_form_min if name == "sum_min" else stats.closed_form_prod


def form_reading(table: Table, arm: int) -> str:
    """Where two arms sit, each held against its own rule's closed form."""
    pair = (table.totals[0], table.totals[arm])
    if _nothing_yet(table):
        return NOTHING_YET
    verdicts = [stats.verdict() for stats in pair]
    figures = [None if v.z is None else f"{v.z:.1f}".replace("-", "−") for v in verdicts]
    if all(v.tone == "ok" for v in verdicts):
        return f"each sits at its own form (z = {figures[0]} and {figures[1]})"
    odd = [(LETTERS[a], v) for a, v in zip((0, arm), verdicts, strict=True) if v.tone not in ("ok",)]
    worst = max(odd, key=lambda item: ("none", "ok", "info", "warning", "error").index(item[1].tone))
    return f"{worst[0]}: {worst[1].sentence}"


def _nothing_yet(table: Table) -> bool:
    return not table.trials and not any(stats.rounds for stats in table.totals)


def not_comparable(table: Table, comparison: Comparison, arm: int) -> str:
    """Why acceptance_rate cannot be held across two arms."""
    first, other = comparison.plan.arms[0].block, comparison.plan.arms[arm].block
    if first != other:
        return f"k = {first} and k = {other}"
    depths = [s.tested / s.rounds if s.rounds else None for s in (table.totals[0], table.totals[arm])]
    if _nothing_yet(table):
        return NOTHING_YET
    if None in depths:
        return "one arm drafted nothing"
    return f"tested {depths[0]:.2f} and {depths[1]:.2f} of each block"


def basis(table: Table, comparison: Comparison) -> str:
    """What the intervals rest on."""
    if table.paired:
        prompts = len(comparison.plan.prompts)
        what = "seeds" if prompts == 1 else "prompt and seed pairs"
        return f"95% intervals over {table.trials} paired {what}"
    return "95% intervals over the rounds of one seed (moving-block bootstrap)"


def notes(table: Table, comparison: Comparison) -> list[Note]:
    """What must be known before reading the table, the gravest first."""
    arms = comparison.plan.arms
    rules = [
        t.rule or (a.rule if a.params.drafter != "none" else None) for a, t in zip(arms, table.totals, strict=True)
    ]
    found: list[Note] = []
    for arm, (settings, rule) in enumerate(zip(arms, rules, strict=True)):
        if rule is RuleId.ARGMAX_AGAINST_ARGMAX and not settings.params.sampling.greedy:
            found.append(
                Note(
                    f"Arm {LETTERS[arm]} is biased: its text is the greedy stream, not a sample of the target, "
                    "and no closed form bounds its acceptance.",
                    "error",
                )
            )
    for arm, settings in enumerate(arms):
        reply = comparison.reply(0, arm)
        note = None if reply.started is None else reply.started.note
        if note and settings.params.drafter != "none":
            found.append(Note(f"Arm {LETTERS[arm]} did not run as asked: {note.rstrip('.')}.", "warning"))
    greedy = all(greedy_pair(comparison, arm) for arm in range(1, len(arms)))
    if greedy:
        found += _greedy_notes(comparison)
    elif len(set(rules)) == 1 and rules[0] is not None:
        found.append(_same_rule(comparison))
    elif len({arm.params.sampling for arm in arms}) > 1:
        found.append(Note("The arms sample differently: their texts follow different laws.", "warning"))
    elif not found:
        all_ = "Both" if len(arms) == 2 else "All"
        words = f"{all_} are exact samples of the target, so different text is expected."
        found.append(Note(f"Rules differ between arms. {words}", "none"))
    return found


def _same_rule(comparison: Comparison) -> Note:
    arms = comparison.plan.arms
    same = len({(arm.params, arm.draft_model) for arm in arms}) == 1
    word = "Both" if len(arms) == 2 else "All"
    rest = "this is not an A/B" if same else "this is not an A/B of rules; their settings differ"
    return Note(f"{word} arms ran the same rule; {rest}.", "warning")


def _greedy_notes(comparison: Comparison) -> list[Note]:
    """Temperature 0: the verdict on every other arm, over the trials that have been run."""
    made = []
    for arm in range(1, len(comparison.plan.arms)):
        trials = comparison.complete or comparison.begun[:1]
        parted = [t for t in trials if text_verdict(comparison, t, arm).position is not None]
        if parted:
            found = [d for t in parted for d in comparison.differences.get(t, ()) if d.other == arm]
            tone: Tone = "warning" if len(found) == len(parted) and all(d.explained for d in found) else "error"
            made.append(Note(f"Temperature 0. {text_sentence(comparison, parted[0], arm)}.", tone))
        elif trials:
            words = text_sentence(comparison, trials[-1], arm)
            also = f" in each of {len(trials)} trials" if len(trials) > 1 else ""
            made.append(Note(f"Temperature 0. {words}{also}.", "ok"))
    return made or [Note("Temperature 0: the arms must agree.", "none")]
