"""What mlx-lm says when it cannot make a model, in the words of a person who has the folder before them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from draftlens.core.objection import Objection

_MISSING = re.compile(r"Missing (\d+) parameters: *\n?(.*?)[,.]?\s*(?:\n|$)")
_UNPLACED = re.compile(r"Received (\d+) parameters not in model: *\n?(.*?)[,.]?\s*(?:\n|$)")
_SHAPE = re.compile(r"Expected shape (\(.*?\)) but received shape (\(.*?\)) for parameter (\S+)")
_OF_A_HEADER = re.compile(r"\[(?:load_)?safetensors?\]|\[json\.exception")
_LONGEST = 160


def in_words(error: Exception) -> Objection:
    """What is wrong with the folder at which a loader failed."""
    text = str(error)
    for pattern, say in _FORMS:
        if found := pattern.search(text):
            return say(found)
    if isinstance(error, KeyError):
        return Objection(
            f"Its config.json lacks the key {_short(text)}, which its model class needs.", _short(text.strip("'"))
        )
    if isinstance(error, OSError) and error.filename:
        named = Path(str(error.filename)).name
        return Objection(f"Its {_short(named)} cannot be read: {error.strerror or error}.", named, incomplete=True)
    if isinstance(error, RecursionError):
        return Objection("Its config.json is nested too deeply to be read.")
    line = _short(text.strip().partition("\n")[0].rstrip(".:") or type(error).__name__)
    if _OF_A_HEADER.match(text):
        return Objection(f"Its weights have a header that mlx cannot read: {line}.", incomplete=True)
    if isinstance(error, TypeError | AttributeError):
        # Words for a programmer; what they come down to is a value that is no such thing.
        return Objection(f"Its config.json has a value of a kind its model class does not take ({line}).")
    return Objection(f"Its config.json does not describe a model that mlx-lm can make: {line}.")


def _missing(found: re.Match[str]) -> Objection:
    count, name = int(found[1]), _first(found[2])
    return Objection(f"It lacks {count:,} tensor{'s' * (count != 1)} of its model: {_listed(count, name)}.", name, True)


def _unplaced(found: re.Match[str]) -> Objection:
    count, name = int(found[1]), _first(found[2])
    these = f"{count:,} tensor{'s' * (count != 1)} that its model class has no place for"
    return Objection(f"It holds {these}: {_listed(count, name)}.", name)


def _shape(found: re.Match[str]) -> Objection:
    wanted, there, name = found[1], found[2], found[3].rstrip(".,")
    return Objection(f"Its tensor {name} has the shape {there}, and its config.json asks for {wanted}.", name)


_FORMS: tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Objection]], ...] = (
    (_MISSING, _missing),
    (_UNPLACED, _unplaced),
    (_SHAPE, _shape),
)


def _first(names: str) -> str:
    return _short(names.partition(",")[0].strip())


def _listed(count: int, name: str) -> str:
    return name if count == 1 else f"{name} and {count - 1:,} more"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
