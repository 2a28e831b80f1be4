"""Every setting's place in the file and what it may be, in one table; and the settings that a file holds."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from draftlens.core.errors import UserError
from draftlens.core.params import MAX_DRAFT, SamplingParams
from draftlens.core.rules import ASKABLE
from draftlens.settings.settings import CANDIDATES, CONTEXTS, TEXT_SIZES, Settings


@dataclass(frozen=True)
class Key:
    """One setting: its place in the file, its place in `Settings`, and what is allowed.

    Attributes:
        group: the field of `Settings` that holds it ("sampling", "lookup"), None for a field of `Settings` itself.
        read: from a TOML value; raises ValueError, TypeError or UserError for a bad one.
        allowed: the range in words, for the sentence about a bad value.
    """

    section: str
    name: str
    field: str
    group: str | None
    read: Callable[[Any], Any]
    allowed: str

    def of(self, settings: Settings) -> Any:
        """Return its value."""
        return getattr(settings if self.group is None else getattr(settings, self.group), self.field)

    def put(self, settings: Settings, values: Mapping[Key, Any]) -> Settings:
        """Set it, and at once those of its group in `values`, whose limits may depend on each other.

        Raises:
            UserError: the value is out of range.
        """
        mine = {key.field: value for key, value in values.items() if key.group == self.group}
        if self.group is None:
            changed = replace(settings, **{self.field: values[self]})
            changed.session()
            return changed
        return replace(settings, **{self.group: replace(getattr(settings, self.group), **mine)})


def _exactly(kind: type[Any]) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        if type(value) is not kind:
            raise TypeError
        return value

    return read


def _one_of(*allowed: Any) -> Callable[[Any], Any]:
    def read(value: Any) -> Any:
        found = next((a for a in allowed if a == value and type(value) in (type(a), str)), None)
        if found is None:
            raise ValueError
        return found

    return read


def _whole(low: int, high: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        if type(value) is not int or not low <= value <= high:
            raise ValueError
        return value

    return read


def _number(low: float, high: float) -> Callable[[Any], float]:
    def read(value: Any) -> float:
        if type(value) not in (int, float) or not math.isfinite(value) or not low <= value <= high:
            raise ValueError
        return float(value)

    return read


def _folder(value: Any) -> Path:
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise ValueError
    return Path(value).expanduser()


def _folders(value: Any) -> tuple[Path, ...]:
    return tuple(_folder(one) for one in _texts(value))


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(v, str) and v for v in value):
        raise ValueError
    return tuple(value)


def _bias(value: Any) -> tuple[tuple[int, float], ...]:
    if not isinstance(value, list) or not all(isinstance(v, list) and len(v) == 2 for v in value):
        raise ValueError
    return tuple((token, bias) for token, bias in value)


def _as_is(value: Any) -> Any:
    """Sampling parameters are judged by their own class, which says the range itself."""
    return value


_TEXT, _SWITCH = _exactly(str), _exactly(bool)
_ON_OFF = "true or false"

_OWN = (
    Key("models", "target", "target", None, _folder, "the path of a folder"),
    Key("models", "drafter", "drafter", None, _folder, "the path of a folder"),
    Key("models", "hub_cache", "hub_cache", None, _folder, "the path of a folder"),
    Key("models", "folders", "model_folders", None, _folders, "a list of paths of folders"),
    Key(
        "speculation", "drafter", "drafter_kind", None, _one_of("none", "draft-model", "prompt-lookup"),
        "none, draft-model or prompt-lookup",
    ),
    Key("speculation", "rule", "rule", None, _one_of(*ASKABLE), ", ".join(ASKABLE[:-1]) + f" or {ASKABLE[-1]}"),
    Key("speculation", "k", "k", None, _whole(0, MAX_DRAFT), f"a whole number from 0 to {MAX_DRAFT}"),
    Key(
        "speculation", "draft_temperature", "draft_temperature", None, _number(0, 100), "a number from 0 to 100",
    ),
    Key("speculation", "closed_forms", "closed_forms", None, _SWITCH, _ON_OFF),
    Key("speculation", "candidates", "candidates", None, _one_of(*CANDIDATES), "0 (off), 12 or 50"),
    Key("speculation", "idle_baseline", "idle_baseline", None, _SWITCH, _ON_OFF),
    Key("reply", "max_tokens", "max_tokens", None, _whole(1, 10_000_000), "a whole number from 1 to 10,000,000"),
    Key("reply", "seed", "seed", None, _whole(0, 2**63 - 1), "a whole number of at least 0"),
    Key("reply", "stop", "stop", None, _texts, "a list of texts"),
    Key("reply", "system_prompt", "system_prompt", None, _TEXT, "a text"),
    Key("appearance", "scheme", "appearance", None, _one_of("system", "light", "dark"), "system, light or dark"),
    Key(
        "appearance", "text_size", "text_size", None, _whole(*TEXT_SIZES),
        f"a whole number from {TEXT_SIZES[0]} to {TEXT_SIZES[1]} (percent)",
    ),
    Key("appearance", "provenance", "provenance", None, _SWITCH, _ON_OFF),
    Key("appearance", "underline", "underline", None, _SWITCH, _ON_OFF),
    Key("storage", "data_folder", "data_folder", None, _folder, "the path of a folder"),
    Key("memory", "context", "estimate_context", None, _one_of(*CONTEXTS), ", ".join(map(str, CONTEXTS))),
    Key("memory", "limit", "memory_limit", None, _number(0.1, 10_000), "a number of gigabytes from 0.1 to 10000"),
    Key("storage", "move_to", "move_data_to", None, _folder, "the path of a folder"),
)  # fmt: skip

_LOOKUP = (
    Key("lookup", "ngram_min", "ngram_min", "lookup", _whole(1, 16), "a whole number from 1 to 16"),
    Key("lookup", "ngram_max", "ngram_max", "lookup", _whole(1, 16), "a whole number from 1 to 16"),
    Key("lookup", "max_draft", "max_draft", "lookup", _whole(1, MAX_DRAFT), f"a whole number from 1 to {MAX_DRAFT}"),
    Key("lookup", "policy", "policy", "lookup", _one_of("graded", "gated"), "graded or gated"),
    Key("lookup", "adaptive", "adaptive", "lookup", _SWITCH, _ON_OFF),
    Key("lookup", "floor", "floor", "lookup", _number(1, MAX_DRAFT + 1), f"a number from 1 to {MAX_DRAFT + 1}"),
)

KEYS: tuple[Key, ...] = (
    *_OWN,
    *(
        Key("sampling", f.name, f.name, "sampling", _bias if f.name == "logit_bias" else _as_is, "[[id, number], …]")
        for f in fields(SamplingParams)
    ),
    *_LOOKUP,
)
"""Every setting there is, in the order of the file."""

DEFAULTS: MappingProxyType[Key, Any] = MappingProxyType({key: key.of(Settings()) for key in KEYS})


def settings_from(document: Mapping[str, Any]) -> tuple[Settings, tuple[UserError, ...]]:
    """Read a TOML document; a bad value falls back to its default and is said, one sentence each."""
    settings = Settings()
    problems: list[UserError] = []
    groups: dict[str | None, dict[Key, Any]] = {}
    for key in KEYS:
        section = document.get(key.section, {})
        if not isinstance(section, Mapping):
            if key is next(k for k in KEYS if k.section == key.section):
                problems.append(UserError(f"[{key.section}] in the settings is {section!r}, but must be a section."))
            continue
        if key.name not in section:
            continue
        try:
            groups.setdefault(key.group, {})[key] = key.read(section[key.name])
        except (TypeError, ValueError):
            problems.append(_problem(key, section[key.name], f"must be {key.allowed}"))
    for values in groups.values():
        settings, wrong = _put_all(settings, values)
        problems += wrong
    return settings, tuple(problems)


def _put_all(settings: Settings, values: Mapping[Key, Any]) -> tuple[Settings, list[UserError]]:
    """Set a group as a whole, or one by one where that fails, to find which value is wrong."""
    problems: list[UserError] = []
    first = next(iter(values))
    if first.group is not None:
        try:
            return first.put(settings, values), []
        except (UserError, TypeError, ValueError, OverflowError):
            pass
    for key, value in values.items():
        try:
            settings = key.put(settings, {key: value})
        except UserError as error:
            problems.append(_problem(key, value, error.sentence.rpartition(", but ")[2].rstrip(".")))
        except (TypeError, ValueError, OverflowError):
            problems.append(_problem(key, value, f"must be of the kind of {DEFAULTS[key]!r}"))
    return settings, problems


def _problem(key: Key, value: object, must: str) -> UserError:
    default = DEFAULTS[key]
    used = "nothing" if default in (None, "", ()) else str(default).lower() if isinstance(default, bool) else default
    shown = repr(value) if len(repr(value)) <= 60 else f"{repr(value)[:59]}…"
    return UserError(
        f"{key.name} in section [{key.section}] of the settings is {shown}, but {must}; {used} is used instead.",
        "Change it in the settings.",
    )
