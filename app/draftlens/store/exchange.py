"""A conversation as one JSON file with every version and every round, out and in again; half a file is never taken."""

from __future__ import annotations

import json
from collections.abc import Mapping
from concurrent.futures import Future
from dataclasses import dataclass, replace
from sqlite3 import Connection
from typing import Any

from draftlens.core.chat import Attachment, Conversation, Message, Role, Status, new_id
from draftlens.core.errors import UserError
from draftlens.core.params import SessionParams
from draftlens.core.round import Round
from draftlens.core.values import (
    BadField,
    mapping,
    number,
    params_from_values,
    params_to_values,
    round_from_values,
    sequence,
    shown,
    text,
)
from draftlens.store.codec import pack, summary_from_values, summary_to_values
from draftlens.store.conversations import insert
from draftlens.store.db import Database
from draftlens.store.messages import load_from
from draftlens.store.records import RunRecord, runs_from
from draftlens.store.rows import insert_message, insert_run
from draftlens.store.typed import check

FORMAT = "draftlens-conversation"
VERSION = 1


@dataclass(frozen=True)
class Parcel:
    """A conversation with the runs of its replies."""

    conversation: Conversation
    runs: Mapping[str, tuple[RunRecord, ...]]


def export_json(db: Database, conversation: str) -> str:
    """Return a conversation with all versions and rounds, as far as they are on disk.

    Raises:
        UserError: there is no such conversation, or it cannot be read.
    """
    with db.reading() as connection:
        found = load_from(connection, conversation)
        if found is None:
            raise UserError("This conversation is not in the database any more.", "Nothing was exported.")
        runs = {m.id: runs_from(connection, m.id) for m in found.messages if m.role is Role.ASSISTANT}
    return write(Parcel(found, runs))


def import_json(db: Database, source: str | bytes, name: str = "The file") -> Future[Conversation]:
    """Add a conversation from a file we wrote, under new ids; the future holds it once all of it is on disk.

    Reading a large file takes a while: call it off the window's thread.

    Raises:
        UserError: names the line or field that cannot be used; nothing was added then.
    """
    return add(db, _renumbered(read(source, name)))


def add(db: Database, parcel: Parcel) -> Future[Conversation]:
    """Add a conversation whose ids nothing has yet; the future holds it once all of it is on disk."""
    conversation = parcel.conversation
    packed = {id: [(run, pack(run.rounds)) for run in runs] for id, runs in parcel.runs.items()}

    def job(connection: Connection) -> Conversation:
        insert(connection, conversation)
        for m in conversation.messages:
            row = insert_message(connection, conversation.id, m)
            for run, blob in packed.get(m.id, ()) if row is not None else ():
                run_row = insert_run(connection, row or 0, run.start, run.summary)
                connection.execute("INSERT INTO chunk (run, rounds) VALUES (?, ?)", (run_row, blob))
        for parent, child in conversation.chosen.items():
            if parent is None:
                connection.execute("UPDATE conversation SET chosen = ? WHERE id = ?", (child, conversation.id))
            else:
                connection.execute("UPDATE message SET chosen = ? WHERE id = ?", (child, parent))
        return conversation

    return db.write(job)


def write(parcel: Parcel) -> str:
    """Write a parcel as JSON."""
    c = parcel.conversation
    return json.dumps(
        {
            "format": FORMAT,
            "version": VERSION,
            "title": c.title,
            "named": c.named,
            "created": c.created,
            "updated": c.updated,
            "system_prompt": c.system_prompt,
            "params": None if c.params is None else params_to_values(c.params),
            "chosen": [[parent, child] for parent, child in c.chosen.items()],
            "messages": [_message_values(m, parcel.runs.get(m.id, ())) for m in c.messages],
        },
        ensure_ascii=False,
        indent=1,
    )


def read(source: str | bytes, name: str = "The file") -> Parcel:
    """Read a parcel written by `write`.

    Raises:
        UserError: names the line or field that cannot be used.
    """
    try:
        decoded = source.decode("utf-8-sig") if isinstance(source, bytes) else source
        return _parcel(mapping(json.loads(decoded), "the file"))
    except UnicodeDecodeError as error:
        raise _refused(name, "it is not UTF-8 text") from error
    except json.JSONDecodeError as error:
        raise _refused(name, f"line {error.lineno}, column {error.colno}: {error.msg}") from error
    except RecursionError as error:
        raise _refused(name, "it is nested too deeply") from error
    except BadField as error:
        step = _NEWER if error.field == "version" else _OTHER
        raise _refused(name, f"{error.field} {error.problem}", step) from error


_OTHER = "choose a JSON file exported by Draftlens"
_NEWER = "a newer Draftlens may read it"


def _refused(name: str, reason: str, step: str = _OTHER) -> UserError:
    return UserError(f"{name} cannot be imported: {reason}.", f"Nothing was imported; {step}.")


def _message_values(m: Message, runs: tuple[RunRecord, ...]) -> dict[str, Any]:
    return {
        "id": m.id,
        "parent": m.parent,
        "role": str(m.role),
        "created": m.created,
        "status": str(m.status),
        "error": m.error,
        "content": m.content,
        "attachments": [{"name": a.name, "text": a.text} for a in m.attachments],
        "runs": [
            {
                "start": run.start,
                "params": params_to_values(run.summary.params),
                "summary": summary_to_values(run.summary),
                "rounds": [r.to_json() for r in run.rounds],
            }
            for run in runs
        ],
    }


def _parcel(data: Mapping[str, Any]) -> Parcel:
    if data.get("format") != FORMAT:
        raise BadField("format", f"is {shown(data.get('format'))}, but must be {FORMAT}")
    if data.get("version") != VERSION:
        raise BadField("version", f"is {shown(data.get('version'))}, and this Draftlens reads {VERSION}")
    system_prompt, params = data.get("system_prompt"), data.get("params")
    own_params = None if params is None else _params(params, "params")
    conversation = Conversation(
        new_id(),
        text(data.get("title"), "title"),
        number(data.get("created"), "created"),
        number(data.get("updated"), "updated"),
        system_prompt=None if system_prompt is None else text(system_prompt, "system_prompt"),
        params=own_params,
        named=data.get("named") is True,
    )
    messages: dict[str, Message] = {}
    runs: dict[str, tuple[RunRecord, ...]] = {}
    for i, item in enumerate(sequence(data.get("messages"), "messages")):
        where = f"messages[{i}]"
        message, runs_of_it = _message(mapping(item, where), where)
        if message.id in messages:
            raise BadField(f"{where}.id", f"is {shown(message.id)}, which an earlier message has already")
        if message.parent is not None and message.parent not in messages:
            raise BadField(f"{where}.parent", f"is {shown(message.parent)}, which is no earlier message")
        messages[message.id] = message
        runs[message.id] = runs_of_it
    chosen: dict[str | None, str] = {}
    for i, pair in enumerate(sequence(data.get("chosen", []), "chosen")):
        if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[1], str):
            raise BadField(f"chosen[{i}]", f"is {shown(pair)}, but must be a pair of ids")
        if pair[1] not in messages or messages[pair[1]].parent != pair[0]:
            raise BadField(f"chosen[{i}]", f"is {shown(pair)}, which is no message and its child")
        chosen[pair[0]] = pair[1]
    return Parcel(replace(conversation, messages=tuple(messages.values()), chosen=chosen), runs)


def _message(data: Mapping[str, Any], where: str) -> tuple[Message, tuple[RunRecord, ...]]:
    parent, error = data.get("parent"), data.get("error")
    role, status = data.get("role"), data.get("status")
    if role not in tuple(Role):
        raise BadField(f"{where}.role", f"is {shown(role)}, but must be one of {', '.join(Role)}")
    if status not in tuple(Status):
        raise BadField(f"{where}.status", f"is {shown(status)}, but must be one of {', '.join(Status)}")
    runs = tuple(
        _run(mapping(run, f"{where}.runs[{i}]"), f"{where}.runs[{i}]")
        for i, run in enumerate(sequence(data.get("runs", []), f"{where}.runs"))
    )
    message = Message(
        id=text(data.get("id"), f"{where}.id"),
        parent=None if parent is None else text(parent, f"{where}.parent"),
        role=Role(role),
        content=text(data.get("content"), f"{where}.content"),
        created=number(data.get("created"), f"{where}.created"),
        # Exported while it streamed: it will not go on here.
        status=Status.INTERRUPTED if status == Status.STREAMING else Status(status),
        attachments=tuple(
            _attachment(mapping(item, f"{where}.attachments[{i}]"), f"{where}.attachments[{i}]")
            for i, item in enumerate(sequence(data.get("attachments", []), f"{where}.attachments"))
        ),
        run=runs[-1].summary if runs else None,
        error=None if error is None else text(error, f"{where}.error"),
    )
    return message, runs


def _attachment(data: Mapping[str, Any], where: str) -> Attachment:
    return Attachment(text(data.get("name"), f"{where}.name"), text(data.get("text"), f"{where}.text"))


def _run(data: Mapping[str, Any], where: str) -> RunRecord:
    params = _params(data.get("params"), f"{where}.params")
    rounds = sequence(data.get("rounds"), f"{where}.rounds")
    return RunRecord(
        int(number(data.get("start"), f"{where}.start")),
        summary_from_values(data.get("summary"), params, f"{where}.summary"),
        tuple(_round(item, f"{where}.rounds[{i}]") for i, item in enumerate(rounds)),
    )


def _round(data: object, where: str) -> Round:
    round_ = round_from_values(data, where)
    check(round_, where)
    return round_


def _params(data: object, where: str) -> SessionParams:
    params = params_from_values(data, where)
    check(params, where)
    return params


def _renumbered(parcel: Parcel) -> Parcel:
    """Give new ids, so that a file can be imported beside its original."""
    c = parcel.conversation
    ids = {m.id: new_id() for m in c.messages}
    messages = tuple(replace(m, id=ids[m.id], parent=None if m.parent is None else ids[m.parent]) for m in c.messages)
    chosen = {None if parent is None else ids[parent]: ids[child] for parent, child in c.chosen.items()}
    return Parcel(replace(c, messages=messages, chosen=chosen), {ids[id]: runs for id, runs in parcel.runs.items()})
