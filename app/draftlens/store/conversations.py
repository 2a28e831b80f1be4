"""The list of conversations: made, renamed, set up, deleted with a way back, and deleted for good."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from sqlite3 import Connection

from draftlens.core.chat import Conversation
from draftlens.core.params import SessionParams
from draftlens.core.values import clean
from draftlens.store.codec import params_to_json
from draftlens.store.db import Database

KEEP_DELETED_DAYS = 30


@dataclass(frozen=True, slots=True)
class Entry:
    """A conversation as the list shows it, without its messages."""

    id: str
    title: str
    created: float
    updated: float
    deleted: float | None
    messages: int


def create(db: Database, conversation: Conversation) -> Future[None]:
    """Add an empty conversation; its messages follow through `messages` and `records`."""
    return db.write(lambda connection: insert(connection, conversation))


def insert(connection: Connection, conversation: Conversation) -> None:
    """Add an empty conversation within a larger transaction."""
    c = conversation
    connection.execute(
        "INSERT INTO conversation (id, title, named, created, updated, system_prompt, params) "
        "VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            c.id,
            clean(c.title),
            c.named,
            c.created,
            c.updated,
            None if c.system_prompt is None else clean(c.system_prompt),
            None if c.params is None else params_to_json(c.params),
        ),
    )


def rename(db: Database, conversation: str, title: str, *, named: bool = True) -> Future[None]:
    """Give a title; one a person gave (`named`) is not replaced by one that was made."""
    condition = "" if named else " AND named = 0"
    return _change(
        db,
        f"UPDATE conversation SET title = ?, named = ? WHERE id = ?{condition}",
        (clean(title), named, conversation),
    )


def set_up(db: Database, conversation: str, system_prompt: str | None, params: SessionParams | None) -> Future[None]:
    """Keep the conversation's own system prompt and parameters; None follows the settings."""
    return _change(
        db,
        "UPDATE conversation SET system_prompt = ?, params = ? WHERE id = ?",
        (
            None if system_prompt is None else clean(system_prompt),
            None if params is None else params_to_json(params),
            conversation,
        ),
    )


def delete(db: Database, conversation: str, now: float | None = None) -> Future[None]:
    """Move a conversation to Recently Deleted; a reply it is streaming goes on."""
    at = time.time() if now is None else now
    return _change(db, "UPDATE conversation SET deleted = ? WHERE id = ? AND deleted IS NULL", (at, conversation))


def restore(db: Database, conversation: str) -> Future[None]:
    """Take a conversation back out of Recently Deleted."""
    return _change(db, "UPDATE conversation SET deleted = NULL WHERE id = ?", (conversation,))


def purge(db: Database, conversation: str) -> Future[None]:
    """Delete a conversation for good, with its messages, rounds and draft, if it is in Recently Deleted."""
    return purge_deleted_before(db, float("inf"), conversation)


def purge_deleted_before(db: Database, moment: float, only: str | None = None) -> Future[None]:
    """Delete for good what was moved to Recently Deleted before a moment; call at the start of the program."""
    which = "deleted < ?1 AND (?2 IS NULL OR id = ?2)"
    return _change(
        db,
        f"DELETE FROM draft WHERE conversation IN (SELECT id FROM conversation WHERE {which})",
        (moment, only),
        f"DELETE FROM conversation WHERE {which}",
    )


def entries(db: Database) -> tuple[Entry, ...]:
    """Return the conversations, the newest first; `date_groups` puts them under headings.

    Raises:
        UserError: the database cannot be read.
    """
    return _list(db, "deleted IS NULL", "updated")


def recently_deleted(db: Database) -> tuple[Entry, ...]:
    """Return what can still be restored, the last deleted first.

    Raises:
        UserError: the database cannot be read.
    """
    return _list(db, "deleted IS NOT NULL", "deleted")


def _list(db: Database, condition: str, order: str) -> tuple[Entry, ...]:
    with db.reading() as connection:
        rows = connection.execute(
            "SELECT id, title, created, updated, deleted, (SELECT count(*) FROM message WHERE conversation = c.row) "
            f"FROM conversation c WHERE {condition} ORDER BY {order} DESC, row DESC"
        ).fetchall()
    return tuple(Entry(*row) for row in rows)


def _change(db: Database, statement: str, values: Sequence[object], *more: str) -> Future[None]:
    def job(connection: Connection) -> None:
        for text in (statement, *more):
            connection.execute(text, values)

    return db.write(job)
