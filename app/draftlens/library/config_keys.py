"""What a model class cannot be made from: a key that is missing in config.json, or a size that is none."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from draftlens.library import expected_tensors, supported
from draftlens.library.config_values import shown

_SIZES = ("hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads", "vocab_size")
_NEVER_NULL = ("hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size")
_MOST_LAYERS = 10_000
_PLAIN_KINDS = {"int": "a whole number", "float": "a number", "bool": "true or false"}
_OPTIONAL = re.compile(r"Optional\[(\w+)(?:\[.*)?\]|(\w+)(?:\[.*\])? \| None|(\w+)(?:\[.*\])?")


def wrong(config: Mapping[str, Any], model_type: str) -> tuple[str, str] | None:
    """The first key that is wrong, and the clause that says so; None if a model can be made."""
    needed = supported.needed_keys(model_type)
    for key in needed:
        # Many classes fill in a null themselves, but not one of these.
        if key in config and config[key] is None and (needed[key] == "float" or key in _NEVER_NULL):
            return key, f"has {key} null, where a model of type {model_type!r} needs a number"
        if needed[key] == "float" and not _is_finite(config.get(key, 0)):
            return key, f"has {key} {shown(config[key])}, which is not a number"
        if key not in config:
            return key, f"lacks the key {key}, which a model of type {model_type!r} needs"
    inner = config.get("text_config", {})
    if not isinstance(inner, Mapping):
        return "text_config", f"has text_config {shown(inner)}, which is not an object"
    for part in (config, inner):
        for key in dict.fromkeys((*_SIZES, *(key for key, kind in needed.items() if kind == "int"))):
            value = part.get(key)
            # Only sizes are counted with; what else should be whole may be written 10000.0.
            if isinstance(value, float) and value.is_integer() and key not in _SIZES:
                continue
            if isinstance(value, str | float | bool | dict) or (isinstance(value, list) and key in _NEVER_NULL):
                return key, f"has {key} {shown(value)}, which is not a whole number"
            if key in _SIZES and isinstance(value, int) and value < 1:
                return key, f"has {key} {shown(value)}, which must be at least 1"
        heads, groups = part.get("num_attention_heads"), part.get("num_key_value_heads")
        if isinstance(heads, int) and isinstance(groups, int) and heads % groups:
            return "num_key_value_heads", f"has {heads} attention heads, which {groups} key-value heads do not divide"
        if not _are_ids(part.get("eos_token_id")):
            return "eos_token_id", f"has eos_token_id {shown(part['eos_token_id'])}, which is no id of a token"
        if isinstance(layers := part.get("num_hidden_layers"), int) and layers > _MOST_LAYERS:
            return "num_hidden_layers", f"has num_hidden_layers {shown(layers)}, which no model has"
    return _text_for_another(config, model_type) or _rope(config, model_type)


def _text_for_another(config: Mapping[str, Any], model_type: str) -> tuple[str, str] | None:
    """A text, list or number where the class counts on something else: text that says false is true to it."""
    for key, kind in supported.known_keys(model_type).items():
        found = _OPTIONAL.fullmatch(kind)
        wanted = next((name for name in found.groups() if name), "") if found else ""
        value = config.get(key)
        if key == "rope_theta" and kind == "float" and config.get(key, 0) is None:
            return key, f"has {key} null, where a model of type {model_type!r} needs a number"
        if wanted == "float" and isinstance(value, float) and not math.isfinite(value):
            return key, f"has {key} {shown(value)}, which is not a number"
        if key == "rope_theta" and isinstance(value, int | float) and value <= 0:
            return key, f"has {key} {shown(value)}, which must be above 0"
        if isinstance(value, str) and wanted in _PLAIN_KINDS and not key.endswith("token_id"):
            return key, f"has {key} {value!r}, which is not {_PLAIN_KINDS[wanted]}"
        if wanted in ("Dict", "dict") and value is not None and not isinstance(value, Mapping):
            return key, f"has {key} {shown(value)}, which is not an object"
        if wanted in ("List", "list") and isinstance(value, str | Mapping):
            return key, f"has {key} {shown(value)}, which is not a list"
    return None


def _rope(config: Mapping[str, Any], model_type: str) -> tuple[str, str] | None:
    """Other families read it in ways of their own."""
    if model_type not in expected_tensors.PLAIN_FAMILIES:
        return None
    for key in ("rope_scaling", "rope_parameters"):
        block = config.get(key)
        if isinstance(block, Mapping) and key in supported.known_keys(model_type):
            kind = block.get("type") or block.get("rope_type", "default")
            if not isinstance(kind, str) or kind not in supported.rope_types():
                return key, f"has {key} of type {shown(kind)}, which this version of mlx-lm does not know"
    return None


def _are_ids(value: object) -> bool:
    ids = value if isinstance(value, list) else [] if value is None else [value]
    return all(isinstance(one, int) and not isinstance(one, bool) for one in ids)


def _is_finite(value: object) -> bool:
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and not isinstance(value, bool)
