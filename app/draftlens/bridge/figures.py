"""RunStats and rounds as words: unknown is a dash, numbers carry their denominator."""

from __future__ import annotations

from dataclasses import dataclass

from draftlens.bridge.next_reply import NextReply
from draftlens.core.events import Loaded, Started
from draftlens.core.params import SessionParams
from draftlens.core.round import Fate, FinishReason, Round, Source
from draftlens.core.rules import RuleId
from draftlens.core.stats import RunStats

DASH = "–"
_VISIBLE = str.maketrans({" ": "·", "\n": "⏎", "\t": "⇥"})

DRAFTER_LABELS = {
    "none": "none",
    "draft-model": "draft model",
    "classic": "classic",
    "prompt-lookup": "prompt lookup",
}

FATE_WORDS = {Fate.ACCEPTED: "accepted", Fate.REJECTED: "rejected", Fate.UNTESTED: "untested"}

SOURCE_WORDS = {
    Source.PREFILL: "from the prompt",
    Source.PLAIN: "target only",
    Source.DRAFT: "accepted",
    Source.RESIDUAL: "residual draw",
    Source.TARGET: "target draw",
    Source.BONUS: "bonus draw",
    Source.FORCED: "your choice",
}


def mark_words(mark: Fate | Source) -> str:
    """A fate or a source in words."""
    return FATE_WORDS[mark] if isinstance(mark, Fate) else SOURCE_WORDS[mark]


@dataclass(frozen=True)
class Tile:
    """One figure of the inspector.

    Attributes:
        label: the figure's exact name.
        value: the number, or a dash.
        unit: written small after the value.
        note: what it is out of, or its interval.
        meaning: its definition, for the tooltip.
    """

    label: str
    value: str
    unit: str
    note: str
    meaning: str

    @property
    def sentence(self) -> str:
        """The tile read aloud."""
        value = "not measured" if self.value == DASH else f"{self.value} {self.unit}".strip()
        return f"{self.label} {value}, {self.note}" if self.note else f"{self.label} {value}"


def token(text: str) -> str:
    """Show a token's white space, so that it can be told from its neighbours."""
    return text.translate(_VISIBLE)


def probability(value: float | None) -> str:
    """A probability of one token."""
    return DASH if value is None else f"{value:.3f}"


def summary(value: float | None) -> str:
    """A probability or rate over a reply."""
    return DASH if value is None else f"{value:.4f}"


def milliseconds(value: float) -> str:
    """A time in a table."""
    return f"{value:.1f}"


def count(value: int) -> str:
    """A whole number with its thousands apart."""
    return f"{value:,}"


def counted(value: int, noun: str) -> str:
    """A number of things."""
    return f"{count(value)} {noun}" if value == 1 else f"{count(value)} {noun}s"


def drafter_label(kind: str) -> str:
    """A kind of drafter in words."""
    return DRAFTER_LABELS.get(kind, kind.replace("-", " "))


def seed_label(seed: int | None) -> str:
    """The seed as the chip shows it."""
    return "random" if seed is None else str(seed)


def temperature_label(value: float) -> str:
    """The temperature as the chip shows it."""
    return f"{value:g}"


def tiles(stats: RunStats | None, params: SessionParams | None, ratio: str = "") -> tuple[Tile, ...]:
    """The six figures of the inspector, in their fixed order; `ratio` says how the speed compares with plain."""
    s = stats or RunStats()
    tested, rounds = s.tested > 0, s.rounds > 0
    interval = s.interval
    # Until the first token is there, nobody knows how long it takes.
    read = bool(s.prompt_ms and s.generated)
    block = None if params is None else (params.lookup.max_draft if s.drafter == "prompt-lookup" else params.k)
    return (
        Tile(
            "tok/s",
            DASH if s.tokens_per_second is None else f"{s.tokens_per_second:.1f}",
            "",
            ratio if s.decode_ms else "",
            f"Tokens after the first, per second spent in rounds ({s.decode_ms / 1000:.1f} s).",
        ),
        Tile(
            "tokens / target forward",
            DASH if s.tokens_per_forward is None or not rounds else f"{s.tokens_per_forward:.2f}",
            "",
            f"{count(s.decoded)} in {counted(s.forwards, 'forward')}" if rounds else "",
            "Tokens after the first, per forward of the target; the draw that ends a block counts."
            + ("" if s.drafts_per_forward is None else f" Without it: {s.drafts_per_forward:.2f}."),
        ),
        Tile(
            "per_position_acceptance",
            summary(s.per_position_acceptance if tested else None),
            "",
            f"95% CI {interval[0]:.3f}–{interval[1]:.3f}" if interval else "",
            "accepted / tested: the one theory predicts.",
        ),
        Tile(
            "acceptance_rate",
            summary(s.acceptance_rate if rounds else None),
            "",
            f"{count(s.accepted)} of {count(s.proposed)}" if rounds else "",
            "accepted / drafted: moves with block length.",
        ),
        Tile(
            "mean_accepted_len",
            summary(s.mean_accepted_len if rounds else None),
            "",
            ("of k = " if s.drafter != "prompt-lookup" else "of at most ") + str(block) if rounds and block else "",
            "accepted / rounds: tokens gained per target forward.",
        ),
        Tile(
            "time to first token",
            f"{s.prompt_ms:,.0f}" if read else DASH,
            "ms" if read else "",
            _prompt_read(s) if read else "",
            "Time to read the prompt; tokens kept from the turn before are not read again.",
        ),
    )


def _prompt_read(stats: RunStats) -> str:
    """How much of the prompt the time was spent on."""
    if not stats.cached_tokens:
        return f"{count(stats.prompt_tokens)}-token prompt"
    return f"{count(stats.prompt_tokens)} of {count(stats.prompt_tokens + stats.cached_tokens)} tokens read"


def opening(text: str) -> str:
    """The first few words of a text on one line, fit for a label or a file name."""
    line = " ".join("".join(c if c.isalnum() or c in " -_" else " " for c in text[:200]).split())
    return line if len(line) <= 40 else line[:40].rsplit(" ", 1)[0] + "…"


def tested_label(stats: RunStats | None) -> str:
    """How many tests the gauge rests on."""
    if stats is None or stats.tested == 0:
        return ""
    early = ", stopped early" if stats.finish is FinishReason.STOPPED else ""
    return f"n = {count(stats.tested)} tested{early}"


def reply_line(stats: RunStats) -> str:
    """Tokens, time and speed for the header of a reply."""
    parts = [counted(stats.generated, "token") + f" in {(stats.prompt_ms + stats.decode_ms) / 1000:.1f} s"]
    if stats.tokens_per_second is not None:
        parts.append(f"{stats.tokens_per_second:.1f} tok/s")
    return " · ".join(parts)


def round_sentence(round_: Round) -> str:
    """A round read aloud: what was accepted, where the chain ended, what was drawn."""
    if not round_.proposals:
        what = "the first token, drawn after the prompt" if _prefill(round_) else "a plain step of the target"
        return f"Round {round_.index}: {what}"
    parts = [f"Round {round_.index}: {round_.accepted} of {round_.drafted} accepted"]
    if round_.tested > round_.accepted:
        parts.append(f"position {round_.tested} rejected")
    untested = round_.drafted - round_.tested
    if untested:
        parts.append(f"{untested} untested")
    if round_.next is not None:
        parts.append(f"{SOURCE_WORDS[round_.next.source]} {token(round_.next.text)}".rstrip())
    return ", ".join(parts)


def _prefill(round_: Round) -> bool:
    return round_.next is not None and round_.next.source is Source.PREFILL


def gauge_sentence(stats: RunStats | None) -> str:
    """What the closed-form gauge shows, in one sentence."""
    if stats is None or stats.tested == 0:
        return "No verify round ran"
    interval = stats.interval
    text = f"Measured per-position acceptance {stats.per_position_acceptance:.4f}"
    if interval is not None:
        text += f", 95 percent interval {interval[0]:.3f} to {interval[1]:.3f}"
    low, high = stats.closed_form_prod, stats.closed_form_min
    if low is not None and high is not None and stats.rule is not RuleId.ARGMAX_AGAINST_ARGMAX:
        text += f"; sum_prod {low:.4f}; sum_min {high:.4f}"
    return f"{text}; {stats.verdict().sentence}"


def speculation_chip(following: NextReply, loaded: Loaded | None, started: Started | None = None) -> tuple[str, bool]:
    """What the composer says of speculation, `On (rule=…)` or `Off (reason)`, and whether it is on.

    While a reply runs, what the engine said counts; before, what is asked for and can run.
    """
    if started is not None:
        on = started.drafter != "none"
        return (f"On (rule={started.rule})", True) if on else (f"Off ({_reason(started.note)})", False)
    if not following.speculation:
        return "Off (switched off)", False
    if loaded is not None:
        if loaded.target.rewind_refusal is not None:
            return f"Off ({_reason(loaded.target.rewind_refusal)})", False
        if following.drafter == "draft-model":
            if loaded.drafter is None:
                return "Off (no draft model)", False
            if loaded.drafter_refusal is not None:
                return f"Off ({_reason(loaded.drafter_refusal)})", False
    if following.params.k == 0 and following.drafter == "draft-model":
        return "Off (k is 0)", False
    rule = following.rule
    if rule is RuleId.STOCHASTIC and following.drafter == "prompt-lookup":
        rule = RuleId.SAMPLER_MATCH_NO_Q
    return f"On (rule={rule})", True


def _reason(note: str | None) -> str:
    return (note or "not asked for").rstrip(".")
