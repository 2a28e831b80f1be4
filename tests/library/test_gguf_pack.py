"""What is kept quantised is exactly what the file holds; what is quantised anew is what MLX makes of it."""

from __future__ import annotations

import mlx.core as mx
import numpy as np
import pytest
from gguf import GGMLQuantizationType as Kind
from gguf import quants

from draftlens.library import gguf_pack

RANDOM = np.random.default_rng(4)


@pytest.mark.parametrize("kind", [Kind.Q4_0, Kind.Q4_1, Kind.Q8_0])
def test_kept_bits_are_worth_what_the_file_holds(kind: Kind) -> None:
    values = RANDOM.standard_normal((6, 128)).astype(np.float32)
    stored = quants.quantize(values, kind)
    bits = gguf_pack.exact_bits(kind)
    assert bits is not None
    codes, scales, biases = gguf_pack.unpack(stored, kind)
    packed = mx.array(gguf_pack.words(codes, bits))
    worth = mx.dequantize(packed, mx.array(scales), mx.array(biases), group_size=32, bits=bits)
    exact = quants.dequantize(stored, kind)
    # The multiplication itself is done in float16 here, and rounds the last of its eleven bits.
    assert np.abs(np.array(worth, np.float32) - exact).max() <= np.abs(exact).max() * 2**-10
    wide = mx.dequantize(packed, mx.array(scales.astype(np.float32)), mx.array(biases.astype(np.float32)), 32, bits)
    assert np.array_equal(np.array(wide), exact)


@pytest.mark.parametrize("kind", [Kind.Q4_K, Kind.Q6_K, Kind.Q5_0, Kind.Q3_K, Kind.IQ4_NL, Kind.BF16])
def test_other_types_are_not_kept(kind: Kind) -> None:
    assert gguf_pack.exact_bits(kind) is None


@pytest.mark.parametrize("bits", [4, 8])
def test_quantised_anew_as_mlx_would(bits: int) -> None:
    values = RANDOM.standard_normal((8, 256)).astype(np.float32)
    values[0, :64] = 0
    codes, scales, biases = gguf_pack.quantise(values, bits)
    ours = np.array(
        mx.dequantize(
            mx.array(gguf_pack.words(codes, bits)),
            mx.array(scales.astype(np.float32)),
            mx.array(biases.astype(np.float32)),
            64,
            bits,
        )
    )
    theirs = np.array(mx.dequantize(*mx.quantize(mx.array(values), 64, bits), 64, bits))
    step = np.abs(values).max() * 2 / (2**bits - 1)
    assert np.abs(ours - values).max() <= step
    assert abs(np.abs(ours - values).mean() - np.abs(theirs - values).mean()) < 0.02 * step
