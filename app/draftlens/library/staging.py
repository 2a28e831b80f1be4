"""Folders that appear whole or not at all: work under a hidden name, one process at a time, renamed at the end.

A folder counts as complete when its marker lists the files with the sizes they have, so that asking is fast.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
import shutil
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

from draftlens.core.errors import UserError
from draftlens.library import sizes
from draftlens.paths import make_folder

MARKER = ".draftlens-complete.json"
_POLL_SECONDS = 0.1


def is_complete(folder: Path, recipe: str) -> bool:
    """Whether `folder` was finished by this recipe and every file still has its size. Reads no file but the marker."""
    files = _marked(folder, recipe)
    if not files:
        return False
    try:
        return all((folder / name).stat().st_size == size for name, size in files.items())
    except OSError:
        return False


def mark_complete(folder: Path, recipe: str) -> None:
    """Record the files of a finished folder; the last write before it is moved into place."""
    files = {path.name: path.stat().st_size for path in sorted(folder.iterdir())}
    with (folder / MARKER).open("w", encoding="utf-8") as file:
        json.dump({"recipe": recipe, "files": files}, file, indent=2)
        file.flush()
        os.fsync(file.fileno())


def move_into_place(folder: Path, destination: Path, aside: Path) -> None:
    """Make the finished `folder` appear at `destination`; what we made there before goes to `aside`."""
    require_ours(destination)
    if destination.exists():
        destination.rename(aside)
    folder.rename(destination)


def require_ours(destination: Path) -> None:
    """Refuse to replace what somebody else put there; worth asking before the work begins."""
    if destination.exists() and not (destination / MARKER).is_file():
        raise UserError(
            f"{destination} exists and was not made by Draftlens, so it is left as it is.",
            "Move or rename that folder and try again.",
        )


@contextlib.contextmanager
def exclusive(
    parent: Path, name: str, waiting: Callable[[], None], needed: Callable[[], bool] = lambda: True
) -> Iterator[Path | None]:
    """A fresh hidden work folder in `parent`, while no other process holds one of the same name.

    Leftovers of runs that were killed are removed first, and the work folder itself at the end, whatever happens.

    Args:
        waiting: called again and again while another process works; may raise to give up.
        needed: asked once it is our turn; if the other process has done the work, the body gets None.

    Raises:
        UserError: the folder cannot be written to, also where the body finds that out.
    """
    make_folder(parent)
    with _written(parent), (parent / f".{name}.lock").open("w") as lock:
        while not _locked(lock.fileno()):
            waiting()
            threading.Event().wait(_POLL_SECONDS)
        _sweep(parent, name)
        if not needed():
            yield None
            return
        work = Path(tempfile.mkdtemp(prefix=f".{name}-", dir=parent))
        try:
            yield work
        finally:
            shutil.rmtree(work, ignore_errors=True)


@contextlib.contextmanager
def _written(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise UserError(
            f"{error.filename or folder} cannot be written: {error.strerror or error}.",
            "Make the folder writable or make room, or set DRAFTLENS_DATA_DIR to another one.",
        ) from error


def remove_leftovers(parent: Path, name: str) -> None:
    """Delete what a killed run left behind, unless a run is going on right now."""
    if not any(parent.glob(f".{name}-*")):
        return
    with contextlib.suppress(OSError), (parent / f".{name}.lock").open("w") as lock:
        if _locked(lock.fileno()):
            _sweep(parent, name)


def require_space(folder: Path, needed: int, what: str) -> None:
    """Refuse to begin what the disk cannot hold."""
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise disk_full(folder, needed, what)


def disk_full(folder: Path, needed: int, what: str) -> UserError:
    """The error for a disk that is, or would become, full."""
    free = shutil.disk_usage(folder).free
    return UserError(
        f"{what} needs {sizes.in_words(needed)} of disk space in {folder}, and {sizes.in_words(free)} are free.",
        "Free some space, or set DRAFTLENS_DATA_DIR to a folder on another disk; nothing half-made was kept.",
    )


def is_disk_full(error: OSError) -> bool:
    """Whether the system said that the disk or the user's quota is used up."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT)


def _locked(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _sweep(parent: Path, name: str) -> None:
    for leftover in parent.glob(f".{name}-*"):
        shutil.rmtree(leftover, ignore_errors=True)


def _marked(folder: Path, recipe: str) -> dict[str, int]:
    try:
        marker = json.loads((folder / MARKER).read_bytes())
        files = marker["files"] if marker["recipe"] == recipe else {}
        return {str(name): int(size) for name, size in files.items()}
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return {}
