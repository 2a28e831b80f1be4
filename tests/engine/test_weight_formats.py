"""A checkpoint gives the same logits raw and converted, and stray tensors of a drafter beside it change nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import mlx.core as mx
import pytest
from mlx.utils import tree_flatten

from draftlens.engine import load
from engine.families import network

_NORMS = ("input_layernorm.weight", "post_attention_layernorm.weight", "model.norm.weight", "_norm.weight")
"""Norms that the raw format keeps as what is added to one."""


def _raw(name: str, value: mx.array) -> mx.array:
    if name.endswith("conv1d.weight"):
        return mx.moveaxis(value, 1, 2)
    return value - 1.0 if name.endswith(_NORMS) else value


@pytest.mark.parametrize("raw", [False, True], ids=["converted", "raw"])
@pytest.mark.parametrize("stray", [False, True], ids=["alone", "beside-mtp"])
def test_raw_or_converted_beside_mtp_tensors_or_not_the_logits_are_equal(
    raw: bool, stray: bool, tmp_path: Path
) -> None:
    model = network("qwen3_5")
    converted: Any = tree_flatten(model.parameters())
    weights: dict[str, mx.array] = {name: _raw(name, value) if raw else value for name, value in converted}
    if stray:
        weights |= {"mtp.fc.weight": mx.ones((32, 64)), "mtp.norm.weight": mx.zeros((32,))}
    mx.save_safetensors(str(tmp_path / "model.safetensors"), weights)
    config = {"model_type": "qwen3_5", "text_config": model.args.text_config}
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    prompt = mx.array([[1, 7, 3, 9]])
    found, expected = load.network(tmp_path, None)(prompt), model(prompt)
    assert mx.allclose(found, expected, atol=1e-5).item()
