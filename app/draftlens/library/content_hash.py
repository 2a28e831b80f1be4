"""Whether a file holds what its hash says: while a model is fetched, and at any time later, without a network."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from draftlens.library import manifest
from draftlens.library.manifest import Part
from draftlens.library.transfer import CHUNK, Stop, Stopped

_HASH = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


@dataclass(frozen=True)
class Checked:
    """What was found in a model's files.

    Attributes:
        files: how many have a hash to be held against.
        damaged: names of those that hold something else, or are gone.
        unknown: names of those without a hash, of which nothing can be said.
    """

    files: int
    damaged: tuple[str, ...]
    unknown: tuple[str, ...] = ()

    def sentence(self, name: str) -> str:
        """The result in words."""
        if not self.files:
            return f"No file of {name} carries a hash of the hub, so there is nothing to check it against."
        if not self.damaged:
            all_of_them = (
                f"All {self.files} files of {name} are" if self.files > 1 else f"The one file of {name} with a hash is"
            )
            said = f"{all_of_them} whole: each holds what the hub’s hash says."
        else:
            are = "is" if len(self.damaged) == 1 else "are"
            said = f"{len(self.damaged)} of {self.files} files of {name} {are} damaged: {', '.join(self.damaged)}."
        if self.unknown:
            more = f" and {len(self.unknown) - 1:,} more" if len(self.unknown) > 1 else ""
            said += f" Not checked, because the hub names no hash for it: {self.unknown[0]}{more}."
        return said


def matches(path: Path, part: Part, stop: Stop, seen: Callable[[int], None] = lambda count: None) -> bool:
    """Whether a file's content is what its hash says: SHA-256 of large files, git's object hash of the others."""
    if len(part.blob) == 64:
        digest = hashlib.sha256()
    else:
        digest = hashlib.sha1(f"blob {part.size}\0".encode(), usedforsecurity=False)
    buffer = memoryview(bytearray(CHUNK))
    with path.open("rb", buffering=0) as file:
        while count := file.readinto(buffer):
            digest.update(buffer[:count])
            seen(count)
            if stop.asked:
                raise Stopped
    return digest.hexdigest() == part.blob


def check(snapshot: Path, report: Callable[[float], None] = lambda fraction: None, stop: Stop | None = None) -> Checked:
    """Read every file of a snapshot that has a hash.

    Args:
        report: told the fraction of the bytes that is done.

    Raises:
        Stopped: on request.
    """
    parts, halt = _parts(snapshot), stop or Stop()
    whole, done = max(1, sum(part.size for part in parts)), 0

    def seen(count: int) -> None:
        nonlocal done
        done += count
        report(min(1.0, done / whole))

    wrong = []
    for part in parts:
        path = snapshot / part.name
        if not path.is_file() or not matches(path, part, halt, seen):
            wrong.append(part.name)
    known = {part.name for part in parts}
    there = sorted(path.relative_to(snapshot).as_posix() for path in snapshot.rglob("*") if path.is_file())
    return Checked(len(parts), tuple(wrong), tuple(name for name in there if name not in known))


def discard(snapshot: Path, names: tuple[str, ...]) -> None:
    """Delete the content of damaged files, so that a download brings them, and only them, again."""
    for name in names:
        Path(os.path.realpath(snapshot / name)).unlink(missing_ok=True)


def _parts(snapshot: Path) -> list[Part]:
    """The files of a snapshot by their hashes: the names of their blobs, or what our own manifest says of them."""
    kept = manifest.of_snapshot(snapshot)
    found = {} if kept is None else {part.name: part for part in kept.files}
    for link in sorted(path for path in snapshot.rglob("*") if path.is_symlink()):
        blob, name = Path(os.path.realpath(link)), link.relative_to(snapshot).as_posix()
        if name not in found and _HASH.fullmatch(blob.name):
            found[name] = Part(name, blob.stat().st_size if blob.is_file() else 0, blob.name)
    return [found[name] for name in sorted(found)]
