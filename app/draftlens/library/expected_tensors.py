"""What a model of a plain family holds: the tensors of every layer by name, in the shapes its config asks for."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from draftlens.library.tensor_file import TensorInfo

PLAIN_FAMILIES = ("llama", "mistral", "qwen2", "qwen3")
"""Types whose tensors follow from the config alone and lie under "model.", at any size."""

_SIZES = ("hidden_size", "intermediate_size", "num_attention_heads", "num_hidden_layers", "vocab_size")

Shape = tuple[int, ...]


def lack(config: Mapping[str, Any], tensors: Mapping[str, TensorInfo]) -> str | None:
    """The first tensor that is missing or of another shape, as the end of "It …"; None for a family not known here."""
    family = config.get("model_type")
    # Foreign packings rename their tensors; what they hold is the loader's affair.
    if family not in PLAIN_FAMILIES or (config.get("quantization_config") and not config.get("quantization")):
        return None
    if not all(isinstance(config.get(key), int) for key in _SIZES):
        return None
    for name, shape in _expected(config):
        info = tensors.get(name)
        if info is None:
            return f"lacks the tensor {name}, which a model of type {family!r} has"
        packed = f"{name.removesuffix('.weight')}.scales" in tensors
        if info.shape[:1] != shape[:1] or (not packed and info.shape != shape):
            return f"has {name} in the shape {info.shape}, where its config.json asks for {shape}"
    return None


def _expected(config: Mapping[str, Any]) -> Iterator[tuple[str, Shape]]:
    family, hidden = config["model_type"], config["hidden_size"]
    yield "model.embed_tokens.weight", (config["vocab_size"], hidden)
    for layer in range(config["num_hidden_layers"]):
        for part, shape in _layer(config, family, hidden):
            yield f"model.layers.{layer}.{part}", shape
    yield "model.norm.weight", (hidden,)


def _layer(config: Mapping[str, Any], family: str, hidden: int) -> Iterator[tuple[str, Shape]]:
    heads = config["num_attention_heads"]
    groups = _whole(config, "num_key_value_heads") or heads
    own_width = _whole(config, "head_dim") if family != "qwen2" else None
    width, inner = own_width or hidden // heads, config["intermediate_size"]
    outputs = {"q_proj": heads * width, "k_proj": groups * width, "v_proj": groups * width}
    yield "input_layernorm.weight", (hidden,)
    yield "post_attention_layernorm.weight", (hidden,)
    for name, rows in outputs.items():
        yield f"self_attn.{name}.weight", (rows, hidden)
        if family == "qwen2" or (family != "qwen3" and config.get("attention_bias") is True):
            yield f"self_attn.{name}.bias", (rows,)
    yield "self_attn.o_proj.weight", (hidden, heads * width)
    if family == "qwen3":
        yield from ((f"self_attn.{name}.weight", (width,)) for name in ("q_norm", "k_norm"))
    yield from ((f"mlp.{name}.weight", (inner, hidden)) for name in ("gate_proj", "up_proj"))
    yield "mlp.down_proj.weight", (hidden, inner)


def _whole(config: Mapping[str, Any], key: str) -> int | None:
    value = config.get(key)
    return value if isinstance(value, int) else None
