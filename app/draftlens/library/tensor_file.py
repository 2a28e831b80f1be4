"""The safetensors file format: read a header without the data, write a file tensor by tensor in little memory."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from draftlens.core.errors import BugError, UserError

LFS_POINTER = b"version https://git-lfs"
_LENGTH_BYTES = 8
# The format's own ceiling; a larger length means the file is something else.
_MAX_HEADER_BYTES = 100_000_000
_ALIGNMENT = 8
_METADATA, _LONGEST_NAME, _MOST_SIDES = "__metadata__", 256, 16
_BITS = {
    "BOOL": 8, "U8": 8, "I8": 8, "F8_E4M3": 8, "F8_E5M2": 8, "F8_E8M0": 8,
    "U16": 16, "I16": 16, "F16": 16, "BF16": 16,
    "U32": 32, "I32": 32, "F32": 32,
    "U64": 64, "I64": 64, "F64": 64, "C64": 64,
    "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6,
}  # fmt: skip


@dataclass(frozen=True)
class TensorInfo:
    """One entry of a header; `start` and `end` are byte positions in the file."""

    dtype: str
    shape: tuple[int, ...]
    start: int
    end: int


@dataclass(frozen=True)
class TensorSpec:
    """A tensor to be written."""

    name: str
    dtype: str
    shape: tuple[int, ...]

    @property
    def size(self) -> int:
        return math.prod(self.shape) * _BITS[self.dtype] // 8


def read_header(path: Path) -> dict[str, TensorInfo]:
    """Names, types, shapes and places of the tensors in `path`; refuses a file that is cut short or is none."""
    try:
        # A pipe would wait for whoever writes into it.
        if path.exists() and not path.is_file():
            raise UserError(f"{path.name} is not a file.", "Fetch the file again.")
        with path.open("rb") as file:
            file_size = os.fstat(file.fileno()).st_size
            prefix = file.read(_LENGTH_BYTES)
            length = int.from_bytes(prefix, "little")
            if file_size == 0:
                raise UserError(f"{path.name} is empty.", "Fetch the file again.")
            if prefix == LFS_POINTER[:_LENGTH_BYTES]:
                raise UserError(f"{path.name} is only a Git LFS pointer.", "Fetch the file itself, with git lfs pull.")
            if len(prefix) < _LENGTH_BYTES or length > _MAX_HEADER_BYTES or length < 2:
                raise UserError(f"{path.name} is not a safetensors file.", "Fetch the file again.")
            if _LENGTH_BYTES + length > file_size:
                raise UserError(f"{path.name} is cut short inside its header.", "Fetch the file again.")
            text = file.read(length)
    except OSError as error:
        raise UserError(f"{path.name} cannot be read: {error.strerror or error}.") from error
    tensors = _parse(text, _LENGTH_BYTES + length, path.name)
    needed = max((info.end for info in tensors.values()), default=_LENGTH_BYTES + length)
    if needed > file_size:
        raise UserError(
            f"{path.name} is cut short: its header describes {needed:,} bytes and the file has {file_size:,}.",
            "Fetch the file again.",
        )
    return tensors


def _parse(text: bytes, data_start: int, name: str) -> dict[str, TensorInfo]:
    try:
        entries = json.loads(text, object_pairs_hook=_unrepeated)
        tensors = {tensor: _info(entry, data_start) for tensor, entry in entries.items() if tensor != _METADATA}
        if not all(len(tensor) <= _LONGEST_NAME and tensor.isprintable() for tensor in tensors):
            raise ValueError("a name that no tensor has")
    except _Repeated as error:
        raise UserError(f"{name} names {error.key} twice in its header.", "Fetch the file again.") from error
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UserError(f"{name} has a damaged safetensors header.", "Fetch the file again.") from error
    _refuse_contradictions(tensors, name)
    return tensors


def _unrepeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        # Which of the two a program takes is its own choice, so the file means nothing certain.
        keys = iter(key for key, _ in pairs)
        raise _Repeated(next(key for key in keys if found.pop(key, keys) is keys))
    return found


class _Repeated(Exception):
    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key if len(key) <= _LONGEST_NAME and key.isprintable() else "a tensor"


def _info(entry: Mapping[str, Any], data_start: int) -> TensorInfo:
    dtype, shape, (start, end) = entry["dtype"], entry["shape"], entry["data_offsets"]
    # bool is an int to Python, and 2.0 equals 2: neither is a size.
    if not isinstance(shape, list) or not all(type(n) is int and n >= 0 for n in (*shape, start, end)):
        raise ValueError("sizes that are none")
    if not isinstance(dtype, str) or len(shape) > _MOST_SIDES or not start <= end:
        raise ValueError("no type, or offsets out of order")
    return TensorInfo(dtype, tuple(shape), data_start + start, data_start + end)


def _refuse_contradictions(tensors: Mapping[str, TensorInfo], name: str) -> None:
    """Places that two tensors share, or that are not as long as type and shape ask for; gaps do no harm."""
    step = "Fetch the file again."
    for tensor, info in tensors.items():
        bits = _BITS.get(info.dtype)
        if bits is not None and math.prod(info.shape) * bits != (info.end - info.start) * 8:
            raise UserError(f"{name} has another length for {tensor} than its type and shape ask for.", step)
    before, last = 0, ""
    for tensor, info in sorted(tensors.items(), key=lambda item: (item[1].start, item[1].end)):
        if info.start == info.end:
            continue
        if info.start < before:
            raise UserError(f"{name} has {last} and {tensor} in the same place.", step)
        before, last = info.end, tensor


def write(path: Path, specs: Sequence[TensorSpec], data: Iterable[bytes | memoryview]) -> None:
    """Write the tensors of `specs` in order, taking the bytes of each from `data` only when its turn comes."""
    entries: dict[str, Mapping[str, object]] = {_METADATA: {"format": "mlx"}}
    position = 0
    for spec in specs:
        entries[spec.name] = {
            "dtype": spec.dtype,
            "shape": list(spec.shape),
            "data_offsets": [position, position + spec.size],
        }
        position += spec.size
    header = json.dumps(entries, separators=(",", ":")).encode()
    header += b" " * (-len(header) % _ALIGNMENT)
    with path.open("wb") as file:
        file.write(len(header).to_bytes(_LENGTH_BYTES, "little"))
        file.write(header)
        for spec, block in zip(specs, data, strict=True):
            view = memoryview(block)
            if view.nbytes != spec.size:
                raise BugError(f"{spec.name} has {view.nbytes} bytes where {spec.size} were announced")
            file.write(view)
        file.flush()
        os.fsync(file.fileno())
