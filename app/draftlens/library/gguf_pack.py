"""Quantised weights in MLX's affine form: what 4 or 8 bits hold exactly is kept, anything else on request."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt
from gguf import GGMLQuantizationType as Kind

Array = npt.NDArray[Any]


class Keep(StrEnum):
    """What an import makes of quantised weights."""

    AUTO = "auto"
    FLOAT = "float"
    FOUR = "4bit"
    EIGHT = "8bit"


BLOCK = 32
"""Weights a block of the simple GGUF types, and a group of what is kept of them."""
GROUP = 64
_EXACT = {Kind.Q4_0: 4, Kind.Q4_1: 4, Kind.Q8_0: 8}


def exact_bits(kind: Kind) -> int | None:
    """The bits in which a type's values can be kept without any loss, None if in none.

    Their blocks have one float16 scale (and minimum); the others multiply two scales, which float16 cannot hold.
    """
    return _EXACT.get(kind)


def asked_bits(keep: Keep, columns: int) -> int | None:
    """The bits to quantise to anew; rows must fill whole groups."""
    bits = {Keep.FOUR: 4, Keep.EIGHT: 8}.get(keep)
    return bits if columns % GROUP == 0 else None


def unpack(data: Array, kind: Kind) -> tuple[Array, Array, Array]:
    """Take stored rows apart: whole numbers [rows, columns], scales and biases [rows, blocks], w = scale * q + bias."""
    rows = data.shape[0]
    size = {Kind.Q4_0: 18, Kind.Q4_1: 20, Kind.Q8_0: 34}[kind]
    blocks = np.ascontiguousarray(data).view(np.uint8).reshape(rows, -1, size)
    scales = _halves(blocks[..., :2])
    if kind is Kind.Q8_0:
        codes = (blocks[..., 2:].view(np.int8).astype(np.int16) + 128).astype(np.uint8)
        return codes.reshape(rows, -1), scales, _times(scales, -128)
    head = 2 if kind is Kind.Q4_0 else 4
    nibbles = blocks[..., head:]
    codes = np.concatenate([nibbles & 15, nibbles >> 4], axis=-1).reshape(rows, -1)
    biases = _times(scales, -8) if kind is Kind.Q4_0 else _halves(blocks[..., 2:4])
    return codes, scales, biases


def quantise(values: Array, bits: int) -> tuple[Array, Array, Array]:
    """Quantise float rows in groups of 64 the way MLX does: the larger end of each group is met exactly."""
    groups = values.astype(np.float32).reshape(values.shape[0], -1, GROUP)
    steps = (1 << bits) - 1
    low, high = groups.min(-1), groups.max(-1)
    scale = np.maximum((high - low) / steps, 1e-7)
    down = np.abs(low) > np.abs(high)
    scale = np.where(down, scale, -scale)
    edge = np.where(down, low, high)
    zero = np.rint(edge / scale)
    scale = np.where(zero == 0, scale, edge / np.where(zero == 0, 1, zero)).astype(np.float16)
    bias = np.where(zero == 0, 0, edge).astype(np.float16)
    wide = scale.astype(np.float32)
    wide = np.where(wide == 0, 1, wide)
    codes = np.clip(np.rint((groups - bias.astype(np.float32)[..., None]) / wide[..., None]), 0, steps)
    return codes.astype(np.uint8).reshape(values.shape), scale, bias


def words(codes: Array, bits: int) -> Array:
    """Whole numbers [rows, columns] packed into 32-bit words, the first in the lowest bits."""
    each = 32 // bits
    grouped = codes.reshape(codes.shape[0], -1, each).astype(np.uint32)
    shifts = np.arange(each, dtype=np.uint32) * np.uint32(bits)
    packed: Array = np.bitwise_or.reduce(grouped << shifts, axis=-1)
    return packed


def settings(bits: dict[str, tuple[int, int]]) -> dict[str, Any]:
    """The `quantization` entry of config.json for modules with (bits, group size); empty if none is quantised."""
    if not bits:
        return {}
    common = max(set(bits.values()), key=list(bits.values()).count)
    entry: dict[str, Any] = {"group_size": common[1], "bits": common[0]}
    entry |= {name: {"group_size": own[1], "bits": own[0]} for name, own in bits.items() if own != common}
    return {"quantization": entry}


def buffers(codes: Array, scales: Array, biases: Array, bits: int, dtype: Any) -> Iterator[memoryview]:
    """The three tensors of a quantised module as they are written."""
    yield _bytes(words(codes, bits))
    yield _bytes(scales.astype(dtype))
    yield _bytes(biases.astype(dtype))


def _halves(data: Array) -> Array:
    return np.ascontiguousarray(data).view(np.float16)[..., 0]


def _times(scales: Array, factor: int) -> Array:
    """A power of two leaves every float16 as exact as it was, unless it overflows."""
    with np.errstate(over="ignore"):
        return scales * np.float16(factor)


def _bytes(values: Array) -> memoryview:
    return np.ascontiguousarray(values).reshape(-1).view(np.uint8).data
