"""What a download must bring, written before its first byte: it decides whether a model is installed."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from draftlens.library import hub_cache

_NAME = ".draftlens-{commit}.json"


@dataclass(frozen=True)
class Part:
    """A file of the model.

    Attributes:
        name: its path below the snapshot.
        blob: the hash that names its content: SHA-256 for large files, git's SHA-1 for the others.
    """

    name: str
    size: int
    blob: str


@dataclass(frozen=True)
class Manifest:
    """The files of one commit of a repository that belong to the model."""

    repo: str
    revision: str
    commit: str
    files: tuple[Part, ...]

    @property
    def size(self) -> int:
        return sum(part.size for part in self.files)

    def folder(self, cache: Path) -> Path:
        """The repository's folder in a cache."""
        return hub_cache.repo_folder(cache, self.repo)

    def snapshot(self, cache: Path) -> Path:
        """Where the finished model stands."""
        return self.folder(cache) / "snapshots" / self.commit

    def blob(self, cache: Path, part: Part) -> Path:
        """Where the content of a finished file lies."""
        return self.folder(cache) / "blobs" / part.blob

    def partial(self, cache: Path, part: Part) -> Path:
        """Where an unfinished file grows; other tools of the hub name it the same way."""
        return self.folder(cache) / "blobs" / f"{part.blob}{hub_cache.INCOMPLETE}"

    def is_whole(self, cache: Path, part: Part) -> bool:
        """Whether a file is there with its size and linked into the snapshot."""
        return _size(self.snapshot(cache) / part.name) == part.size

    def done(self, cache: Path) -> int:
        """Bytes that need not be fetched any more."""
        total = 0
        for part in self.files:
            sizes = (_size(self.blob(cache, part)), _size(self.partial(cache, part)))
            total += min(part.size, max(0, *sizes))
        return total

    def is_complete(self, cache: Path) -> bool:
        """Whether every file is there."""
        return all(self.is_whole(cache, part) for part in self.files)


def write(manifest: Manifest, cache: Path) -> None:
    """Keep a manifest in the repository's folder; a folder of that name is made."""
    folder = manifest.folder(cache)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / _NAME.format(commit=manifest.commit)
    fresh = path.with_suffix(".new")
    with fresh.open("w", encoding="utf-8") as file:
        json.dump(asdict(manifest), file)
        file.flush()
        os.fsync(file.fileno())
    fresh.replace(path)


def forget(manifest: Manifest, cache: Path) -> None:
    """Remove a manifest."""
    (manifest.folder(cache) / _NAME.format(commit=manifest.commit)).unlink(missing_ok=True)


def of_snapshot(snapshot: Path) -> Manifest | None:
    """The manifest of a snapshot that this program fetched, None for any other."""
    return _read(snapshot.parent.parent / _NAME.format(commit=snapshot.name))


def of_repo(folder: Path) -> Manifest | None:
    """The newest manifest in a repository's folder."""
    paths = sorted(folder.glob(_NAME.format(commit="*")), key=lambda path: path.stat().st_mtime)
    return _read(paths[-1]) if paths else None


def unfinished(cache: Path) -> list[Manifest]:
    """The downloads that began in a cache and have not ended."""
    found = []
    for path in sorted(cache.glob("models--*/.draftlens-*.json")):
        manifest = _read(path)
        if manifest is not None and not manifest.is_complete(cache):
            found.append(manifest)
    return found


def _read(path: Path) -> Manifest | None:
    try:
        content: Mapping[str, Any] = json.loads(path.read_bytes())
        parts = tuple(Part(str(p["name"]), int(p["size"]), str(p["blob"])) for p in content["files"])
        return Manifest(str(content["repo"]), str(content["revision"]), str(content["commit"]), parts)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return -1
