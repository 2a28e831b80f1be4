"""Opening always succeeds: a file that cannot be used is kept aside untouched, and said."""

from __future__ import annotations

import contextlib
import sqlite3
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from draftlens.core.errors import UserError
from draftlens.store.db import Database, connect, suspicion_of
from draftlens.store.events import StoreEvent, damaged, passes
from draftlens.store.migrations import APPLICATION_ID, STEPS, Step, migrate, version_of

FILE_NAME = "conversations.db"
_COMPANIONS = ("-wal", "-shm", "")
_CHECK_BELOW_BYTES = 32 * 1024 * 1024


@dataclass(frozen=True)
class Opened:
    """An open database and what there is to say about it.

    Attributes:
        notices: sentences for the person, each with its next step; usually none.
        interrupted: ids of the replies that were streaming when the program last ended; they are marked now.
        saved: False if nothing can be kept beyond this run.
    """

    database: Database
    notices: tuple[UserError, ...] = ()
    interrupted: tuple[str, ...] = ()
    saved: bool = True


def open_store(
    folder: Path, report: Callable[[StoreEvent], None] = lambda event: None, steps: Sequence[Step] = STEPS
) -> Opened:
    """Open the database in `folder`, making it if there is none.

    Only the one instance that holds the folder may call this, see `instance`.

    Raises:
        UserError: not even a temporary folder can be written to.
    """
    notices: list[UserError] = []
    try:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / FILE_NAME
        reason = _reason_against(path, steps[-1].version)
        if reason is not None:
            notices.append(_kept_aside(path, reason))
        try:
            return _ready(path, report, steps, notices)
        except Exception as error:
            # A cause outside, such as a full disk, is not the file's fault: it stays where it is.
            if isinstance(error, OSError) or passes(error):
                raise
            notices.append(_kept_aside(path, f"cannot be brought to this version ({error})"))
            return _ready(path, report, steps, notices)
    except (OSError, sqlite3.Error) as error:
        return _unsaved(folder, error, report, steps, notices)


def _ready(
    path: Path, report: Callable[[StoreEvent], None], steps: Sequence[Step], notices: Sequence[UserError]
) -> Opened:
    with contextlib.closing(connect(path)) as connection:
        migrate(connection, path, steps)
        interrupted = _mark_interrupted(connection)
    suspicion_of(path).unlink(missing_ok=True)
    return Opened(Database(path, report), tuple(notices), interrupted)


def _mark_interrupted(connection: sqlite3.Connection) -> tuple[str, ...]:
    rows = connection.execute("SELECT id FROM message WHERE status = 'streaming'").fetchall()
    if rows:
        connection.execute("UPDATE message SET status = 'interrupted' WHERE status = 'streaming'")
    return tuple(row[0] for row in rows)


def _reason_against(path: Path, newest: int) -> str | None:
    """Say why a file cannot be used, None if it can; it is opened read-only, so that it stays as it is."""
    if not path.exists() or path.stat().st_size == 0:
        return None
    wal = path.with_name(path.name + "-wal")
    unclean = wal.exists() and wal.stat().st_size > 0
    try:
        with contextlib.closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            version = version_of(connection)
            if connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
                tables = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()[0]
                return "is not a database of Draftlens" if tables else None
            if version > newest:
                return f"was written by a newer Draftlens (version {version}, this one reads up to {newest})"
            if unclean or suspicion_of(path).exists() or path.stat().st_size < _CHECK_BELOW_BYTES:
                verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
                if verdict != "ok":
                    return "is damaged"
    except sqlite3.DatabaseError as error:
        if damaged(error):
            return "is damaged"
        raise
    return None


def _kept_aside(path: Path, reason: str) -> UserError:
    stamp = time.strftime("%Y-%m-%d-%H%M%S")
    kept = path.with_name(f"{path.stem}-kept-{stamp}{path.suffix}")
    number = 1
    while kept.exists():
        number += 1
        kept = path.with_name(f"{path.stem}-kept-{stamp}-{number}{path.suffix}")
    # The log first: a log left behind beside a fresh database would be deleted by it.
    for suffix in _COMPANIONS:
        source = path.with_name(path.name + suffix)
        if source.exists():
            source.replace(kept.with_name(kept.name + suffix))
    suspicion_of(path).unlink(missing_ok=True)
    return UserError(
        f"The database of conversations {reason}, so Draftlens started with an empty one.",
        f"Nothing was deleted: the file is kept as {kept.name} in {kept.parent}.",
    )


def _unsaved(
    folder: Path,
    error: Exception,
    report: Callable[[StoreEvent], None],
    steps: Sequence[Step],
    notices: Sequence[UserError],
) -> Opened:
    reason = getattr(error, "strerror", None) or str(error)
    notice = UserError(
        f"Conversations cannot be saved in {folder}: {reason}.",
        "What you write now is gone when you quit; make room or choose another data folder, then restart.",
    )
    try:
        path = Path(tempfile.mkdtemp(prefix="draftlens-")) / FILE_NAME
        opened = _ready(path, report, steps, (*notices, notice))
    except (OSError, sqlite3.Error) as second:
        raise notice from second
    return Opened(opened.database, opened.notices, saved=False)
