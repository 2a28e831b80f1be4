"""Build the demo drafter: our four layers plus the target's own embedding, as an ordinary standalone folder."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from draftlens.core.errors import BugError
from draftlens.library import tensor_file
from draftlens.library.tensor_file import TensorInfo, TensorSpec

_GROUP_SIZE = 64
_BITS = 4
_EMBEDDING = "model.embed_tokens.weight"
_TARGET_FILES = ("tokenizer.json", "tokenizer_config.json", "chat_template.jinja", "generation_config.json")
_NUMPY_TYPES: dict[str, Any] = {"F32": np.float32, "F16": np.float16, "U32": np.uint32}

Array = npt.NDArray[Any]


def build(layers_file: Path, target: Path, folder: Path, keep_quantised: bool) -> None:
    """Write the drafter into the existing, empty `folder`.

    Args:
        layers_file: decoder layers and final norm, 4-bit affine in groups of 64.
        target: the imported target; gives embedding, tokenizer and config.
        keep_quantised: keep the layers in 4 bits (fast on a GPU), else store them in the target's type.
    """
    target_file = target / "model.safetensors"
    embedding = tensor_file.read_header(target_file)[_EMBEDDING]
    layers = tensor_file.read_header(layers_file)
    dtype = embedding.dtype
    specs = [TensorSpec(_EMBEDDING, dtype, embedding.shape)]
    for name, info in layers.items():
        if keep_quantised:
            specs.append(TensorSpec(name, info.dtype, info.shape))
        elif info.dtype == "U32":
            columns = info.shape[1] * 32 // _BITS
            specs.append(TensorSpec(name, dtype, (info.shape[0], columns)))
        elif not name.endswith((".scales", ".biases")):
            specs.append(TensorSpec(name, dtype, info.shape))

    def data() -> Iterator[memoryview]:
        yield _bytes(_read(target_file, embedding))
        for spec in specs[1:]:
            values = _read(layers_file, layers[spec.name])
            if not keep_quantised:
                values = _plain(spec.name, values, layers_file, layers).astype(_NUMPY_TYPES[dtype])
            yield _bytes(values)

    tensor_file.write(folder / "model.safetensors", specs, data())
    for name in _TARGET_FILES:
        if (target / name).is_file():
            shutil.copyfile(target / name, folder / name)
    config = json.loads((target / "config.json").read_bytes())
    config["num_hidden_layers"] = 1 + max(
        int(name.split(".")[2]) for name in layers if name.startswith("model.layers.")
    )
    if keep_quantised:
        config["quantization"] = {"group_size": _GROUP_SIZE, "bits": _BITS}
    (folder / "config.json").write_text(json.dumps(config, indent=2) + "\n", encoding="utf-8")


def dequantise_affine(packed: Array, scales: Array, biases: Array, bits: int = _BITS) -> npt.NDArray[np.float32]:
    """Values of MLX's affine quantisation: q * scale + bias, each 32-bit word holding its q lowest bits first."""
    if 32 % bits or packed.dtype != np.uint32:
        raise BugError(f"cannot unpack {bits}-bit values from {packed.dtype}")
    shifts = np.arange(0, 32, bits, dtype=np.uint32)
    whole = (packed[..., None] >> shifts) & np.uint32(2**bits - 1)
    rows = packed.shape[0]
    grouped = whole.reshape(rows, scales.shape[1], -1).astype(np.float32)
    values = grouped * scales[..., None].astype(np.float32) + biases[..., None].astype(np.float32)
    return values.reshape(rows, -1)


def _plain(name: str, values: Array, layers_file: Path, layers: dict[str, TensorInfo]) -> Array:
    if values.dtype != np.uint32:
        return values
    stem = name.removesuffix(".weight")
    scales, biases = (_read(layers_file, layers[f"{stem}.{part}"]) for part in ("scales", "biases"))
    return dequantise_affine(values, scales, biases)


def _read(path: Path, info: TensorInfo) -> Array:
    return np.memmap(path, dtype=_NUMPY_TYPES[info.dtype], mode="r", offset=info.start, shape=info.shape)


def _bytes(values: Array) -> memoryview:
    return np.ascontiguousarray(values).reshape(-1).view(np.uint8).data
