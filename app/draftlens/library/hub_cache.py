"""The layout of the Hugging Face cache: a folder a repository, blobs named by hash, snapshots of links to them."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

_REPO = re.compile(r"[A-Za-z0-9](?:[\w.-]*)/[\w.-]+")
_PREFIX, _SEPARATOR = "models--", "--"
INCOMPLETE = ".incomplete"


_chosen: Path | None = None


def choose(folder: Path | None) -> None:
    """Use another folder from now on; None is where the environment says, or the default."""
    global _chosen
    _chosen = folder


def root(chosen: Path | None = None) -> Path:
    """The cache folder in force: the one chosen in the settings, else what the environment says, else the default."""
    if chosen is None:
        chosen = _chosen
    if chosen is not None:
        return chosen
    for variable in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        if value := os.environ.get(variable, "").strip():
            return Path(value).expanduser()
    return home() / "hub"


def home() -> Path:
    """Where other tools keep cache and token."""
    if value := os.environ.get("HF_HOME", "").strip():
        return Path(value).expanduser()
    base = os.environ.get("XDG_CACHE_HOME", "").strip()
    return (Path(base).expanduser() if base else Path.home() / ".cache") / "huggingface"


def looks_like_repo(text: str) -> bool:
    """Whether a text is written like the name of a repository, owner/name."""
    return bool(_REPO.fullmatch(text)) and _SEPARATOR not in text and not text.endswith((".gguf", ".json"))


def repo_folder(cache: Path, repo: str) -> Path:
    """The folder of a repository, there or not."""
    return cache / (_PREFIX + repo.replace("/", _SEPARATOR))


def repo_of(folder: Path) -> str | None:
    """The repository whose folder this is, None for any other folder."""
    name = folder.name
    return name.removeprefix(_PREFIX).replace(_SEPARATOR, "/", 1) if name.startswith(_PREFIX) else None


def repo_of_snapshot(path: Path) -> str | None:
    """The repository that a snapshot folder belongs to, None for a folder anywhere else."""
    return repo_of(path.parent.parent) if path.parent.name == "snapshots" else None


def display_name(path: Path) -> str:
    """What to call a model folder: a snapshot is named by its repository, not by its commit."""
    repo = repo_of_snapshot(path)
    return path.name if repo is None else repo.rpartition("/")[2]


def snapshots(folder: Path) -> list[Path]:
    """The snapshots of a repository, the one that `main` names first, then the newest."""
    try:
        found = [entry for entry in (folder / "snapshots").iterdir() if entry.is_dir()]
    except OSError:
        return []
    main = commit(folder)
    return sorted(found, key=lambda path: (path.name != main, -path.stat().st_mtime))


def commit(folder: Path, revision: str = "main") -> str | None:
    """The commit that a branch of a repository is at, as far as this computer knows."""
    try:
        return (folder / "refs" / revision).read_text(encoding="utf-8").strip() or None
    except OSError:
        return None


def find(cache: Path, repo: str) -> Path | None:
    """The snapshot to use of a repository in the cache."""
    return next(iter(snapshots(repo_folder(cache, repo))), None)


def outside(path: Path, snapshot: Path) -> bool:
    """Whether an entry of a snapshot is a link that leads out of the cache; such a file is none of the model's."""
    if not path.is_symlink():
        return False
    repo = snapshot.parent.parent
    allowed = {place.resolve() for place in (repo.parent, repo / "blobs", repo.parent / "blobs")}
    return allowed.isdisjoint(path.resolve().parents)


def disk_use(folder: Path) -> int:
    """Bytes that a folder takes, links not followed, so that what two snapshots share counts once."""
    total = 0
    for base, _, names in os.walk(folder):
        for name in names:
            try:
                status = os.lstat(Path(base) / name)
            except OSError:
                continue
            total += status.st_size
    return total


def removal(snapshot: Path) -> list[Path]:
    """What to remove so that a snapshot is gone and no other snapshot loses a file it shares."""
    folder = snapshot.parent.parent
    others = [other for other in snapshots(folder) if other != snapshot]
    if not others:
        return [folder]
    kept = {target for other in others for target in _blobs(other)}
    return [snapshot, *sorted(blob for blob in _blobs(snapshot) - kept if blob.is_file())]


def _blobs(snapshot: Path) -> set[Path]:
    blobs = snapshot.parent.parent.resolve() / "blobs"
    links = (path for path in snapshot.rglob("*") if path.is_symlink())
    return {target for link in links if (target := Path(os.path.realpath(link))).parent == blobs}


def free_space(cache: Path) -> int | None:
    """Bytes free on the disk that a cache is on, or will be on once it is made; None where the system does not say."""
    while not cache.exists() and cache != cache.parent:
        cache = cache.parent
    try:
        return shutil.disk_usage(cache).free
    except OSError:
        return None
