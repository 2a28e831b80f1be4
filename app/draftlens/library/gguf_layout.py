"""How a GGUF of each architecture maps to an mlx-lm checkpoint: tensor names, row order and config.json.

Only what has been checked is listed; anything else is refused by name rather than imported wrongly.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from draftlens.core.errors import UserError

Array = npt.NDArray[Any]
Metadata = Mapping[str, Any]

_TOP_NAMES = {
    "token_embd.weight": "model.embed_tokens.weight",
    "output_norm.weight": "model.norm.weight",
    "output.weight": "lm_head.weight",
}
_BLOCK_NAMES = {
    "attn_norm": "input_layernorm",
    "ffn_norm": "post_attention_layernorm",
    "attn_q": "self_attn.q_proj",
    "attn_k": "self_attn.k_proj",
    "attn_v": "self_attn.v_proj",
    "attn_output": "self_attn.o_proj",
    "attn_q_norm": "self_attn.q_norm",
    "attn_k_norm": "self_attn.k_norm",
    "ffn_gate": "mlp.gate_proj",
    "ffn_up": "mlp.up_proj",
    "ffn_down": "mlp.down_proj",
}
ROPE_FACTORS = "rope_freqs.weight"

_MATRICES = ("attn_q", "attn_k", "attn_v", "attn_output", "ffn_gate", "ffn_up", "ffn_down")
_NORMS = ("attn_norm", "ffn_norm")


@dataclass(frozen=True)
class Architecture:
    """One supported value of `general.architecture`."""

    name: str
    model_class: str
    # llama's converter stores the rows of a head as pairs; mlx-lm expects the two halves of a head apart.
    interleaved_heads: bool = False
    block_extras: tuple[str, ...] = ()
    # What a part is called here where it is called otherwise elsewhere.
    renamed: Mapping[str, str] = field(default_factory=dict)
    # The type in config.json, where it is not the container's own name.
    model_type: str = ""
    # Every nth layer turns no position into an angle; the container leaves that to whoever knows the architecture.
    unturned_every: int = 0
    # Gemma's converter stores 1 + w of every norm; its model class adds the 1 itself.
    centred_norms: bool = False


ARCHITECTURES = {
    "llama": Architecture("llama", "LlamaForCausalLM", interleaved_heads=True),
    "smollm3": Architecture("smollm3", "SmolLM3ForCausalLM", interleaved_heads=True, unturned_every=4),
    "qwen2": Architecture("qwen2", "Qwen2ForCausalLM", block_extras=("attn_q.bias", "attn_k.bias", "attn_v.bias")),
    "qwen3": Architecture("qwen3", "Qwen3ForCausalLM", block_extras=("attn_q_norm.weight", "attn_k_norm.weight")),
}

_AROUND = ("post_attention_norm.weight", "post_ffw_norm.weight")
_AROUND_NAMES = {
    "post_attention_norm": "post_attention_layernorm",
    "ffn_norm": "pre_feedforward_layernorm",
    "post_ffw_norm": "post_feedforward_layernorm",
}
_HEAD_NORMS = ("attn_q_norm.weight", "attn_k_norm.weight")
ARCHITECTURES |= {
    "gemma": Architecture("gemma", "GemmaForCausalLM", centred_norms=True),
    "gemma2": Architecture(
        "gemma2", "Gemma2ForCausalLM", block_extras=_AROUND, renamed=_AROUND_NAMES, centred_norms=True
    ),
    "gemma3": Architecture(
        "gemma3", "Gemma3ForCausalLM", block_extras=(*_AROUND, *_HEAD_NORMS), renamed=_AROUND_NAMES,
        model_type="gemma3_text", centred_norms=True,
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Layout:
    """The plan of one import: what each stored tensor becomes, and the config that goes with it."""

    names: dict[str, str]
    config: dict[str, Any]
    heads: dict[str, int]
    centred_norms: bool = False

    def restore(self, stored_name: str, values: Array) -> Array:
        """Undo what the container's converter did to this tensor: its row order, or a norm moved by one."""
        if self.centred_norms and stored_name.endswith("norm.weight"):
            return values - np.float32(1)
        heads = self.heads.get(stored_name)
        return values if heads is None else unpermute(values, heads)


def unpermute(values: Array, heads: int) -> Array:
    """Rows from interleaved pairs back to the two halves of each head."""
    pairs = values.reshape(heads, values.shape[0] // heads // 2, 2, *values.shape[1:])
    return pairs.swapaxes(1, 2).reshape(values.shape)


def plan(metadata: Metadata, shapes: Mapping[str, tuple[int, ...]], rope_factors: Callable[[], Array] | None) -> Layout:
    """Decide the whole import from metadata and shapes, or refuse it, before any weight is read.

    Args:
        metadata: the container's key-value pairs.
        shapes: stored tensor names with shapes, rows first.
        rope_factors: reads `rope_freqs.weight`, where the file has one.
    """
    name = metadata.get("general.architecture")
    architecture = ARCHITECTURES.get(name) if isinstance(name, str) else None
    if architecture is None:
        raise UserError(
            f"GGUF files of architecture {name!r} cannot be imported; these can: {', '.join(sorted(ARCHITECTURES))}.",
            "Use this model's MLX or safetensors version instead.",
        )
    numbers = _Numbers(metadata, architecture.name)
    if numbers.optional("expert_count", 0):
        raise UserError(
            f"This GGUF is a mixture-of-experts {architecture.name}, which cannot be imported.",
            "Use this model's MLX or safetensors version instead.",
        )
    layers = numbers.whole("block_count")
    if layers > len(shapes):
        raise UserError(
            f"This GGUF declares {layers:,} layers and holds only {len(shapes):,} tensors.", "Fetch it again."
        )
    attention_bias = architecture.name == "llama" and "blk.0.attn_output.bias" in shapes
    names = _expected(architecture, layers, attention_bias, tied="output.weight" not in shapes)
    _refuse_differences(names, shapes)
    hidden = numbers.whole("embedding_length")
    heads = numbers.whole("attention.head_count")
    kv_heads = numbers.whole("attention.head_count_kv", heads)
    head_dim = numbers.whole("attention.key_length", hidden // heads)
    if architecture.name == "qwen2" and head_dim * heads != hidden:
        raise UserError(
            f"This GGUF declares {heads} heads of {head_dim} for a width of {hidden}, which qwen2 cannot have."
        )
    if numbers.whole("rope.dimension_count", head_dim) != head_dim:
        raise UserError("This GGUF rotates only a part of each head, which cannot be imported.")
    theta = float(numbers.optional("rope.freq_base", 10000.0))
    config: dict[str, Any] = {
        "architectures": [architecture.model_class],
        "model_type": architecture.model_type or architecture.name,
        "hidden_size": hidden,
        "num_hidden_layers": layers,
        "intermediate_size": numbers.whole("feed_forward_length"),
        "num_attention_heads": heads,
        "num_key_value_heads": kv_heads,
        "head_dim": head_dim,
        "rms_norm_eps": _shortest(float(numbers.required("attention.layer_norm_rms_epsilon"))),
        "vocab_size": shapes["token_embd.weight"][0],
        "max_position_embeddings": numbers.whole("context_length"),
        "rope_theta": _shortest(theta),
        "rope_scaling": _rope_scaling(numbers, theta, head_dim, rope_factors),
        "hidden_act": "gelu_pytorch_tanh" if architecture.centred_norms else "silu",
        "tie_word_embeddings": "output.weight" not in shapes,
    }
    if architecture.name == "llama":
        config |= {"attention_bias": attention_bias, "mlp_bias": False}
    if architecture.unturned_every:
        config["no_rope_layer_interval"] = architecture.unturned_every
    if architecture.centred_norms:
        config |= _gemma(numbers, architecture.name, layers, hidden // heads, head_dim)
    interleaved = {}
    if architecture.interleaved_heads:
        for stored in names:
            part = stored.split(".")[2] if stored.startswith("blk.") else ""
            if part in ("attn_q", "attn_k"):
                interleaved[stored] = heads if part == "attn_q" else kv_heads
    return Layout(names=names, config=config, heads=interleaved, centred_norms=architecture.centred_norms)


class _Numbers:
    """Architecture-prefixed metadata with a sentence for each that is missing."""

    def __init__(self, metadata: Metadata, prefix: str) -> None:
        self._metadata = metadata
        self._prefix = prefix

    def optional(self, key: str, default: Any = None) -> Any:
        return self._metadata.get(f"{self._prefix}.{key}", default)

    def required(self, key: str) -> Any:
        value = self.optional(key)
        if value is None:
            raise UserError(
                f"This GGUF lacks {self._prefix}.{key}.", "Fetch the file again, or use another conversion of it."
            )
        return value

    def whole(self, key: str, default: int | None = None) -> int:
        value = self.required(key) if default is None else self.optional(key, default)
        if isinstance(value, list):
            if len(set(value)) != 1:
                raise UserError(f"This GGUF has {self._prefix}.{key} differing by layer, which cannot be imported.")
            value = value[0]
        if not isinstance(value, int) or value <= 0:
            raise UserError(f"This GGUF has {self._prefix}.{key} = {value!r}, which is not a positive whole number.")
        return value


def _gemma(numbers: _Numbers, name: str, layers: int, width: int, head_dim: int) -> dict[str, Any]:
    """What Gemma's classes want beside the common numbers; the 27B models scale attention by their width."""
    largest = layers == {"gemma2": 46, "gemma3": 62}.get(name)
    own: dict[str, Any] = {"query_pre_attn_scalar": width if largest else head_dim}
    if name == "gemma2":
        own["attn_logit_softcapping"] = float(numbers.optional("attn_logit_softcapping", 50.0))
        own["final_logit_softcapping"] = float(numbers.optional("final_logit_softcapping", 30.0))
    if name == "gemma3":
        own["sliding_window"] = numbers.whole("attention.sliding_window")
        own["sliding_window_pattern"] = numbers.whole("attention.sliding_window_pattern", 6)
        own["rope_local_base_freq"] = float(numbers.optional("rope.local.freq_base", 10000.0))
    return own


def _expected(architecture: Architecture, layers: int, attention_bias: bool, tied: bool) -> dict[str, str]:
    names = {stored: ours for stored, ours in _TOP_NAMES.items() if not (tied and stored == "output.weight")}
    parts = [f"{part}.weight" for part in (*_NORMS, *_MATRICES)]
    parts += architecture.block_extras
    if attention_bias:
        parts += [f"{part}.bias" for part in ("attn_q", "attn_k", "attn_v", "attn_output")]
    for layer in range(layers):
        for part in parts:
            stem, kind = part.split(".")
            ours = architecture.renamed.get(stem) or _BLOCK_NAMES[stem]
            names[f"blk.{layer}.{part}"] = f"model.layers.{layer}.{ours}.{kind}"
    return names


def _refuse_differences(names: Mapping[str, str], shapes: Mapping[str, tuple[int, ...]]) -> None:
    missing = [name for name in names if name not in shapes]
    if missing:
        raise UserError(f"This GGUF lacks {_some(missing)}.", "Fetch the file again, or use another conversion of it.")
    unknown = [name for name in shapes if name not in names and name != ROPE_FACTORS]
    if unknown:
        raise UserError(f"This GGUF holds tensors that its architecture does not have here: {_some(unknown)}.")


def _some(names: list[str], shown: int = 4) -> str:
    rest = len(names) - shown
    return ", ".join(names[:shown]) + (f" and {rest} more" if rest > 0 else "")


def _shortest(value: float) -> float:
    """The shortest decimal that is the same 32-bit float: 9.999999747378752e-06 was written as 1e-05."""
    return float(str(np.float32(value)))


def _rope_scaling(
    numbers: _Numbers, theta: float, head_dim: int, rope_factors: Callable[[], Array] | None
) -> dict[str, Any] | None:
    if rope_factors is not None:
        return _llama3_scaling(rope_factors(), theta, head_dim)
    kind = numbers.optional("rope.scaling.type", "none")
    if kind == "none":
        return None
    factor = float(numbers.required("rope.scaling.factor"))
    if kind == "linear":
        return {"rope_type": "linear", "factor": factor}
    if kind == "yarn":
        original = numbers.whole("rope.scaling.original_context_length")
        return {"rope_type": "yarn", "factor": factor, "original_max_position_embeddings": original}
    raise UserError(f"This GGUF stretches its positions with {kind!r}, which cannot be imported.")


def _llama3_scaling(factors: Array, theta: float, head_dim: int) -> dict[str, Any]:
    """Llama 3's files store the factor of every frequency; recognise the published rule, refuse any other table."""
    low, high, original = 1.0, 4.0, 8192
    factor = float(factors.max())
    lengths = 2 * math.pi * theta ** (np.arange(0, head_dim, 2) / head_dim)
    smooth = np.clip((original / lengths - low) / (high - low), 0.0, 1.0)
    expected = 1.0 / ((1.0 - smooth) / factor + smooth)
    if factors.shape != expected.shape or not np.allclose(factors, expected, rtol=1e-3):
        raise UserError(
            "This GGUF has a table of rotary factors that follows no rule known here, so it cannot be imported."
        )
    return {
        "rope_type": "llama3",
        "factor": factor,
        "low_freq_factor": low,
        "high_freq_factor": high,
        "original_max_position_embeddings": original,
    }
