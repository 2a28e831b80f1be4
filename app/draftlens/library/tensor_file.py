"""The safetensors file format: read a header without the data, write a file tensor by tensor in little memory."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from draftlens.core.errors import BugError, UserError

LFS_POINTER = b"version https://git-lfs"
_LENGTH_BYTES = 8
# The format's own ceiling; a larger length means the file is something else.
_MAX_HEADER_BYTES = 100_000_000
_ALIGNMENT = 8
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
        entries = json.loads(text)
        tensors = {}
        for tensor, entry in entries.items():
            if tensor == "__metadata__":
                continue
            start, end = entry["data_offsets"]
            shape = tuple(int(n) for n in entry["shape"])
            if not 0 <= start <= end:
                raise ValueError("offsets out of order")
            tensors[str(tensor)] = TensorInfo(str(entry["dtype"]), shape, data_start + start, data_start + end)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise UserError(f"{name} has a damaged safetensors header.", "Fetch the file again.") from error
    return tensors


def write(path: Path, specs: Sequence[TensorSpec], data: Iterable[bytes | memoryview]) -> None:
    """Write the tensors of `specs` in order, taking the bytes of each from `data` only when its turn comes."""
    entries: dict[str, Mapping[str, object]] = {"__metadata__": {"format": "mlx"}}
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
