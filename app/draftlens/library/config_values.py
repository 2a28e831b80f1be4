"""Values of config.json as they are put into words: by their kind, and never long."""

from __future__ import annotations

from typing import Any

_LONGEST, _DEEPEST, _MOST_ITEMS = 80, 4, 256
_LARGEST = 10**24


def shown(value: object) -> str:
    """A value of config.json as it is put into a sentence, never long."""
    text = "null" if value is None else repr(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


def clipped(value: Any, depth: int = 0) -> Any:
    """A config whose long texts end in an ellipsis and whose numbers end somewhere: no sentence can become longer."""
    if isinstance(value, str) and not (len(value) <= _LONGEST and value.isprintable()):
        return printable(value if len(value) <= _LONGEST else f"{value[: _LONGEST - 1]}…")
    if isinstance(value, int) and not isinstance(value, bool):
        return max(-_LARGEST, min(value, _LARGEST))
    if depth < _DEEPEST and isinstance(value, dict):
        return {key: clipped(inner, depth + 1) for key, inner in value.items()}
    if depth < _DEEPEST and isinstance(value, list):
        return [clipped(inner, depth + 1) for inner in value[:_MOST_ITEMS]]
    return value


def printable(text: str) -> str:
    """A text without what moves a terminal's cursor or is no character at all."""
    return "".join(char if char.isprintable() else "\ufffd" for char in text)


def kind(value: object) -> str:
    """What JSON calls a value."""
    names = {list: "list", str: "text", bool: "truth value", int: "number", float: "number", dict: "object"}
    return names.get(type(value), "null")
