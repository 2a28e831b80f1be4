"""Unsent text of every conversation's composer, kept as it is typed."""

from __future__ import annotations

import threading
from concurrent.futures import Future
from dataclasses import dataclass
from sqlite3 import Connection

from draftlens.core.chat import Attachment
from draftlens.core.values import clean
from draftlens.store.db import Database
from draftlens.store.rows import attachments_of, attachments_text

NEW_CHAT = ""
"""The conversation id of the composer before its conversation exists."""

_SECONDS = 0.5


@dataclass(frozen=True, slots=True)
class Draft:
    """What stands in a composer."""

    text: str = ""
    attachments: tuple[Attachment, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.text or self.attachments)


class Drafts:
    """The drafts of all conversations.

    Owner: one for a database. Any thread may call any method; `keep` costs nothing noticeable, so call it for every
    change of the text.

    Invariants: what was kept is on disk half a second later, and `read` returns it at once. A job writes the newest
    state, whenever it runs, so their order does not matter.
    """

    def __init__(self, db: Database) -> None:
        self._db = db
        self._lock = threading.Lock()
        self._newest: dict[str, Draft] = {}
        self._scheduled: set[str] = set()

    def read(self, conversation: str) -> Draft:
        """Return what stands in a conversation's composer.

        Raises:
            UserError: the database cannot be read.
        """
        with self._lock:
            if conversation in self._newest:
                return self._newest[conversation]
        with self._db.reading() as connection:
            row = connection.execute(
                "SELECT text, attachments FROM draft WHERE conversation = ?", (conversation,)
            ).fetchone()
        return Draft() if row is None else Draft(row[0], attachments_of(row[1]))

    def keep(self, conversation: str, draft: Draft) -> None:
        """Take the newest state of a composer."""
        with self._lock:
            self._newest[conversation] = draft
            if conversation in self._scheduled:
                return
            self._scheduled.add(conversation)
        self._db.write_later(lambda connection: self._write(connection, conversation), _SECONDS)

    def clear(self, conversation: str) -> Future[None]:
        """Forget a draft; call after `records.begin`, so that the text is always in one place at least."""
        with self._lock:
            self._newest[conversation] = Draft()
        return self._db.write(lambda connection: self._write(connection, conversation))

    def _write(self, connection: Connection, conversation: str) -> None:
        with self._lock:
            self._scheduled.discard(conversation)
            draft = self._newest[conversation]
        _put(connection, conversation, draft)


def _put(connection: Connection, conversation: str, draft: Draft) -> None:
    if not draft:
        connection.execute("DELETE FROM draft WHERE conversation = ?", (conversation,))
        return
    connection.execute(
        "INSERT INTO draft (conversation, text, attachments) VALUES (?1, ?2, ?3) "
        "ON CONFLICT (conversation) DO UPDATE SET text = ?2, attachments = ?3",
        (conversation, clean(draft.text), attachments_text(draft.attachments)),
    )
