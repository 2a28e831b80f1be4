"""A round from a foreign file: its types, its ranges, and that it follows the round before it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from enum import StrEnum
from itertools import pairwise
from typing import Any

from draftlens.core.round import (
    ROUND_VERSION,
    Candidates,
    Emitted,
    Fate,
    FinishReason,
    Proposed,
    Round,
    Source,
    Timings,
)
from draftlens.core.rules import RuleId
from draftlens.core.values import BadField, mapping, round_from_values, sequence, shown
from draftlens.store.typed import check

_ORDER = (Fate.ACCEPTED, Fate.REJECTED, Fate.UNTESTED)


def checked_round(data: object, where: str, before: Round | None, position: int) -> Round:
    """Return a round that can be shown and counted.

    Args:
        where: what its fields are called after.
        before: the round before it, None for the first.
        position: reply tokens emitted by the rounds before it.

    Raises:
        BadField: names the field that is wrong.
    """
    _check_shape(mapping(data, where), where)
    made = round_from_values(data, where)
    check(made, where)
    expected = made.index if before is None else before.index + 1
    if made.index != expected or made.index < 0:
        raise BadField(f"{where}.index", f"is {made.index}, but the round before makes it {expected}")
    if made.position != position:
        raise BadField(f"{where}.position", f"is {made.position}, but the rounds before emitted {position} tokens")
    _check_fates(made, where)
    for i, proposal in enumerate(made.proposals):
        place = f"{where}.proposals[{i}]"
        for name in ("q", "p", "u", "sum_min", "sum_prod", "expected"):
            _check_probability(getattr(proposal, name), f"{place}.{name}")
        _check_candidates(proposal.candidates, f"{place}.candidates")
    for i, token in enumerate(made.emitted):
        _check_probability(token.p, f"{where}.emitted[{i}].p")
    _check_candidates(made.next_candidates, f"{where}.next_candidates")
    for name in ("draft", "verify", "judge", "other"):
        ms = getattr(made.timings, name)
        if not 0 <= ms < 1e12:
            raise BadField(f"{where}.timings.{name}", f"is {shown(ms)}, but must be milliseconds of at least 0")
    return made


def _check_shape(data: Mapping[str, Any], where: str) -> None:
    """Every field is there, none is unknown, and each word is one of ours."""
    if data.get("version") != ROUND_VERSION:
        raise BadField(f"{where}.version", f"is {shown(data.get('version'))}, and this Draftlens reads {ROUND_VERSION}")
    _check_names(data, Round, where)
    _check_word(data["rule"], RuleId, f"{where}.rule")
    if data["finish"] is not None:
        _check_word(data["finish"], FinishReason, f"{where}.finish")
    _check_names(data["timings"], Timings, f"{where}.timings")
    for i, proposal in enumerate(sequence(data["proposals"], f"{where}.proposals")):
        _check_names(proposal, Proposed, f"{where}.proposals[{i}]")
        _check_word(proposal["fate"], Fate, f"{where}.proposals[{i}].fate")
        if proposal["candidates"] is not None:
            _check_names(proposal["candidates"], Candidates, f"{where}.proposals[{i}].candidates")
    tokens = [(f"emitted[{i}]", token) for i, token in enumerate(sequence(data["emitted"], f"{where}.emitted"))]
    for name, token in [*tokens, ("next", data["next"])]:
        if token is not None or name != "next":
            _check_names(token, Emitted, f"{where}.{name}")
            _check_word(token["source"], Source, f"{where}.{name}.source")
    if data["next_candidates"] is not None:
        _check_names(data["next_candidates"], Candidates, f"{where}.next_candidates")


def _check_names(data: object, kind: type[Any], where: str) -> None:
    names = {f.name for f in fields(kind)}
    given = set(mapping(data, where))
    for name in sorted(names - given - {"texts"}):
        raise BadField(f"{where}.{name}", "is missing")
    for name in sorted(given - names):
        raise BadField(f"{where}.{name}", "is not part of a run record")


def _check_word(value: object, kind: type[StrEnum], where: str) -> None:
    if value not in tuple(kind):
        raise BadField(where, f"is {shown(value)}, but must be one of {', '.join(kind)}")


def _check_fates(made: Round, where: str) -> None:
    """Accepted proposals come first, then at most one rejection; what was emitted are they and the draw after them."""
    fates = [proposal.fate for proposal in made.proposals]
    for i, (fate, following) in enumerate(pairwise(fates)):
        if _ORDER.index(following) < _ORDER.index(fate) or fate is following is Fate.REJECTED:
            raise BadField(f"{where}.proposals[{i + 1}].fate", f"is {following}, which cannot follow {fate}")
    drafts = [token.token for token in made.emitted if token.source is Source.DRAFT]
    kept = [proposal.token for proposal in made.proposals[: len(drafts)]]
    if drafts != kept or len(drafts) > made.accepted:
        raise BadField(f"{where}.emitted", "does not hold the accepted proposals")
    rest = made.emitted[len(drafts) :]
    draw = None if made.next is None else (made.next.token, made.next.source)
    if len(rest) > 1 or (rest and (rest[0].token, rest[0].source) != draw):
        raise BadField(f"{where}.emitted", "does not end with the draw after the accepted proposals")


def _check_candidates(seen: Candidates | None, where: str) -> None:
    if seen is None:
        return
    for name, row in (("p", seen.p), ("q", seen.q), ("texts", seen.texts or None)):
        if row is not None and len(row) != len(seen.tokens):
            raise BadField(f"{where}.{name}", f"has {len(row)} items, but there are {len(seen.tokens)} tokens")
    for name, numbers in (("p", seen.p), ("q", seen.q or ())):
        for i, value in enumerate(numbers):
            _check_probability(value, f"{where}.{name}[{i}]")


def _check_probability(value: float | None, where: str) -> None:
    # A sum of float32 probabilities may exceed 1 by its rounding.
    if value is not None and not 0 <= value <= 1.001:
        raise BadField(where, f"is {shown(value)}, but must be from 0 to 1")
