"""What the database keeps as JSON and compressed chunks, over the strict readers of core.values."""

from __future__ import annotations

import functools
import json
import zlib
from collections.abc import Sequence
from typing import Any

from draftlens.core.chat import RunSummary
from draftlens.core.params import SessionParams
from draftlens.core.round import FinishReason, Round
from draftlens.core.values import BadField, flat, mapping, number, params_from_values, params_to_values, shown, text

_ZLIB_LEVEL = 3


def params_to_json(params: SessionParams) -> str:
    """Write what was asked."""
    return json.dumps(params_to_values(params), separators=(",", ":"))


@functools.lru_cache(maxsize=256)
def params_from_json(text: str) -> SessionParams:
    """Read what was asked; what this version cannot read falls back to its default, so that a chat always opens."""
    data = json.loads(text)
    try:
        return params_from_values(data, "params")
    except BadField:
        return SessionParams()


def summary_to_values(run: RunSummary) -> dict[str, Any]:
    """Return a run's summary without its params."""
    values = flat(run)
    del values["params"]
    return values


def summary_from_values(data: object, params: SessionParams, where: str) -> RunSummary:
    """Rebuild what `summary_to_values` wrote.

    Raises:
        BadField: a value is of the wrong type.
    """
    values = mapping(data, where)
    drafter, seed, note, finish = (values.get(name) for name in ("drafter", "seed", "note", "finish"))
    try:
        return RunSummary(
            model=text(values.get("model"), f"{where}.model"),
            drafter=None if drafter is None else text(drafter, f"{where}.drafter"),
            params=params,
            seed=None if seed is None else int(number(seed, f"{where}.seed")),
            note=None if note is None else text(note, f"{where}.note"),
            finish=None if finish is None else FinishReason(finish),
            prompt_tokens=int(number(values.get("prompt_tokens", 0), f"{where}.prompt_tokens")),
            cached_tokens=int(number(values.get("cached_tokens", 0), f"{where}.cached_tokens")),
            prompt_ms=number(values.get("prompt_ms", 0.0), f"{where}.prompt_ms"),
            shadow_confirmations=int(number(values.get("shadow_confirmations", 0), f"{where}.shadow_confirmations")),
            thinking=values.get("thinking") is True,
        )
    except ValueError as error:
        if isinstance(error, BadField):
            raise
        raise BadField(f"{where}.finish", f"is {shown(finish)}, which is no reason known here") from error


def pack(rounds: Sequence[Round]) -> bytes:
    """Compress rounds for one chunk."""
    return zlib.compress(json.dumps(rounds, default=flat, separators=(",", ":")).encode(), _ZLIB_LEVEL)


def unpack(blob: bytes) -> tuple[Round, ...]:
    """Return the rounds of one chunk."""
    return tuple(Round.from_json(data) for data in json.loads(zlib.decompress(blob)))
