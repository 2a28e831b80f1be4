"""The data folder moved as a whole: everything is in the new place before the old one is given up."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from draftlens.core.errors import UserError

MARK = ".draftlens-moving"
"""In a folder that is being filled: what is there counts as nothing, and the next start goes on."""
_STAYS = ("instance.lock", "config", "cache", "logs", MARK)
"""Belongs to a running program or to the machine."""
_DATA = ("conversations.db", "models", "comparisons")
_CHUNK = 4 << 20
_MARGIN = 100_000_000

Progress = Callable[[float], None]
"""Told the part that is done; may raise to give up."""


def holds_data(folder: Path) -> bool:
    """Whether a folder is a whole data folder already."""
    return any((folder / name).exists() for name in _DATA) and not (folder / MARK).exists()


def refusal(old: Path, new: Path) -> UserError | None:
    """Why everything below `old` cannot be moved below `new`; None if it can be tried."""
    old, new = old.resolve(), new.resolve()
    if new.is_relative_to(old) or old.is_relative_to(new):
        return UserError(f"{new} and the present data folder {old} lie within each other.", "Choose another folder.")
    if not new.is_dir() or not os.access(new, os.W_OK):
        return UserError(f"{new} is not a folder that can be written to.", "Choose another folder.")
    return None


def move(old: Path, new: Path, switch: Callable[[], None], progress: Progress = lambda done: None) -> None:
    """Move everything, call `switch` once the new place has all of it, then clear the old one.

    Nothing may use the old folder meanwhile. Killed at any moment, the next call goes on; on any failure, also of
    `switch`, the old folder has everything.

    Raises:
        UserError: the new folder cannot take it.
        whatever `switch` and `progress` raise.
    """
    wrong = refusal(old, new)
    if wrong is not None:
        raise wrong
    try:
        names = _begun(old, new)
        try:
            if old.stat().st_dev == new.stat().st_dev:
                for name in names:
                    if os.path.lexists(old / name):
                        (old / name).rename(new / name)
            else:
                _copy([old / name for name in names], new, progress)
            switch()
        except BaseException:
            _undo(names, old, new)
            raise
        for name in names:
            _remove(old / name)
        (new / MARK).unlink()
    except OSError as error:
        raise UserError(
            f"The data folder was not moved to {new}: {error.strerror or error}.", f"Everything is still in {old}."
        ) from error


def _begun(old: Path, new: Path) -> list[str]:
    """What is to be moved, also by an attempt that was killed; written down before anything is."""
    mark = new / MARK
    names = {entry.name for entry in old.iterdir()} - set(_STAYS)
    if mark.exists():
        names |= set(json.loads(mark.read_text(encoding="utf-8")))
    else:
        taken = next((name for name in sorted(names) if os.path.lexists(new / name)), None)
        if taken is not None:
            raise OSError(f"{new / taken} exists already")
    mark.write_text(json.dumps(sorted(names)), encoding="utf-8")
    return sorted(names)


def _undo(names: list[str], old: Path, new: Path) -> None:
    """What the old folder still has is only a copy in the new one; the rest goes back."""
    for name in names:
        if os.path.lexists(old / name):
            _remove(new / name)
        elif os.path.lexists(new / name):
            (new / name).rename(old / name)
    (new / MARK).unlink()


def _copy(entries: list[Path], new: Path, progress: Progress) -> None:
    total, done = sum(file.lstat().st_size for entry in entries for file in _files(entry)) or 1, 0
    for entry in entries:
        # What a killed attempt left.
        _remove(new / entry.name)
    free = shutil.disk_usage(new).free
    if free < total + _MARGIN:
        raise OSError(f"{total / 1e9:.1f} GB are needed there and {free / 1e9:.1f} GB are free")

    def copied(source: str, destination: str) -> None:
        nonlocal done
        with Path(source).open("rb") as read, Path(destination).open("wb") as write:
            while part := read.read(_CHUNK):
                write.write(part)
                done += len(part)
                progress(done / total)
            write.flush()
            os.fsync(write.fileno())
        shutil.copystat(source, destination)

    for entry in entries:
        if entry.is_symlink():
            (new / entry.name).symlink_to(entry.readlink())
        elif entry.is_dir():
            shutil.copytree(entry, new / entry.name, symlinks=True, copy_function=copied)
        else:
            copied(str(entry), str(new / entry.name))


def _files(entry: Path) -> Iterator[Path]:
    if entry.is_dir() and not entry.is_symlink():
        yield from (path for path in entry.rglob("*") if path.is_file() or path.is_symlink())
    else:
        yield entry


def _remove(entry: Path) -> None:
    if entry.is_dir() and not entry.is_symlink():
        shutil.rmtree(entry, ignore_errors=True)
    else:
        with contextlib.suppress(OSError):
            entry.unlink(missing_ok=True)
