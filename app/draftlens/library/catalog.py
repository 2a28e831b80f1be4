"""Every model on this computer: in the hub cache, in our own folder, in LM Studio's, and wherever else was added."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from draftlens import paths
from draftlens.library import checkpoint, hub_cache, manifest, sizes
from draftlens.library.roles import Role, Verdict

_DEPTH = 3
_TELLTALE = ("config.json", "adapter_config.json", "model.safetensors.index.json")
DRAFT_PARAMETERS = 1_300_000_000
"""A complete model up to this size is called draft-capable: more would rarely be faster than its target."""


class Origin(StrEnum):
    """Where a model lies, as the details say it."""

    HUB = "in the Hugging Face cache"
    OWN = "in Draftlens’ folder"
    LM_STUDIO = "in LM Studio’s folder"
    ADDED = "local folder"


@dataclass(frozen=True)
class Places:
    """Where to look. LM Studio's folders are only read."""

    hub: Path
    own: Path
    lm_studio: tuple[Path, ...] = ()
    added: tuple[Path, ...] = ()


@dataclass(frozen=True)
class Installed:
    """A model, or what is left of one.

    Attributes:
        path: the folder or GGUF file.
        owner: who published it, or what kind of place it lies in.
        disk: bytes it takes.
        repo: its repository, where that is known.
        absent: its folder or volume is not connected.
        unfinished: its download has begun and not ended.
    """

    path: Path
    name: str
    owner: str
    origin: Origin
    verdict: Verdict
    disk: int = 0
    repo: str | None = None
    absent: bool = False
    unfinished: bool = False

    @property
    def ready(self) -> bool:
        """Whether it can be loaded as it is."""
        return self.verdict.role.standalone

    @property
    def draft_capable(self) -> bool:
        """Whether it is small enough to draft for a larger one."""
        return self.ready and 0 < self.verdict.parameters <= DRAFT_PARAMETERS

    @property
    def label(self) -> str:
        """Its role in a badge."""
        if self.absent:
            return "Not connected"
        if self.draft_capable:
            return "Draft-capable"
        if self.verdict.role is Role.GEMMA_MTP:
            return "Bound drafter: MTP"
        return self.verdict.role.value[0].upper() + self.verdict.role.value[1:]


Signature = tuple[tuple[str, int, int], ...]


@dataclass
class Catalog:
    """Lists models; a folder that did not change is not judged again."""

    _known: dict[Path, tuple[Signature, Installed]] = field(default_factory=dict)

    def scan(self, places: Places) -> list[Installed]:
        """Everything that is there now: what can be loaded first, by name."""
        found: dict[Path, Installed] = {}
        for item in _everything(places):
            key = item.path.resolve()
            if key not in found:
                found[key] = self._judged(item)
        self._known = {item.path: self._known[item.path] for item in found.values() if item.path in self._known}
        return sorted(found.values(), key=_order)

    def _judged(self, item: _Place) -> Installed:
        signature = _signature(item.path)
        known = self._known.get(item.path)
        if known is not None and known[0] == signature:
            return known[1]
        judged = _judge(item)
        self._known[item.path] = (signature, judged)
        return judged


@dataclass(frozen=True)
class _Place:
    """A path that may hold a model."""

    path: Path
    name: str
    owner: str
    origin: Origin
    repo: str | None = None


def default_places(hub: Path | None = None, added: tuple[Path, ...] = ()) -> Places:
    """Where models are looked for unless told otherwise."""
    home = Path.home()
    studio = (home / ".lmstudio/models", home / ".cache/lm-studio/models")
    return Places(hub_cache.root(hub), paths.models_dir(), studio, added)


def at(path: Path) -> Installed:
    """The model at a path that is in none of the places."""
    return _judge(_Place(path, hub_cache.display_name(path), Origin.ADDED.value, Origin.ADDED))


def holds_models(folder: Path) -> bool:
    """Whether anything below a folder would be listed."""
    return any(_below(folder, Origin.ADDED, Origin.ADDED.value))


def watched(places: Places) -> list[Path]:
    """The folders whose change means that the list may have changed.

    For one that is not there, on a volume that is not connected or of a program that is not installed yet, what there
    is of the way to it: the rest would appear in that.
    """
    folders = [places.hub, places.own, *places.lm_studio, *places.added]
    inner = [path for folder in folders for path in _subfolders(folder)]
    snapshots = [repo / "snapshots" for repo in inner if hub_cache.repo_of(repo)]
    nearest = {next(path for path in (folder, *folder.parents) if path.is_dir()) for folder in folders}
    return [*sorted(nearest), *(path for path in (*inner, *snapshots) if path.is_dir())]


def _everything(places: Places) -> Iterator[_Place]:
    for repo in sorted(_subfolders(places.hub)):
        name = hub_cache.repo_of(repo)
        if name is not None:
            yield from _in_repo(repo, name)
    yield from _below(places.own, Origin.OWN, "Draftlens")
    for folder in places.lm_studio:
        yield from _below(folder, Origin.LM_STUDIO, "LM Studio")
    for folder in places.added:
        if folder.exists():
            yield from _below(folder, Origin.ADDED, "local folder", named=True)
        else:
            yield _Place(folder, folder.name, "local folder", Origin.ADDED)


def _in_repo(repo: Path, name: str) -> Iterator[_Place]:
    owner, _, title = name.rpartition("/")
    snapshots = hub_cache.snapshots(repo)
    for number, snapshot in enumerate(snapshots):
        ggufs = sorted(snapshot.glob("*.gguf"))
        if ggufs and not (snapshot / "config.json").exists():
            for file in ggufs:
                yield _Place(file, file.name, owner, Origin.HUB, name)
            continue
        shown = title if number == 0 else f"{title} @{snapshot.name[:7]}"
        yield _Place(snapshot, shown, owner, Origin.HUB, name)
    if not snapshots and (repo / "blobs").is_dir():
        yield _Place(repo, title, owner, Origin.HUB, name)


def _below(folder: Path, origin: Origin, owner: str, depth: int = 0, *, named: bool = False) -> Iterator[_Place]:
    if folder.is_file():
        yield _Place(folder, folder.name, owner, origin)
        return
    entries = sorted(_entries(folder), key=lambda entry: entry.name)
    files = {entry.name for entry in entries if entry.is_file() or entry.is_symlink()}
    if files.intersection(_TELLTALE) or any(name.endswith(".safetensors") for name in files):
        yield _Place(folder, folder.name, owner, origin)
        return
    for name in sorted(files):
        if name.endswith(".gguf"):
            yield _Place(folder / name, name, owner, origin)
    if depth < _DEPTH:
        for entry in entries:
            if entry.is_dir() and not entry.name.startswith("."):
                inner = Path(entry.path)
                publisher = folder.name if depth == 1 and origin is Origin.LM_STUDIO else owner
                yield from _below(inner, origin, publisher, depth + 1)
    if named and not files and not entries:
        yield _Place(folder, folder.name, owner, origin)


def _judge(item: _Place) -> Installed:
    path = item.path
    if not path.exists():
        gone = Verdict(Role.NOT_A_MODEL, "Its volume or folder is not connected.", "Connect the volume, or remove it.")
        return Installed(path, item.name, item.owner, item.origin, gone, absent=True)
    verdict = checkpoint.inspect(path)
    unfinished = False
    kept = manifest.of_snapshot(path) if item.origin is Origin.HUB and path.is_dir() else None
    if kept is not None:
        cache = path.parents[2]
        if not kept.is_complete(cache):
            unfinished = True
            verdict = _stopped(kept.done(cache), kept.size)
    elif item.origin is Origin.HUB and hub_cache.repo_of(path):
        unfinished = True
        began = manifest.of_repo(path)
        whole = None if began is None else began.size
        verdict = _stopped(hub_cache.disk_use(path / "blobs"), whole)
    return Installed(path, item.name, item.owner, item.origin, verdict, _disk(path), item.repo, unfinished=unfinished)


def _stopped(done: int, whole: int | None) -> Verdict:
    of = "" if whole is None else f" of {sizes.in_words(whole)}"
    reason = f"Its download stopped at {sizes.in_words(done)}{of}."
    return Verdict(Role.INCOMPLETE, reason, "Resume the download; what is on disk is kept.")


def _disk(path: Path) -> int:
    if path.is_file():
        return path.stat().st_size
    if hub_cache.repo_of(path):
        return hub_cache.disk_use(path)
    return sum(size for _, size, _ in _signature(path))


def _signature(path: Path) -> Signature:
    if path.is_file():
        status = path.stat()
        return (("", status.st_size, status.st_mtime_ns),)
    found = []
    for entry in _entries(path):
        try:
            status = entry.stat()
        except OSError:
            found.append((entry.name, 0, 0))
            continue
        found.append((entry.name, 0 if entry.is_dir() else status.st_size, status.st_mtime_ns))
    if path.parent.name == "snapshots":
        # A part that grows beside the snapshot changes what is said of it.
        with contextlib.suppress(OSError):
            found.append(("blobs", 0, (path.parents[1] / "blobs").stat().st_mtime_ns))
    return tuple(sorted(found))


def _order(item: Installed) -> tuple[int, str, str]:
    role = item.verdict.role
    if role.standalone:
        rank = 0
    elif role is Role.GGUF:
        rank = 1
    elif role.bound_drafter:
        rank = 2
    else:
        rank = 3 + (Role.ADAPTER, Role.EMBEDDING, Role.UNSUPPORTED, Role.INCOMPLETE, Role.NOT_A_MODEL).index(role)
    return rank, item.owner.casefold(), item.name.casefold()


def _subfolders(folder: Path) -> list[Path]:
    return [Path(entry.path) for entry in _entries(folder) if entry.is_dir() and not entry.name.startswith(".")]


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []
