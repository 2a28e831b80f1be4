"""A comparison as JSON values and back: a head that says what was asked, then one entry an event. Strict on reading.

Schema, version 1. The append-only file is one JSON value a line: the head, then entries. An exported file is the head
with its entries under "events". Fields of the head:

    draftlens_comparison  1
    created, versions, machine, models      what ran where; free values
    schedule              "interleaved" | "one at a time"
    warm_up_tokens        tokens every arm wrote unheard before the first trial of a session
    arms                  [{"params": SessionParams, "draft_model": folder or null}, ...], 2 to 4
    prompts               [{"messages": [[role, content], ...]} or {"raw": text}, ...]
    seeds                 [int, ...]; trial = index of seed x prompts + index of prompt

An entry has "event", "trial" and, but for "differed", "arm"; besides, by event:

    started    prompt_tokens, rule, drafter, note, seed, thinking
    read       tokens, cached, ms: the prompt, once read
    round      round: as core.round.Round writes itself
    finished   reason, tail, shadow_confirmations, note, seed
    failed     sentence, next_step
    differed   first, other (arms), position, tokens, texts, chain, first_block, other_block, explained
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from draftlens.compare.arms import ArmSettings
from draftlens.compare.comparison import Comparison
from draftlens.compare.plan import Plan, Prompt
from draftlens.core.errors import UserError
from draftlens.core.events import Differed, Failed, Finished, Prefill, ReplyEvent, RoundDone, Started
from draftlens.core.round import FinishReason
from draftlens.core.rules import RuleId
from draftlens.core.values import (
    BadField,
    flat,
    mapping,
    number,
    params_from_values,
    params_to_values,
    round_from_values,
    sequence,
    shown,
    text,
)

MARK = "draftlens_comparison"
VERSION = 1
SCHEDULES = {True: "interleaved", False: "one at a time"}
_Name = TypeVar("_Name", RuleId, FinishReason)
_FREE = ("created", "versions", "machine", "models", "warm_up_tokens")


def head(comparison: Comparison) -> dict[str, Any]:
    """What was asked, and what it ran on."""
    plan = comparison.plan
    return {
        MARK: VERSION,
        **comparison.about,
        "schedule": SCHEDULES[plan.interleaved],
        "arms": [
            {
                "params": params_to_values(arm.params),
                "draft_model": None if arm.draft_model is None else str(arm.draft_model),
            }
            for arm in plan.arms
        ],
        "prompts": [
            {"messages": [list(m) for m in prompt.messages]} if prompt.messages else {"raw": prompt.raw}
            for prompt in plan.prompts
        ],
        "seeds": list(plan.seeds),
    }


def from_head(data: object) -> Comparison:
    """Rebuild a comparison of which nothing has been run.

    Raises:
        BadField: naming the field.
    """
    values = mapping(data, "the file")
    version = values.get(MARK)
    if version is None:
        raise BadField(MARK, "is missing: this is not a comparison")
    if version != VERSION:
        raise BadField(MARK, f"is {shown(version)}; this version of Draftlens reads {VERSION}")
    arms = []
    for i, item in enumerate(sequence(values.get("arms"), "arms")):
        arm, where = mapping(item, f"arms[{i}]"), f"arms[{i}]"
        folder = arm.get("draft_model")
        model = None if folder is None else Path(text(folder, f"{where}.draft_model"))
        arms.append(ArmSettings(params_from_values(arm.get("params"), f"{where}.params"), model))
    prompts = tuple(_prompt(item, f"prompts[{i}]") for i, item in enumerate(sequence(values.get("prompts"), "prompts")))
    seeds = tuple(_whole(item, f"seeds[{i}]") for i, item in enumerate(sequence(values.get("seeds"), "seeds")))
    schedule = values.get("schedule")
    if schedule not in SCHEDULES.values():
        raise BadField("schedule", f"is {shown(schedule)}, but must be one of {', '.join(SCHEDULES.values())}")
    try:
        plan = Plan(tuple(arms), prompts, seeds, schedule == SCHEDULES[True])
    except UserError as error:
        raise BadField("the plan", f"cannot be used: {error.sentence}") from error
    return Comparison(plan, {name: values[name] for name in _FREE if name in values})


def _prompt(data: object, where: str) -> Prompt:
    values = mapping(data, where)
    if "messages" not in values:
        return Prompt(raw=text(values.get("raw"), f"{where}.raw"))
    turns = []
    for i, item in enumerate(sequence(values["messages"], f"{where}.messages")):
        turn = sequence(item, f"{where}.messages[{i}]")
        if len(turn) != 2:
            raise BadField(f"{where}.messages[{i}]", "must be a role and a content")
        turns.append((text(turn[0], f"{where}.messages[{i}][0]"), text(turn[1], f"{where}.messages[{i}][1]")))
    return Prompt(messages=tuple(turns))


def entry(trial: int, arm: int, event: ReplyEvent) -> dict[str, Any] | None:
    """An event of an arm as JSON values; None for one that is not kept, such as half a prompt."""
    place = {"trial": trial, "arm": arm}
    match event:
        case Started():
            fields = {k: v for k, v in flat(event).items() if k != "run"}
            return {"event": "started", **place, **fields}
        case Prefill():
            if event.done < event.total:
                return None
            return {"event": "read", **place, "tokens": event.total, "cached": event.cached, "ms": event.ms}
        case RoundDone():
            return {"event": "round", **place, "round": event.round}
        case Finished():
            return {
                "event": "finished",
                **place,
                "reason": event.reason,
                "tail": event.tail,
                "shadow_confirmations": event.shadow_confirmations,
                "note": event.speculation_note,
                "seed": event.seed,
            }
        case Failed():
            return {"event": "failed", **place, "sentence": event.sentence, "next_step": event.next_step}


def difference(trial: int, event: Differed) -> dict[str, Any]:
    """What was found out about two greedy arms, whose numbers stand in place of their runs."""
    return {"event": "differed", "trial": trial, **{k: v for k, v in flat(event).items() if k != "run"}}


def take(comparison: Comparison, data: object, where: str) -> None:
    """Apply one entry.

    Raises:
        BadField: naming the field.
    """
    values = mapping(data, where)
    trial = _below(values.get("trial"), f"{where}.trial", comparison.plan.count)
    arms = len(comparison.plan.arms)
    if values.get("event") == "differed":
        comparison.differ(trial, _differed(values, where, arms))
    else:
        arm = _below(values.get("arm"), f"{where}.arm", arms)
        comparison.take(trial, arm, _event(values, where))


def _event(values: Mapping[str, Any], where: str) -> ReplyEvent:
    match values.get("event"):
        case "started":
            return Started(
                run=0,
                prompt_tokens=_whole(values.get("prompt_tokens"), f"{where}.prompt_tokens"),
                rule=_named(RuleId, values.get("rule"), f"{where}.rule"),
                drafter=text(values.get("drafter"), f"{where}.drafter"),
                note=_maybe(values.get("note"), f"{where}.note"),
                seed=_whole(values.get("seed"), f"{where}.seed"),
                thinking=values.get("thinking") is True,
            )
        case "read":
            total = _whole(values.get("tokens"), f"{where}.tokens")
            cached = _whole(values.get("cached"), f"{where}.cached")
            return Prefill(0, total, total, cached, number(values.get("ms"), f"{where}.ms"))
        case "round":
            return RoundDone(0, round_from_values(values.get("round"), f"{where}.round"))
        case "finished":
            return Finished(
                run=0,
                reason=_named(FinishReason, values.get("reason"), f"{where}.reason"),
                tail=text(values.get("tail"), f"{where}.tail"),
                shadow_confirmations=_whole(values.get("shadow_confirmations"), f"{where}.shadow_confirmations"),
                speculation_note=_maybe(values.get("note"), f"{where}.note"),
                seed=_whole(values.get("seed"), f"{where}.seed"),
            )
        case "failed":
            return Failed(
                0,
                text(values.get("sentence"), f"{where}.sentence"),
                _maybe(values.get("next_step"), f"{where}.next_step"),
            )
        case other:
            raise BadField(f"{where}.event", f"is {shown(other)}, which is not known here")


def _differed(values: Mapping[str, Any], where: str, arms: int) -> Differed:
    def two(name: str) -> tuple[Any, Any]:
        pair = sequence(values.get(name), f"{where}.{name}")
        if len(pair) != 2:
            raise BadField(f"{where}.{name}", "must have two values")
        return pair[0], pair[1]

    def numbers(name: str) -> tuple[float, float]:
        a, b = two(name)
        return number(a, f"{where}.{name}[0]"), number(b, f"{where}.{name}[1]")

    tokens, texts = two("tokens"), two("texts")
    return Differed(
        run=0,
        first=_below(values.get("first"), f"{where}.first", arms),
        other=_below(values.get("other"), f"{where}.other", arms),
        position=_whole(values.get("position"), f"{where}.position"),
        tokens=(_whole(tokens[0], f"{where}.tokens[0]"), _whole(tokens[1], f"{where}.tokens[1]")),
        texts=(text(texts[0], f"{where}.texts[0]"), text(texts[1], f"{where}.texts[1]")),
        chain=numbers("chain"),
        first_block=numbers("first_block"),
        other_block=numbers("other_block"),
        explained=values.get("explained") is True,
    )


def _whole(value: object, where: str) -> int:
    found = number(value, where)
    if not isinstance(found, int) or found < 0:
        raise BadField(where, f"is {shown(value)}, but must be a whole number of at least 0")
    return found


def _below(value: object, where: str, limit: int) -> int:
    found = _whole(value, where)
    if found >= limit:
        raise BadField(where, f"is {found}, but there are only {limit}")
    return found


def _maybe(value: object, where: str) -> str | None:
    return None if value is None else text(value, where)


def _named(kind: type[_Name], value: object, where: str) -> _Name:
    try:
        return kind(text(value, where))
    except BadField:
        raise
    except ValueError as error:
        raise BadField(where, f"is {shown(value)}, which is not known here") from error
