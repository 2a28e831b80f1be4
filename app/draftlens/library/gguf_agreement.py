"""What a GGUF says of itself must be of the kind it has to be, and agree with the shapes of its tensors."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from draftlens.core.errors import UserError

_STEP = "Fetch the file again, or use another conversion of it."

Kind = tuple[str, Callable[[Any], bool]]


def _whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _above_zero(value: Any) -> bool:
    return _number(value) and math.isfinite(value) and value > 0


def _list_of(test: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda value: isinstance(value, list) and all(map(test, value))


def _text(value: Any) -> bool:
    return isinstance(value, str)


_TEXT: Kind = ("a text", _text)
_WHOLE: Kind = ("a whole number", _whole)
_TEXTS: Kind = ("a list of texts", _list_of(_text))
_TRUTH: Kind = ("true or false", lambda value: isinstance(value, bool))
_COMMON: dict[str, Kind] = {
    "split.count": _WHOLE,
    "tokenizer.ggml.model": _TEXT,
    "tokenizer.ggml.pre": _TEXT,
    "tokenizer.chat_template": _TEXT,
    "tokenizer.ggml.tokens": _TEXTS,
    "tokenizer.ggml.merges": _TEXTS,
    "tokenizer.ggml.token_type": ("a list of whole numbers", _list_of(_whole)),
    "tokenizer.ggml.scores": ("a list of numbers", _list_of(_number)),
    "tokenizer.ggml.add_bos_token": _TRUTH,
    "tokenizer.ggml.add_space_prefix": _TRUTH,
} | {f"tokenizer.ggml.{role}_token_id": _WHOLE for role in ("bos", "eos", "eot", "unknown", "padding")}
_POSITIVE = (
    "attention.layer_norm_rms_epsilon", "rope.freq_base", "rope.local.freq_base", "attn_logit_softcapping",
    "final_logit_softcapping",
)  # fmt: skip


def refuse_other_kinds(metadata: Mapping[str, Any]) -> None:
    """Refuse a value of another kind than its key has everywhere.

    Raises:
        UserError: names the key.
    """
    prefix = metadata.get("general.architecture")
    kinds = _COMMON | {f"{prefix}.{key}": ("a number above 0", _above_zero) for key in _POSITIVE}
    # Where positions are not stretched, 0 stands for none.
    kinds[f"{prefix}.rope.scaling.factor"] = ("a number", _number)
    for key, (words, fits) in kinds.items():
        if key in metadata and not fits(metadata[key]):
            raise UserError(f"This GGUF has a {key} that is not {words}.", _STEP)


def refuse_other_shapes(config: Mapping[str, Any], shapes: Mapping[str, tuple[int, ...]]) -> None:
    """Refuse tensors that are not of the sizes which the config made of the metadata asks for.

    Raises:
        UserError: names the first of them, or the numbers that do not divide.
    """
    heads, groups = config["num_attention_heads"], config["num_key_value_heads"]
    if heads % groups:
        raise UserError(f"This GGUF has {heads} attention heads, which {groups} key-value heads do not divide.", _STEP)
    hidden, inner, width = config["hidden_size"], config["intermediate_size"], config["head_dim"]
    rows = {"attn_q": heads * width, "attn_k": groups * width, "attn_v": groups * width, "ffn_gate": inner}
    expected = {f"{part}.weight": (count, hidden) for part, count in (rows | {"ffn_up": inner}).items()}
    expected |= {"attn_output.weight": (hidden, heads * width), "ffn_down.weight": (hidden, inner)}
    for name, shape in shapes.items():
        part = ".".join(name.split(".")[2:])
        wanted = (
            (config["vocab_size"], hidden) if name in ("token_embd.weight", "output.weight") else expected.get(part)
        )
        if wanted is not None and shape != wanted:
            raise UserError(f"This GGUF has {name} in the shape {shape}, where its metadata asks for {wanted}.", _STEP)
