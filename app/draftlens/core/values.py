"""Values to JSON and back, strictly: a field that is wrong is named from the top."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass
from typing import Any

from draftlens.core.errors import UserError
from draftlens.core.params import LookupParams, SamplingParams, SessionParams
from draftlens.core.round import Round
from draftlens.core.rules import RuleId


class BadField(ValueError):
    """A field that cannot be read: its name from the top, and what is wrong with it."""

    def __init__(self, field: str, problem: str) -> None:
        self.field = field
        self.problem = problem
        super().__init__(f"{field} {problem}")


def clean(text: str) -> str:
    """Replace lone surrogates, which a pasted text may hold and UTF-8 cannot."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode("utf-8")
    return text


def params_to_values(params: SessionParams) -> dict[str, Any]:
    """Return what was asked as JSON values; a ban in logit_bias becomes "-inf", for JSON has no number for it."""
    values = flat(params)
    values["sampling"] = flat(params.sampling)
    values["lookup"] = flat(params.lookup)
    values["sampling"]["logit_bias"] = [
        [token, bias if math.isfinite(bias) else "-inf"] for token, bias in params.sampling.logit_bias
    ]
    return values


def params_from_values(data: object, where: str) -> SessionParams:
    """Rebuild what `params_to_values` wrote; unknown fields are left out.

    Raises:
        BadField: a value is of the wrong type or out of range.
    """
    values = dict(mapping(data, where))
    sampling = dict(mapping(values.pop("sampling", {}), f"{where}.sampling"))
    lookup = dict(mapping(values.pop("lookup", {}), f"{where}.lookup"))
    try:
        if "logit_bias" in sampling:
            sampling["logit_bias"] = tuple((int(token), float(bias)) for token, bias in sampling["logit_bias"])
        if "stop" in values:
            values["stop"] = tuple(text(item, f"{where}.stop") for item in values["stop"])
        if "rule" in values:
            values["rule"] = RuleId(values["rule"])
        return SessionParams(
            **_known(SessionParams, values),
            sampling=SamplingParams(**_known(SamplingParams, sampling)),
            lookup=LookupParams(**_known(LookupParams, lookup)),
        )
    except UserError as error:
        raise BadField(where, f"cannot be used: {error.sentence}") from error
    except (TypeError, ValueError) as error:
        if isinstance(error, BadField):
            raise
        raise BadField(where, f"cannot be read ({error})") from error


def round_from_values(data: object, where: str) -> Round:
    """Rebuild a round from a file.

    Raises:
        BadField: it is not a round this version reads.
    """
    try:
        return Round.from_json(dict(mapping(data, where)))
    except BadField:
        raise
    except KeyError as error:
        raise BadField(f"{where}.{error.args[0]}", "is missing") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise BadField(where, f"cannot be read ({error})") from error


def mapping(value: object, where: str) -> Mapping[str, Any]:
    """Return a JSON object or raise BadField."""
    if not isinstance(value, dict):
        raise BadField(where, f"is {shown(value)}, but must be an object")
    return value


def sequence(value: object, where: str) -> Sequence[Any]:
    """Return a JSON array or raise BadField."""
    if not isinstance(value, list):
        raise BadField(where, f"is {shown(value)}, but must be a list")
    return value


def text(value: object, where: str) -> str:
    """Return a text or raise BadField."""
    if not isinstance(value, str):
        raise BadField(where, "is missing" if value is None else f"is {shown(value)}, but must be text")
    return clean(value)


def number(value: object, where: str) -> float:
    """Return a finite number or raise BadField; whole numbers stay whole."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise BadField(where, "is missing" if value is None else f"is {shown(value)}, but must be a number")
    return value


def shown(value: object) -> str:
    """Show a value in a sentence, cut if long."""
    line = json.dumps(value, ensure_ascii=False, default=str)
    return line if len(line) <= 40 else f"{line[:39]}…"


def flat(value: object) -> dict[str, Any]:
    """The fields of a dataclass, not copied: much faster than `asdict` for rounds with many candidates."""
    if not is_dataclass(value):
        raise TypeError(f"{type(value).__name__} is not a value to store")
    return {name: getattr(value, name) for name in value.__dataclass_fields__}


def _known(kind: type[Any], values: Mapping[str, Any]) -> dict[str, Any]:
    names = {f.name for f in fields(kind)}
    return {name: value for name, value in values.items() if name in names}
