"""What two arms' texts say: identical, or where they part; at temperature 0 they must agree."""

from __future__ import annotations

from dataclasses import dataclass

from draftlens.compare.arms import LETTERS
from draftlens.compare.comparison import Comparison
from draftlens.core.events import Differed


@dataclass(frozen=True)
class TextVerdict:
    """The texts of the first arm and another one in one trial.

    Attributes:
        position: first token that differs, counted from 0; None while they agree.
        length: tokens both have.
        whole: both are complete and equally long, so that agreeing means identical.
    """

    arm: int
    position: int | None
    length: int
    whole: bool

    @property
    def flag(self) -> str:
        """What the flag at the first difference says; tokens count from 1."""
        return "" if self.position is None else f"token {self.position + 1}"


def text_verdict(comparison: Comparison, trial: int, arm: int) -> TextVerdict:
    """Hold an arm's tokens against those of the first arm."""
    first, other = comparison.reply(trial, 0), comparison.reply(trial, arm)
    a, b = first.tokens, other.tokens
    shared = min(len(a), len(b))
    position = next((i for i in range(shared) if a[i] != b[i]), None)
    if position is None and len(a) != len(b) and first.over and other.over:
        position = shared
    return TextVerdict(arm, position, shared, first.over and other.over)


def greedy_pair(comparison: Comparison, arm: int) -> bool:
    """Whether an arm and the first one are both greedy over the same chain: then they must write the same."""
    first, other = comparison.plan.arms[0].params.sampling, comparison.plan.arms[arm].params.sampling
    return first.greedy and first == other


def text_sentence(comparison: Comparison, trial: int, arm: int) -> str:
    """Say whether an arm's text in a trial is the first arm's, and where not, whether that may be."""
    verdict = text_verdict(comparison, trial, arm)
    names = f"{LETTERS[0]} and {LETTERS[arm]}"
    if verdict.position is None:
        if not verdict.whole:
            return f"{names}: the same so far, {verdict.length:,} tokens"
        return f"{names}: identical, {verdict.length:,} tokens"
    if not greedy_pair(comparison, arm):
        return f"{names}: first difference at token {verdict.position + 1}, as expected of samples"
    found = next((d for d in comparison.differences.get(trial, ()) if d.other == arm), None)
    if found is None:
        return f"{names}: first difference at token {verdict.position + 1}; its margin was not measured"
    return f"{names}: {margin_sentence(found)}"


def margin_sentence(found: Differed) -> str:
    """The first difference of greedy arms, its margin, both logits, and whether rounding explains it."""
    a, b = found.chain
    sentence = (
        f"first difference at token {found.position + 1}, margin {abs(a - b):.4g} "
        f"(logits {a:.4f} for {found.texts[0]!r}, {b:.4f} for {found.texts[1]!r}); "
    )
    if found.explained:
        return sentence + "read in each arm’s own blocks each token wins, so rounding of wider forwards explains it"
    return sentence + "reading in blocks does not explain it: the arms should agree here"


def unexplained(comparison: Comparison) -> bool:
    """Whether greedy arms part somewhere and nothing explains it."""
    for trial in comparison.complete:
        for arm in range(1, len(comparison.plan.arms)):
            if greedy_pair(comparison, arm) and text_verdict(comparison, trial, arm).position is not None:
                found = next((d for d in comparison.differences.get(trial, ()) if d.other == arm), None)
                if found is None or not found.explained:
                    return True
    return False
