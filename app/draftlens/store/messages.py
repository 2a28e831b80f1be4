"""The messages of a conversation: read as a tree, added, chosen."""

from __future__ import annotations

from concurrent.futures import Future
from sqlite3 import Connection
from types import MappingProxyType

from draftlens.core.chat import Conversation, Message
from draftlens.store.db import Database
from draftlens.store.rows import (
    MESSAGE_COLUMNS,
    NEWEST_RUN,
    choose_path,
    insert_message,
    insert_run,
    message_of,
    params_or_none,
)


def load(db: Database, conversation: str) -> Conversation | None:
    """Read a conversation with all its messages; None if there is none.

    Raises:
        UserError: the database cannot be read.
    """
    with db.reading() as connection:
        return load_from(connection, conversation)


def load_from(connection: Connection, conversation: str) -> Conversation | None:
    """Read a conversation within a larger transaction."""
    head = connection.execute(
        "SELECT row, id, title, created, updated, system_prompt, params, named, deleted, chosen "
        "FROM conversation WHERE id = ?",
        (conversation,),
    ).fetchone()
    if head is None:
        return None
    row, id, title, created, updated, system_prompt, params, named, deleted, first = head
    rows = connection.execute(
        f"SELECT {MESSAGE_COLUMNS}, m.chosen FROM message m {NEWEST_RUN} WHERE m.conversation = ? ORDER BY m.row",
        (row,),
    ).fetchall()
    chosen: dict[str | None, str] = {r[0]: r[-1] for r in rows if r[-1] is not None}
    if first is not None:
        chosen[None] = first
    return Conversation(
        id,
        title,
        created,
        updated,
        tuple(message_of(r[:-1]) for r in rows),
        MappingProxyType(chosen),
        system_prompt,
        params_or_none(params),
        bool(named),
        deleted,
    )


def add(db: Database, conversation: str, message: Message) -> Future[None]:
    """Add a whole message and choose it, as `Conversation.add` does; a reply to stream into is begun in `records`."""

    def job(connection: Connection) -> None:
        row = insert_message(connection, conversation, message)
        if row is None:
            return
        if message.run is not None:
            insert_run(connection, row, 0, message.run)
        choose_path(connection, message.id)

    return db.write(job)


def choose(db: Database, message: str) -> Future[None]:
    """Show a message, as `Conversation.choose` does."""
    return db.write(lambda connection: choose_path(connection, message))
