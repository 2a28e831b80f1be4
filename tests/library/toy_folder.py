"""Model folders made of headers: right names and shapes, a few bytes of weights."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from math import prod
from pathlib import Path
from typing import Any

Config = dict[str, Any]

LAYER = (
    "input_layernorm.weight",
    "post_attention_layernorm.weight",
    "self_attn.q_proj.weight",
    "self_attn.k_proj.weight",
    "self_attn.v_proj.weight",
    "self_attn.o_proj.weight",
    "mlp.gate_proj.weight",
    "mlp.up_proj.weight",
    "mlp.down_proj.weight",
)


def llama_config(layers: int = 1, **more: Any) -> Config:
    return {
        "architectures": ["LlamaForCausalLM"],
        "model_type": "llama",
        "hidden_size": 2,
        "intermediate_size": 2,
        "num_attention_heads": 1,
        "num_hidden_layers": layers,
        "rms_norm_eps": 1e-5,
        "tie_word_embeddings": True,
        "vocab_size": 8,
    } | more


def llama_tensors(layers: int = 1, prefix: str = "model.") -> list[str]:
    names = [f"{prefix}embed_tokens.weight", f"{prefix}norm.weight"]
    return names + [f"{prefix}layers.{layer}.{part}" for layer in range(layers) for part in LAYER]


def write_tensors(path: Path, names: Iterable[str], config: Mapping[str, Any] | None = None) -> None:
    """Zeros under these names, in the shapes that a config of llama's kind asks for: a header and a hole."""
    sizes = {key: value for key, value in (config or llama_config()).items() if isinstance(value, int)}
    entries, end = {}, 0
    for name in names:
        shape = _shape(name, sizes)
        start, end = end, end + 2 * prod(shape)
        entries[name] = {"dtype": "F16", "shape": shape, "data_offsets": [start, end]}
    header = json.dumps({"__metadata__": {"format": "mlx"}, **entries}).encode()
    with path.open("wb") as file:
        file.write(len(header).to_bytes(8, "little") + header)
        file.truncate(file.tell() + end)


def _shape(name: str, sizes: Mapping[str, int]) -> tuple[int, ...]:
    hidden, inner, rows = (sizes.get(key, 2) for key in ("hidden_size", "intermediate_size", "vocab_size"))
    heads = sizes.get("num_attention_heads", 1)
    width = sizes.get("head_dim", hidden // heads)
    queries, keys = heads * width, sizes.get("num_key_value_heads", heads) * width
    for part, shape in {
        "norm.weight": (hidden,),
        "embed_tokens.weight": (rows, hidden),
        "lm_head.weight": (rows, hidden),
        "q_proj.weight": (queries, hidden),
        "k_proj.weight": (keys, hidden),
        "v_proj.weight": (keys, hidden),
        "o_proj.weight": (hidden, queries),
        "down_proj.weight": (hidden, inner),
        "_proj.weight": (inner, hidden),
    }.items():
        if name.endswith(part):
            return shape
    return (2, 2)


def write_tokenizer(folder: Path, tokens: Mapping[str, int] | None = None, **more: Any) -> None:
    vocabulary = dict(tokens if tokens is not None else {f"t{i}": i for i in range(8)})
    content = {"model": {"type": "BPE", "vocab": vocabulary}, "added_tokens": []} | more
    (folder / "tokenizer.json").write_text(json.dumps(content))


def model_folder(folder: Path, config: Config | None = None, tensors: Iterable[str] | None = None) -> Path:
    """A complete small llama, unless told otherwise."""
    folder.mkdir(parents=True, exist_ok=True)
    chosen = llama_config() if config is None else config
    (folder / "config.json").write_text(json.dumps(chosen))
    write_tensors(folder / "model.safetensors", llama_tensors() if tensors is None else tensors, chosen)
    write_tokenizer(folder)
    (folder / "chat_template.jinja").write_text("{{ messages }}")
    return folder
