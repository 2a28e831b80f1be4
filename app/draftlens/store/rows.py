"""Rows of the database to values and back, shared by everything that reads or writes messages."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable

from draftlens.core.chat import Attachment, Message, Role, RunSummary, Status
from draftlens.core.params import SessionParams
from draftlens.core.values import clean
from draftlens.store.codec import params_from_json, params_to_json, summary_from_values, summary_to_values

MESSAGE_COLUMNS = "m.id, m.parent, m.role, m.content, m.created, m.status, m.attachments, m.error, r.params, r.summary"
NEWEST_RUN = "LEFT JOIN run r ON r.row = (SELECT max(row) FROM run WHERE message = m.row)"


def message_of(row: tuple[str, str | None, str, str, float, str, str | None, str | None, str | None, str]) -> Message:
    """Build a message from `MESSAGE_COLUMNS`."""
    id, parent, role, content, created, status, attachments, error, params, summary = row
    return Message(
        id,
        parent,
        Role(role),
        content,
        created,
        Status(status),
        attachments_of(attachments),
        None if params is None else summary_of(params, summary),
        error,
    )


def insert_message(connection: sqlite3.Connection, conversation: str, message: Message) -> int | None:
    """Insert a message below its parent and choose it there; None if the conversation is gone for good."""
    found = connection.execute("SELECT row FROM conversation WHERE id = ?", (conversation,)).fetchone()
    if found is None:
        return None
    row = connection.execute(
        "INSERT INTO message (id, conversation, parent, role, content, created, status, attachments, error) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING row",
        (
            message.id,
            found[0],
            message.parent,
            str(message.role),
            clean(message.content),
            message.created,
            str(message.status),
            attachments_text(message.attachments),
            None if message.error is None else clean(message.error),
        ),
    ).fetchone()[0]
    connection.execute("UPDATE conversation SET updated = max(updated, ?) WHERE row = ?", (message.created, found[0]))
    return int(row)


def insert_run(connection: sqlite3.Connection, message_row: int, start: int, run: RunSummary) -> int:
    """Insert a run of a reply that begins after `start` characters; return its row."""
    return int(
        connection.execute(
            "INSERT INTO run (message, start, params, summary) VALUES (?, ?, ?, ?) RETURNING row",
            (message_row, start, params_to_json(run.params), summary_text(run)),
        ).fetchone()[0]
    )


def choose_path(connection: sqlite3.Connection, message: str) -> None:
    """Choose a message at every fork above it, as `Conversation.choose` does."""
    path = connection.execute(
        "WITH RECURSIVE up (id, parent, conversation) AS ("
        "SELECT id, parent, conversation FROM message WHERE id = ? "
        "UNION ALL SELECT m.id, m.parent, m.conversation FROM message m JOIN up ON m.id = up.parent) "
        "SELECT up.id, up.parent, up.conversation, above.chosen FROM up "
        "LEFT JOIN message above ON above.id = up.parent",
        (message,),
    ).fetchall()
    for id, parent, conversation, chosen in path:
        if parent is None:
            connection.execute("UPDATE conversation SET chosen = ? WHERE row = ?", (id, conversation))
        elif chosen != id:
            connection.execute("UPDATE message SET chosen = ? WHERE id = ?", (id, parent))


def summary_text(run: RunSummary) -> str:
    """Write a run's summary without its params."""
    return json.dumps(summary_to_values(run), separators=(",", ":"))


def summary_of(params: str, summary: str) -> RunSummary:
    """Read a run's summary."""
    return summary_from_values(json.loads(summary), params_from_json(params), "run")


def params_or_none(params: str | None) -> SessionParams | None:
    """Read params where there are any."""
    return None if params is None else params_from_json(params)


def attachments_text(attachments: Iterable[Attachment]) -> str | None:
    """Write attachments; None where there are none."""
    pairs = [[clean(a.name), clean(a.text)] for a in attachments]
    return json.dumps(pairs, ensure_ascii=False) if pairs else None


def attachments_of(text: str | None) -> tuple[Attachment, ...]:
    """Read attachments."""
    return () if text is None else tuple(Attachment(name, body) for name, body in json.loads(text))
