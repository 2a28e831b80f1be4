"""Tiny GGUF files with random weights, written as llama.cpp's converters lay them out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import gguf
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float32]

HIDDEN, HEADS, KV_HEADS, HEAD_DIM, FFN, LAYERS = 64, 4, 2, 16, 96, 2
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>"]


def byte_alphabet() -> list[str]:
    """The 256 characters of byte-level BPE, as GPT-2 defines them."""
    printable = [*range(33, 127), *range(161, 173), *range(174, 256)]
    return [chr(b) for b in printable] + [chr(256 + i) for i in range(256 - len(printable))]


@dataclass
class Toy:
    """A model by its safetensors names, and what is to be said of it in the container."""

    architecture: str = "llama"
    layers: int = LAYERS
    tokens: list[str] = field(default_factory=lambda: SPECIAL + byte_alphabet() + ["ab", "Ġab"])
    merges: list[str] = field(default_factory=lambda: ["a b", "Ġ ab"])
    metadata: dict[str, Any] = field(default_factory=dict)
    drop: tuple[str, ...] = ()
    extra: dict[str, Array] = field(default_factory=dict)
    raw: dict[str, tuple[npt.NDArray[np.uint8], gguf.GGMLQuantizationType]] = field(default_factory=dict)

    def weights(self) -> dict[str, Array]:
        """The checkpoint as mlx-lm names and orders it."""
        random = np.random.default_rng(1)

        def draw(*shape: int) -> Array:
            return (random.standard_normal(shape) * 0.2).astype(np.float32)

        result = {"model.embed_tokens.weight": draw(len(self.tokens), HIDDEN), "model.norm.weight": 1 + draw(HIDDEN)}
        for layer in range(self.layers):
            stem = f"model.layers.{layer}"
            result |= {
                f"{stem}.input_layernorm.weight": 1 + draw(HIDDEN),
                f"{stem}.post_attention_layernorm.weight": 1 + draw(HIDDEN),
                f"{stem}.self_attn.q_proj.weight": draw(HEADS * HEAD_DIM, HIDDEN),
                f"{stem}.self_attn.k_proj.weight": draw(KV_HEADS * HEAD_DIM, HIDDEN),
                f"{stem}.self_attn.v_proj.weight": draw(KV_HEADS * HEAD_DIM, HIDDEN),
                f"{stem}.self_attn.o_proj.weight": draw(HIDDEN, HEADS * HEAD_DIM),
                f"{stem}.mlp.gate_proj.weight": draw(FFN, HIDDEN),
                f"{stem}.mlp.up_proj.weight": draw(FFN, HIDDEN),
                f"{stem}.mlp.down_proj.weight": draw(HIDDEN, FFN),
            }
            if self.architecture == "qwen2":
                for part, rows in (("q", HEADS), ("k", KV_HEADS), ("v", KV_HEADS)):
                    result[f"{stem}.self_attn.{part}_proj.bias"] = draw(rows * HEAD_DIM)
            if self.architecture in ("gemma2", "gemma3"):
                for part in ("pre_feedforward", "post_feedforward"):
                    result[f"{stem}.{part}_layernorm.weight"] = draw(HIDDEN)
            if self.architecture in ("qwen3", "gemma3"):
                result[f"{stem}.self_attn.q_norm.weight"] = 1 + draw(HEAD_DIM)
                result[f"{stem}.self_attn.k_norm.weight"] = 1 + draw(HEAD_DIM)
        return result

    def write(self, path: Path) -> Path:
        """Write the container; values in `metadata` replace or add to the usual ones."""
        writer = gguf.GGUFWriter(path, self.architecture)
        for key, value in (self._metadata() | self.metadata).items():
            _add(writer, key, value)
        for name, values in (_stored(self.weights(), self.architecture) | self.extra).items():
            if name in self.raw:
                block, kind = self.raw[name]
                writer.add_tensor(name, block, raw_dtype=kind)
            elif name not in self.drop:
                writer.add_tensor(name, values)
        writer.write_header_to_file()
        writer.write_kv_data_to_file()
        writer.write_tensors_to_file()
        writer.close()
        return path

    def _metadata(self) -> dict[str, Any]:
        prefix = self.architecture
        return {
            f"{prefix}.block_count": self.layers,
            f"{prefix}.context_length": 128,
            f"{prefix}.embedding_length": HIDDEN,
            f"{prefix}.feed_forward_length": FFN,
            f"{prefix}.attention.head_count": HEADS,
            f"{prefix}.attention.head_count_kv": KV_HEADS,
            f"{prefix}.attention.key_length": HEAD_DIM,
            f"{prefix}.attention.layer_norm_rms_epsilon": 1e-5,
            f"{prefix}.rope.freq_base": 10000.0,
            "tokenizer.ggml.model": "gpt2",
            "tokenizer.ggml.pre": "smollm",
            "tokenizer.ggml.tokens": self.tokens,
            "tokenizer.ggml.token_type": [3 if token in SPECIAL else 1 for token in self.tokens],
            "tokenizer.ggml.merges": self.merges,
            "tokenizer.ggml.bos_token_id": 1,
            "tokenizer.ggml.eos_token_id": 2,
            "tokenizer.chat_template": "{% for m in messages %}{{ m.content }}{% endfor %}",
        }


def permuted(values: Array, heads: int) -> Array:
    """Row 2i of a head is row i of its first half, row 2i + 1 is row i of its second half."""
    result = np.empty_like(values)
    size = values.shape[0] // heads
    for head in range(heads):
        for i in range(size // 2):
            result[head * size + 2 * i] = values[head * size + i]
            result[head * size + 2 * i + 1] = values[head * size + size // 2 + i]
    return result


_PARTS = {
    "input_layernorm": "attn_norm",
    "post_attention_layernorm": "ffn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "self_attn.q_norm": "attn_q_norm",
    "self_attn.k_norm": "attn_k_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}


_AROUND = {
    "post_attention_layernorm": "post_attention_norm",
    "pre_feedforward_layernorm": "ffn_norm",
    "post_feedforward_layernorm": "post_ffw_norm",
}


def _stored(weights: Mapping[str, Array], architecture: str) -> dict[str, Array]:
    result = {
        "token_embd.weight": weights["model.embed_tokens.weight"],
        "output_norm.weight": weights["model.norm.weight"] + np.float32(architecture.startswith("gemma")),
    }
    for name, values in weights.items():
        if not name.startswith("model.layers."):
            continue
        layer, _, part = name.removeprefix("model.layers.").partition(".")
        stem, _, kind = part.rpartition(".")
        around = _AROUND if architecture in ("gemma2", "gemma3") else {}
        stored = around.get(stem) or _PARTS[stem]
        if architecture.startswith("gemma") and "norm" in stem:
            values = values + np.float32(1)
        if architecture in ("llama", "smollm3") and stem in ("self_attn.q_proj", "self_attn.k_proj"):
            values = permuted(values, HEADS if "q_proj" in stem else KV_HEADS)
        result[f"blk.{layer}.{stored}.{kind}"] = values
    return result


def _add(writer: gguf.GGUFWriter, key: str, value: Any) -> None:
    if value is None:
        return
    if isinstance(value, bool):
        writer.add_bool(key, value)
    elif isinstance(value, int):
        writer.add_uint32(key, value)
    elif isinstance(value, float):
        writer.add_float32(key, value)
    elif isinstance(value, str):
        writer.add_string(key, value)
    else:
        writer.add_array(key, value)
