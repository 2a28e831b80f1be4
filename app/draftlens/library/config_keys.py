"""What a model class cannot be made from: a key that is missing in config.json, or a size that is none."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from draftlens.library import supported

_SIZES = ("hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads", "vocab_size")
_NEVER_NULL = ("hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size")


def wrong(config: Mapping[str, Any], model_type: str) -> tuple[str, str] | None:
    """The first key that is wrong, and the clause that says so; None if a model can be made."""
    needed = supported.needed_keys(model_type)
    for key in needed:
        # Many classes fill in a null themselves, but not one of these.
        if key in config and config[key] is None and (needed[key] == "float" or key in _NEVER_NULL):
            return key, f"has {key} null, where a model of type {model_type!r} needs a number"
        if needed[key] == "float" and not _is_finite(config.get(key, 0)):
            return key, f"has {key} {config[key]!r}, which is not a number"
        if key not in config:
            return key, f"lacks the key {key}, which a model of type {model_type!r} needs"
    inner = config.get("text_config")
    for part in (config, inner if isinstance(inner, Mapping) else {}):
        for key in dict.fromkeys((*_SIZES, *(key for key, kind in needed.items() if kind == "int"))):
            value = part.get(key)
            if isinstance(value, str | float | bool):
                return key, f"has {key} {value!r}, which is not a whole number"
            if key in _SIZES and isinstance(value, int) and value < 1:
                return key, f"has {key} {value}, which must be at least 1"
        heads, groups = part.get("num_attention_heads"), part.get("num_key_value_heads")
        if isinstance(heads, int) and isinstance(groups, int) and heads % groups:
            return "num_key_value_heads", f"has {heads} attention heads, which {groups} key-value heads do not divide"
    return None


def _is_finite(value: object) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)
