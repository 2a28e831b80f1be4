"""Whether a dataclass read from a foreign file holds what its fields promise; Python itself does not look."""

from __future__ import annotations

import functools
import math
import types
from dataclasses import is_dataclass
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from draftlens.core.values import BadField, shown

_WORDS = {int: "a whole number", float: "a number", str: "text", bool: "true or false", types.NoneType: "null"}


def check(value: object, where: str) -> None:
    """Check every field of a dataclass, nested ones included.

    Raises:
        BadField: names the first field that holds something else.
    """
    kind: Any = type(value)
    for name, hint in _hints(kind).items():
        _check(getattr(value, name), hint, f"{where}.{name}")


@functools.cache
def _hints(kind: type[Any]) -> dict[str, Any]:
    return {name: hint for name, hint in get_type_hints(kind).items() if name in kind.__dataclass_fields__}


def _check(value: object, hint: Any, where: str) -> None:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        if value is None and types.NoneType in arguments:
            return
        (hint,) = (a for a in arguments if a is not types.NoneType)
        _check(value, hint, where)
    elif origin is tuple:
        if not isinstance(value, tuple):
            raise BadField(where, f"is {shown(value)}, but must be a list")
        each = [arguments[0]] * len(value) if arguments[-1] is ... else arguments
        if len(each) != len(value):
            raise BadField(where, f"has {len(value)} items, but must have {len(each)}")
        for i, (item, kind) in enumerate(zip(value, each, strict=True)):
            _check(item, kind, f"{where}[{i}]")
    elif origin is Literal:
        if value not in arguments:
            raise BadField(where, f"is {shown(value)}, but must be one of {', '.join(map(str, arguments))}")
    elif is_dataclass(hint):
        check(value, where)
    elif not _is(value, hint):
        raise BadField(where, f"is {shown(value)}, but must be {_WORDS.get(hint, hint.__name__)}")


def _is(value: object, kind: type[Any]) -> bool:
    if kind is float:
        return type(value) in (int, float) and not math.isnan(value)  # type: ignore[arg-type]
    return type(value) is kind
