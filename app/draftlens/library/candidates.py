"""Every installed model as drafter for one target: OK, or the reason why not, without loading a weight."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from draftlens.library import chat_template, memory, pairing, sizes, small_file, supported
from draftlens.library.catalog import Installed
from draftlens.library.memory import Estimate, Fit

# Caches the engine can put back, and the families whose recurrent layers it records for that.
_REWINDABLE = frozenset({"RotatingKVCache", "QuantizedKVCache", "ArraysCache", "CacheList"})
_RECORDED = ("qwen3_5", "qwen3_next", "lfm2")


@dataclass(frozen=True)
class Candidate:
    """A drafter judged for a target.

    Attributes:
        sentence: what speaks for it or against it, without a full stop.
        notes: what else is to be said of the pair, in the order it is shown.
        warnings: what may surprise, though the pair works.
    """

    item: Installed
    ok: bool
    sentence: str
    notes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        """The verdict with its warnings as one sentence."""
        words = "; ".join((self.sentence, *self.warnings))
        return f"{words[:1].upper()}{words[1:]}."


def for_target(target: Installed, items: Iterable[Installed], context: int, limit: int | None) -> list[Candidate]:
    """All others as drafters, those that can first, the smallest of them first."""
    judged = [judge(target, item, context, limit) for item in items if item.path != target.path]
    return sorted(judged, key=lambda c: (not c.ok, c.item.verdict.size, c.item.name.casefold()))


def judge(target: Installed, drafter: Installed, context: int, limit: int | None) -> Candidate:
    """One drafter for one target. Reads tokenizer files and configs only."""
    role = drafter.verdict.role
    if role.bound_drafter:
        bound = drafter.verdict.target
        return Candidate(drafter, False, f"it is bound to {bound.name}" if bound else "it is bound to its own target")
    if not role.standalone:
        return Candidate(drafter, False, f"it {role.phrase}")
    match = pairing.compare_vocabularies(target.path, drafter.path)
    if not match.equal:
        return Candidate(drafter, False, match.sentence)
    refusal = rewind_refusal(target.path, "this target") or rewind_refusal(drafter.path, "this drafter")
    if refusal is not None:
        return Candidate(drafter, False, refusal)
    needed = pair_estimate(target, drafter, context, limit)
    fit = in_words(needed, context, "the pair needs")
    if needed.fit is Fit.TOO_BIG:
        return Candidate(drafter, False, fit, (match.sentence,))
    warnings = []
    if drafter.verdict.size > target.verdict.size:
        warnings.append("the drafter is larger than its target")
    if _template(target.path) != _template(drafter.path):
        warnings.append("chat templates differ; the target’s is used")
    notes = ("both caches can rewind", fit)
    return Candidate(drafter, True, match.sentence, notes, tuple(warnings))


def pair_estimate(
    target: Installed, drafter: Installed | None, context: int, limit: int | None, *, in_use: int = 0
) -> Estimate:
    """The memory that a pair, or a target alone, would take, beside what is in use and stays."""
    needs = [memory.need(item.path, item.verdict, context) for item in (target, drafter) if item is not None]
    return memory.estimate(*needs, limit=limit, in_use=in_use)


def in_words(estimate: Estimate, context: int, start: str) -> str:
    """ "the pair needs 2.9 of 18 GB at 8,192 context"; unknown is said, not guessed."""
    if estimate.needed is None:
        return "no memory estimate"
    if estimate.usable is None:
        return f"{start} {sizes.in_words(estimate.needed)} at {context:,} context"
    return f"{start} {sizes.of_gigabytes(estimate.needed, estimate.usable)} at {context:,} context"


def rewind_refusal(folder: Path, who: str) -> str | None:
    """Why the caches of a model of this type cannot be put back, None if they can or nothing tells."""
    try:
        config = small_file.parsed(folder / "config.json")
        model_type = str(config.get("model_type", ""))
    except (OSError, ValueError, AttributeError):
        return None
    made = supported.caches(model_type)
    odd = sorted(made - _REWINDABLE)
    if odd:
        return f"{who}’s cache cannot rewind ({odd[0]})"
    if "ArraysCache" in made and not model_type.startswith(_RECORDED):
        return f"{who}’s cache cannot rewind (a recurrent state of a kind without a roll-back recipe)"
    return None


def _template(folder: Path) -> str | None:
    return chat_template.of_folder(folder)
