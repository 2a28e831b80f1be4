"""Which files of a folder are its weights: named by the index, missing, stray or cut short."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from draftlens.library import small_file, tensor_file
from draftlens.library.config_values import printable
from draftlens.library.tensor_file import TensorInfo

INDEX = "model.safetensors.index.json"
SINGLE = "model.safetensors"
_SMALL, _PAGE, _PAGES = 4 << 20, 4096, 32
_FILE_NAME = re.compile(r"[^/\\\x00-\x1f\x7f\ud800-\udfff]{1,240}\.safetensors")
_SHARD = re.compile(r"(model[^/]*?)-(\d+)-of-(\d+)\.safetensors")


@dataclass(frozen=True)
class WeightFiles:
    """The weights as they lie on disk."""

    used: tuple[Path, ...]
    missing: tuple[str, ...]
    stray: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        return sum(path.stat().st_size for path in self.used)


def find(folder: Path) -> WeightFiles:
    """Choose the files that belong together; everything else that ends in .safetensors is stray."""
    present = {path.name: path for path in sorted(folder.glob("*.safetensors")) if path.is_file()}
    notes: tuple[str, ...] = ()
    named = _indexed(folder)
    if named is None and (folder / INDEX).exists():
        notes = (f"{INDEX} cannot be read and was ignored",)
    # An index left over from before a conversion names shards of which some are gone, next to a single file.
    if named and not named <= present.keys() and SINGLE in present.keys() - named:
        notes = (f"{INDEX} names files that are not there; {SINGLE} is used instead",)
        named = None
    if not named:
        named = _canonical(set(present))
    used = tuple(present[name] for name in sorted(named) if name in present)
    missing = tuple(sorted(named - present.keys()))
    stray = tuple(printable(name) for name in sorted(present.keys() - named))
    return WeightFiles(used, missing, stray, notes)


def read_tensors(files: WeightFiles) -> tuple[dict[str, TensorInfo], tuple[str, ...]]:
    """All headers of the used files together, and the names that more than one of them holds.

    Raises:
        UserError: names a file that is empty, cut short or damaged.
    """
    tensors: dict[str, TensorInfo] = {}
    repeated: set[str] = set()
    for path in files.used:
        header = tensor_file.read_header(path)
        repeated |= tensors.keys() & header.keys()
        tensors |= header
    return tensors, tuple(sorted(repeated))


def hollow(files: WeightFiles) -> str | None:
    """The name of a file whose second half is all zeros, as an interrupted copy leaves it; a few pages are read.

    Only a large file is looked at: a bias or two of a small one may well be zero.
    """
    for path in files.used:
        size = path.stat().st_size
        if size < _SMALL:
            continue
        with path.open("rb") as file:
            places = (size // 2 + i * (size // 2 - _PAGE) // (_PAGES - 1) for i in range(_PAGES))
            if not any(_page(file, place).strip(b"\0") for place in places):
                return path.name
    return None


def _page(file: BinaryIO, place: int) -> bytes:
    file.seek(place)
    return file.read(_PAGE)


def _indexed(folder: Path) -> set[str] | None:
    try:
        weight_map = small_file.parsed(folder / INDEX)["weight_map"]
        names = {str(name) for name in weight_map.values()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    # A name with a folder in it would lead outside, and other formats are not loaded: no index of ours to follow.
    return names if names and all(map(_FILE_NAME.fullmatch, names)) else None


def _canonical(present: set[str]) -> set[str]:
    """Without an index: the single file, or one numbered series with the numbers that are not there."""
    if SINGLE in present:
        return {SINGLE}
    for name in sorted(present):
        match = _SHARD.fullmatch(name)
        if match:
            stem, number, total = match.groups()
            count, width = int(total), len(number)
            if not 0 < count <= 10_000:
                continue
            return {f"{stem}-{i:0{width}d}-of-{total}.safetensors" for i in range(1, count + 1)}
    return {name for name in present if name.startswith("model")}
