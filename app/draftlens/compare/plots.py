"""Charts of a comparison as SVG text: acceptance against closed forms, accepted lengths, speed by trial."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from draftlens.compare.arms import LETTERS
from draftlens.core.stats import RunStats

_WIDTH, _LEFT, _RIGHT = 640, 150, 20
_INK, _QUIET, _LINE, _ACCENT = "#1c1c1e", "#63636a", "#d9d9de", "#4b46d1"
_FILLS = ("#1d8a5b", "#4b46d1", "#b46a00", "#1f6fb8")


def _svg(height: int, body: Sequence[str], title: str) -> str:
    head = f'<svg viewBox="0 0 {_WIDTH} {height}" role="img" aria-label="{escape(title)}" font-size="12">'
    return "\n".join((head, f"<title>{escape(title)}</title>", *body, "</svg>"))


def _text(x: float, y: float, words: str, anchor: str = "start", fill: str = _INK) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{fill}">{escape(words)}</text>'


def _line(x1: float, y1: float, x2: float, y2: float, stroke: str = _LINE, width: float = 1, dash: str = "") -> str:
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{stroke}" '
        f'stroke-width="{width}"{dashes}/>'
    )


def _across(share: float) -> float:
    return _LEFT + share * (_WIDTH - _LEFT - _RIGHT)


def acceptance(totals: Sequence[RunStats]) -> str:
    """Each arm's measured per-position acceptance with its Wilson interval, sum_prod and sum_min as ticks."""
    body = [_line(_across(v), 8, _across(v), 28 + 34 * len(totals)) for v in (0, 0.25, 0.5, 0.75, 1)]
    body += [_text(_across(v), 46 + 34 * len(totals), f"{v:g}", "middle", _QUIET) for v in (0, 0.25, 0.5, 0.75, 1)]
    for i, stats in enumerate(totals):
        y = 26 + 34 * i
        body.append(_text(8, y + 4, f"{LETTERS[i]}  {stats.rule or 'no verify round'}"[:24]))
        for form, dash in ((stats.closed_form_prod, "3 3"), (stats.closed_form_min, "")):
            if form is not None:
                body.append(_line(_across(form), y - 12, _across(form), y + 12, _INK, 1.5, dash))
        span = stats.interval
        if span is not None:
            body.append(_line(_across(span[0]), y, _across(span[1]), y, _FILLS[i], 3))
            x = _across(stats.per_position_acceptance)
            body.append(f'<circle cx="{x:.1f}" cy="{y}" r="5" fill="{_FILLS[i]}"/>')
    return _svg(56 + 34 * len(totals), body, "per_position_acceptance; sum_prod dashed, sum_min solid")


def accepted_lengths(totals: Sequence[RunStats]) -> str:
    """How many rounds accepted 0, 1, 2, … drafts, as shares of each arm's rounds."""
    counts = [_lengths(stats) for stats in totals]
    longest = max((max(c, default=0) for c in counts), default=0)
    slot = (_WIDTH - _LEFT - _RIGHT) / (longest + 1)
    bar = min(28.0, slot * 0.8 / max(1, len(totals)))
    body = [_line(_LEFT, 150, _WIDTH - _RIGHT, 150, _QUIET)]
    for i, (found, stats) in enumerate(zip(counts, totals, strict=True)):
        body.append(_text(8, 30 + 20 * i, f"{LETTERS[i]}  {stats.rule or 'none'}"[:24], fill=_FILLS[i]))
        for length, count in sorted(found.items()):
            high = 130 * count / max(1, stats.rounds)
            x = _LEFT + slot * length + (slot - bar * len(totals)) / 2 + bar * i
            body.append(
                f'<rect x="{x:.1f}" y="{150 - high:.1f}" width="{bar - 1:.1f}" height="{high:.1f}" fill="{_FILLS[i]}"/>'
            )
    body += [_text(_LEFT + slot * (n + 0.5), 168, str(n), "middle", _QUIET) for n in range(longest + 1)]
    return _svg(178, body, "Share of rounds by number of accepted drafts")


def _lengths(stats: RunStats) -> dict[int, int]:
    lengths = set(stats.ended) | set(stats.censored)
    return {n: stats.ended.get(n, 0) + stats.censored.get(n, 0) for n in lengths}


def speed(trials: Sequence[Sequence[float | None]]) -> str:
    """Tokens a second of every arm in every trial, each trial's dots joined."""
    known = [v for trial in trials for v in trial if v is not None]
    top = max(known, default=1.0) * 1.05
    step = (_WIDTH - _LEFT - _RIGHT) / max(1, len(trials))
    body = [_line(_LEFT, 10 + 140 * v, _WIDTH - _RIGHT, 10 + 140 * v) for v in (0, 0.5, 1)]
    body += [_text(_LEFT - 8, 14 + 140 * (1 - v), f"{top * v:.0f}", "end", _QUIET) for v in (0, 0.5, 1)]
    for n, trial in enumerate(trials):
        x = _LEFT + step * (n + 0.5)
        dots = [(150 - 140 * v / top, _FILLS[i]) for i, v in enumerate(trial) if v is not None]
        if len(dots) > 1:
            heights = [y for y, _ in dots]
            body.append(_line(x, min(heights), x, max(heights), _ACCENT, 1))
        body += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{fill}"/>' for y, fill in dots]
    body += [_text(8, 30 + 20 * i, LETTERS[i], fill=_FILLS[i]) for i in range(len(trials[0]) if trials else 0)]
    body.append(_text((_LEFT + _WIDTH) / 2, 170, "trials, oldest first", "middle", _QUIET))
    return _svg(178, body, "tok/s by trial")
