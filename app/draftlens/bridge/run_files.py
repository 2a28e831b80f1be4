"""Run records as the window uses them: a reply to a file, and a file to a chat of its own."""

from __future__ import annotations

import platform
from importlib.metadata import version
from pathlib import Path

from draftlens.bridge.archive import Archive
from draftlens.bridge.chat import Chat
from draftlens.bridge.reply import Reply
from draftlens.compare.about import machine
from draftlens.core.errors import UserError
from draftlens.store import exchange, run_record
from draftlens.store.records import RunRecord

PACKAGES = ("draftlens", "mlx", "mlx-lm")


def export(archive: Archive, chat: Chat, reply: Reply, system: str, path: Path) -> None:
    """Write a reply's run record.

    Args:
        system: the system prompt of chats without their own.

    Raises:
        UserError: it cannot be written.
    """
    message = chat.conversation.message(reply.message)
    archive.flush(2)
    runs = archive.runs(message.id)
    if not runs and message.run is not None:
        # Nothing is kept on disk: what is in memory is the same, its continuations joined.
        runs = (RunRecord(0, message.run, tuple(reply.rounds)),)
    if not any(run.rounds for run in runs):
        raise UserError("This reply has no rounds, so there is nothing to write down.")
    about = {
        "versions": {name: version(name) for name in PACKAGES} | {"python": platform.python_version()},
        "machine": machine(),
    }
    turns = chat.conversation.turns(system, message.parent)
    text = run_record.write(run_record.Reply(chat.conversation.title, turns, message, runs, about))
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror or error}.", "Choose another place.") from error


def take(archive: Archive, path: Path) -> str:
    """Add the reply in a run record as a chat; return the chat's id.

    Raises:
        UserError: the file cannot be used; nothing was added.
    """
    try:
        source = path.read_bytes()
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror or error}.", "Nothing was opened.") from error
    found = run_record.parcel(run_record.read(source, path.name))
    if archive.db is None:
        raise UserError("Chats cannot be kept at the moment, so no run record can be opened.")
    return exchange.add(archive.db, found).result(10).id
