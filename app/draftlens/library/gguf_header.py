"""The first lines of a GGUF file: enough to say what it is, without walking through its vocabulary."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from gguf import GGUFValueType, LlamaFileType

from draftlens.core.errors import UserError
from draftlens.library import gguf_layout
from draftlens.library.config_values import clipped

_MAX_TEXT = 1 << 20
_MAX_KEYS = 4096
_VERSIONS = (2, 3)
_SCALARS = {
    GGUFValueType.UINT8: "<B", GGUFValueType.INT8: "<b", GGUFValueType.UINT16: "<H", GGUFValueType.INT16: "<h",
    GGUFValueType.UINT32: "<I", GGUFValueType.INT32: "<i", GGUFValueType.FLOAT32: "<f", GGUFValueType.BOOL: "<?",
    GGUFValueType.UINT64: "<Q", GGUFValueType.INT64: "<q", GGUFValueType.FLOAT64: "<d",
}  # fmt: skip


@dataclass(frozen=True)
class GgufHeader:
    """What the file says of itself. `quantisation` is the name of its file type, empty where it states none."""

    architecture: str
    quantisation: str
    name: str
    parts: int

    @property
    def refusal(self) -> str | None:
        """Why such a file is not imported, as the end of "It …"; tensors may still tell more."""
        if self.parts > 1:
            return f"is one of {self.parts} parts of a split GGUF, and split files cannot be imported"
        if not self.architecture:
            return "is a GGUF that does not say of which architecture it is"
        if self.architecture not in gguf_layout.ARCHITECTURES:
            known = ", ".join(sorted(gguf_layout.ARCHITECTURES))
            return f"is a GGUF of architecture {self.architecture!r}, and only {known} can be imported"
        return None


def read(path: Path) -> GgufHeader:
    """Read the key-value pairs in front of the tokenizer's.

    Raises:
        UserError: it is no GGUF file, or it is cut short.
    """
    values: dict[str, Any] = {}
    try:
        with path.open("rb") as file:
            if file.read(4) != b"GGUF":
                raise UserError(f"{path.name} is not a GGUF file.", "Fetch it again.")
            version, _, count = struct.unpack("<IQQ", file.read(20))
            if version not in _VERSIONS:
                raise UserError(
                    f"{path.name} is of a version of GGUF that cannot be read ({version}).", "Convert it anew."
                )
            for _ in range(min(count, _MAX_KEYS)):
                key = _text(file)
                if key.startswith("tokenizer."):
                    break
                values[key] = _value(file, GGUFValueType(struct.unpack("<I", file.read(4))[0]))
    except OSError as error:
        raise UserError(f"{path.name} cannot be read: {error.strerror or error}.") from error
    except (struct.error, ValueError, KeyError, RecursionError) as error:
        raise UserError(f"{path.name} is damaged or cut short.", "Fetch the file again.") from error
    try:
        kind = LlamaFileType(values["general.file_type"]).name.removeprefix("MOSTLY_").removeprefix("ALL_")
    except (KeyError, ValueError):
        kind = ""
    parts = values.get("split.count", 1)
    return GgufHeader(
        architecture=str(clipped(values.get("general.architecture", ""))),
        quantisation=kind,
        name=str(clipped(values.get("general.name", ""))),
        parts=parts if isinstance(parts, int) else 1,
    )


def _text(file: BinaryIO) -> str:
    (length,) = struct.unpack("<Q", file.read(8))
    if length > _MAX_TEXT:
        raise ValueError("text too long")
    data = file.read(length)
    if len(data) < length:
        raise ValueError("cut short")
    return data.decode("utf-8", errors="replace")


def _value(file: BinaryIO, kind: GGUFValueType) -> Any:
    if kind is GGUFValueType.STRING:
        return _text(file)
    if kind is GGUFValueType.ARRAY:
        inner, count = struct.unpack("<IQ", file.read(12))
        if count > _MAX_TEXT:
            raise ValueError("array too long")
        return [_value(file, GGUFValueType(inner)) for _ in range(count)]
    form = _SCALARS[kind]
    return struct.unpack(form, file.read(struct.calcsize(form)))[0]
