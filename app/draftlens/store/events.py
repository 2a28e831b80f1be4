"""What the store says on its own: saving fails, saving works again."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass

from draftlens.core.errors import UserError

_CAUSES = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_IOERR: "the disk reports an error",
    sqlite3.SQLITE_READONLY: "the database cannot be written to",
    sqlite3.SQLITE_CANTOPEN: "the database cannot be opened",
    sqlite3.SQLITE_BUSY: "another program holds the database",
    sqlite3.SQLITE_LOCKED: "another program holds the database",
    sqlite3.SQLITE_PERM: "permission is missing",
    sqlite3.SQLITE_NOMEM: "memory ran out",
    sqlite3.SQLITE_PROTOCOL: "another program holds the database",
}
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


@dataclass(frozen=True)
class SaveFailed:
    """A write did not succeed. Said once; where `retrying`, it stays in memory and is tried again until it succeeds."""

    error: UserError
    retrying: bool


@dataclass(frozen=True)
class SaveResumed:
    """Everything that waited has been written."""


StoreEvent = SaveFailed | SaveResumed


def code_of(error: BaseException) -> int:
    """Return SQLite's primary result code, 0 for any other error."""
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def passes(error: BaseException) -> bool:
    """Whether the cause lies outside and may go away, so that trying again makes sense."""
    return code_of(error) in _CAUSES


def damaged(error: BaseException) -> bool:
    """Whether the file itself is broken."""
    return code_of(error) in _DAMAGED


def save_error(error: BaseException) -> UserError:
    """Say why something was not saved."""
    if passes(error):
        return UserError(
            f"The last changes could not be saved: {_CAUSES[code_of(error)]}.",
            "They are kept in memory and tried again every second; make room or access before you quit.",
        )
    if damaged(error):
        return UserError(
            "The last changes could not be saved: the database of conversations is damaged.",
            "Export what is open, then restart Draftlens: the damaged file will be kept aside.",
        )
    return UserError(f"The last changes could not be saved: {error}.", "The log has the details.")


def read_error(error: BaseException) -> UserError:
    """Say why something could not be read."""
    if damaged(error):
        return UserError(
            "This could not be read: the database of conversations is damaged.",
            "Restart Draftlens: the damaged file will be kept aside.",
        )
    return UserError(f"The conversations could not be read: {_CAUSES.get(code_of(error), str(error))}.", "Try again.")
