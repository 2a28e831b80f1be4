"""Whether a file holds what its hash says: while a model is fetched, and at any time later, without a network."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

from draftlens.library.manifest import Part
from draftlens.library.transfer import CHUNK, Stop, Stopped


def matches(path: Path, part: Part, stop: Stop) -> bool:
    """Whether a file's content is what its hash says: SHA-256 of large files, git's object hash of the others."""
    if len(part.blob) == 64:
        digest = hashlib.sha256()
    else:
        digest = hashlib.sha1(f"blob {part.size}\0".encode(), usedforsecurity=False)
    buffer = memoryview(bytearray(CHUNK))
    with path.open("rb", buffering=0) as file:
        while count := file.readinto(buffer):
            digest.update(buffer[:count])
            if stop.asked:
                raise Stopped
    return digest.hexdigest() == part.blob


def damaged(snapshot: Path, stop: Callable[[], bool] = lambda: False) -> list[str]:
    """Names of the files of a snapshot whose content is not what the name of their blob says. Reads all of them."""
    halt, wrong = Stop(), []
    for link in sorted(path for path in snapshot.rglob("*") if path.is_symlink()):
        if stop():
            break
        blob = Path(os.path.realpath(link))
        named = len(blob.name) in (40, 64) and blob.is_file()
        if named and not matches(blob, Part(link.name, blob.stat().st_size, blob.name), halt):
            wrong.append(link.name)
    return wrong
