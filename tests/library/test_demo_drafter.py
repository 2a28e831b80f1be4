"""The drafter's layers are unpacked as MLX would, or kept packed where that is faster."""

from __future__ import annotations

from pathlib import Path

import mlx.core as mx
import numpy as np
import pytest
from mlx_lm.utils import load_model

from draftlens import paths
from draftlens.library import demo, demo_drafter


@pytest.mark.parametrize("bits", [2, 4, 8])
def test_unpacking_is_that_of_mlx(bits: int) -> None:
    weight = mx.random.normal((24, 128), key=mx.random.key(bits))
    packed, scales, biases = mx.quantize(weight, group_size=64, bits=bits)
    ours = demo_drafter.dequantise_affine(np.array(packed), np.array(scales), np.array(biases), bits)
    theirs = np.array(mx.dequantize(packed, scales, biases, group_size=64, bits=bits))
    assert np.abs(ours - theirs).max() < 1e-6


def test_packed_and_unpacked_drafters_compute_the_same(demo_pair: demo.DemoPair, tmp_path: Path) -> None:
    layers = paths.resources() / "demo-drafter" / "layers.safetensors"
    demo_drafter.build(layers, demo_pair.target, tmp_path, keep_quantised=True)
    packed, config = load_model(tmp_path)
    plain, _ = load_model(demo_pair.drafter)
    tokens = mx.array([[1, 9690, 198, 2683, 359, 253, 5356, 5646]])
    difference = mx.abs(mx.softmax(packed(tokens), -1) - mx.softmax(plain(tokens), -1)).max().item()
    assert config["quantization"]["bits"] == 4
    assert difference < 1e-3  # type: ignore[operator]
