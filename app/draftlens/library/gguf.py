"""Import a GGUF file as an mlx-lm folder, decoded by the `gguf` package and written tensor by tensor.

mlx can read GGUF itself, but decodes some types wrongly and drops others; here every type is either decoded right or
refused by name before any data is read.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from gguf import GGMLQuantizationType, GGUFReader, ReaderTensor, quants

from draftlens.core.errors import UserError
from draftlens.library import gguf_agreement, gguf_layout, gguf_pack, gguf_tokenizer, tensor_file
from draftlens.library.gguf_pack import Keep
from draftlens.library.tensor_file import TensorSpec

Report = Callable[[str, float | None], None]

# float32 is the fast type of the Linux CPU backend; a GPU wants half of the bytes.
DEFAULT_DTYPE = "F32" if sys.platform == "linux" else "F16"
_NUMPY_TYPES: dict[str, Any] = {"F32": np.float32, "F16": np.float16}

_PLAIN = {GGMLQuantizationType.F32, GGMLQuantizationType.F16, GGMLQuantizationType.F64}
_DECODABLE = _PLAIN | set(quants._type_traits)
# How an enumeration says that it has no such value. Types are small numbers; a large one is damage.
_UNKNOWN_TYPE = re.compile(r"\b(\d{1,3})\)? is not a valid GGMLQuantizationType")


def import_gguf(
    source: Path,
    folder: Path,
    report: Report,
    dtype: str = DEFAULT_DTYPE,
    keep: Keep = Keep.FLOAT,
    require: Callable[[int], None] = lambda size: None,
) -> None:
    """Write the model in `source` into the existing, empty `folder`.

    Args:
        source: a .gguf file.
        folder: becomes a folder that mlx-lm loads; whoever calls this makes it appear at its final place.
        report: told a sentence and the done fraction.
        dtype: "F32" or "F16", of whatever is not kept quantised, and of the scales of what is.
        keep: which matrices stay or become quantised.
        require: told the bytes of the weights before anything is written; may raise.
    """
    report("Reading the GGUF header", None)
    reader = _open(source)
    metadata = _metadata(reader)
    tensors = {tensor.name: tensor for tensor in reader.tensors}
    gguf_agreement.refuse_other_kinds(metadata)
    _refuse_split(metadata)
    gguf_tokenizer.refuse_unsupported(metadata)
    shapes = {name: tuple(int(n) for n in reversed(tensor.shape)) for name, tensor in tensors.items()}
    factors = tensors.get(gguf_layout.ROPE_FACTORS)
    layout = gguf_layout.plan(metadata, shapes, None if factors is None else lambda: _decode(factors).ravel())
    gguf_agreement.refuse_other_shapes(layout.config, shapes)
    _refuse_types([tensors[name] for name in layout.names])
    plans = [_plan(layout, tensors[stored], shapes[stored], dtype, keep) for stored in layout.names]
    specs = [spec for made in plans for spec in made.specs]
    require(sum(spec.size for spec in specs))
    report("Writing the tokenizer", None)
    generation = gguf_tokenizer.write(metadata, folder)

    def data() -> Iterator[memoryview]:
        for done, made in enumerate(plans):
            report("Importing the weights", done / len(plans))
            yield from made.read()

    tensor_file.write(folder / "model.safetensors", specs, data())
    report("Importing the weights", 1.0)
    config = layout.config | generation | {"torch_dtype": "float32" if dtype == "F32" else "float16"}
    config |= gguf_pack.settings({made.module: made.packed for made in plans if made.packed is not None})
    _write_json(folder / "generation_config.json", generation)
    _write_json(folder / "config.json", config)


@dataclass(frozen=True)
class _Plan:
    """What one stored tensor becomes: one tensor, or words, scales and biases of a quantised module."""

    module: str
    specs: tuple[TensorSpec, ...]
    packed: tuple[int, int] | None
    read: Callable[[], Iterator[memoryview]]


def _plan(layout: gguf_layout.Layout, tensor: ReaderTensor, shape: tuple[int, ...], dtype: str, keep: Keep) -> _Plan:
    stored, name = tensor.name, layout.names[tensor.name]
    module = name.removesuffix(".weight")
    exact = gguf_pack.exact_bits(tensor.tensor_type) if keep is Keep.AUTO else None
    asked = gguf_pack.asked_bits(keep, shape[-1])
    matrix = len(shape) == 2 and name.endswith(".weight")

    def floats() -> gguf_layout.Array:
        return layout.restore(stored, _decode(tensor).reshape(shape))

    def packed() -> Iterator[memoryview]:
        if exact is not None:
            parts = gguf_pack.unpack(np.asarray(tensor.data).reshape(shape[0], -1), tensor.tensor_type)
            restored = [layout.restore(stored, part) for part in parts]
            yield from gguf_pack.buffers(restored[0], restored[1], restored[2], exact, _NUMPY_TYPES[dtype])
        elif asked is not None:
            yield from gguf_pack.buffers(*gguf_pack.quantise(floats(), asked), asked, _NUMPY_TYPES[dtype])

    def plain() -> Iterator[memoryview]:
        yield _checked(stored, floats(), dtype)

    bits = (exact or asked) if matrix else None
    if bits is None:
        return _Plan(module, (TensorSpec(name, dtype, shape),), None, plain)
    group = gguf_pack.BLOCK if exact else gguf_pack.GROUP
    sides = (shape[0], shape[1] // group)
    specs = (
        TensorSpec(name, "U32", (shape[0], shape[1] * bits // 32)),
        TensorSpec(f"{module}.scales", dtype, sides),
        TensorSpec(f"{module}.biases", dtype, sides),
    )
    return _Plan(module, specs, (bits, group), packed)


def _open(source: Path) -> GGUFReader:
    try:
        with source.open("rb") as file:
            magic = file.read(4)
    except OSError as error:
        raise UserError(f"{source} cannot be read: {error.strerror or error}.") from error
    if magic != b"GGUF":
        raise UserError(f"{source} is not a GGUF file.", "Choose a file that ends in .gguf, or fetch it again.")
    try:
        return GGUFReader(source)
    # The reader checks little and fails on a damaged file with whatever its arithmetic runs into.
    except (ValueError, IndexError, KeyError, OverflowError, TypeError, MemoryError, UnicodeDecodeError) as error:
        unknown = _UNKNOWN_TYPE.search(str(error))
        if unknown is not None:
            raise UserError(
                f"{source} holds a tensor of type {unknown[1]}, which is not known here, so it cannot be imported.",
                "Use another quantisation of it.",
            ) from error
        raise UserError(
            f"{source} is damaged or cut short and cannot be read as GGUF.", "Fetch the file again."
        ) from error


def _metadata(reader: GGUFReader) -> dict[str, Any]:
    try:
        return {name: field.contents() for name, field in reader.fields.items()}
    except (ValueError, IndexError, UnicodeDecodeError) as error:
        raise UserError("The metadata of this GGUF file is damaged.", "Fetch the file again.") from error


def _refuse_split(metadata: gguf_layout.Metadata) -> None:
    parts = metadata.get("split.count", 1)
    if parts > 1:
        raise UserError(
            f"This GGUF is one of {parts} parts of a split model, and split files cannot be imported.",
            "Join the parts with llama.cpp's gguf-split first.",
        )


def _refuse_types(tensors: list[ReaderTensor]) -> None:
    refused: dict[str, list[str]] = {}
    for tensor in tensors:
        if tensor.tensor_type not in _DECODABLE:
            refused.setdefault(tensor.tensor_type.name, []).append(tensor.name)
    if refused:
        kinds = "; ".join(f"{kind} in {_first(names)}" for kind, names in sorted(refused.items()))
        raise UserError(
            f"This GGUF uses tensor types that cannot be decoded: {kinds}.", "Use another quantisation of it."
        )


def _first(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{names[0]} and {len(names) - 1} more"


def _decode(tensor: ReaderTensor) -> gguf_layout.Array:
    if tensor.tensor_type in _PLAIN:
        return np.asarray(tensor.data, dtype=np.float32)
    return quants.dequantize(tensor.data, tensor.tensor_type)


def _checked(name: str, values: gguf_layout.Array, dtype: str) -> memoryview:
    with np.errstate(over="ignore"):
        converted = np.ascontiguousarray(values, dtype=_NUMPY_TYPES[dtype])
    if not np.isfinite(converted).all():
        if np.isfinite(values).all():
            raise UserError(f"{name} holds values too large for float16.", "Import this file as float32.")
        raise UserError(
            f"{name} holds values that are not numbers.", "Fetch the file again, or use another conversion of it."
        )
    return converted.reshape(-1).view(np.uint8).data


def _write_json(path: Path, value: dict[str, Any]) -> None:
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
