"""Named sets of parameters with a system prompt, to be applied to any conversation."""

from __future__ import annotations

from concurrent.futures import Future
from dataclasses import dataclass
from sqlite3 import Connection

from draftlens.core.errors import UserError
from draftlens.core.params import SessionParams
from draftlens.core.values import clean
from draftlens.store.codec import params_from_json, params_to_json
from draftlens.store.db import Database


@dataclass(frozen=True, slots=True)
class Preset:
    """Parameters under a name; a system prompt of None leaves the conversation's as it is."""

    name: str
    params: SessionParams
    system_prompt: str | None = None


def presets(db: Database) -> tuple[Preset, ...]:
    """Return all presets by name.

    Raises:
        UserError: the database cannot be read.
    """
    with db.reading() as connection:
        rows = connection.execute("SELECT name, params, system_prompt FROM preset ORDER BY name").fetchall()
    return tuple(Preset(name, params_from_json(params), prompt) for name, params, prompt in rows)


def save(db: Database, preset: Preset) -> Future[None]:
    """Keep a preset; one of the same name, whatever its case, is replaced.

    Raises:
        UserError: it has no name.
    """
    name = clean(preset.name).strip()
    if not name:
        raise UserError("A preset needs a name.", "Type one.")
    prompt = None if preset.system_prompt is None else clean(preset.system_prompt)
    values = (name, params_to_json(preset.params), prompt)

    def job(connection: Connection) -> None:
        connection.execute(
            "INSERT INTO preset (name, params, system_prompt) VALUES (?, ?, ?) ON CONFLICT (name) DO UPDATE SET "
            "name = excluded.name, params = excluded.params, system_prompt = excluded.system_prompt",
            values,
        )

    return db.write(job)


def delete(db: Database, name: str) -> Future[None]:
    """Delete a preset; conversations it was applied to keep their parameters."""

    def job(connection: Connection) -> None:
        connection.execute("DELETE FROM preset WHERE name = ?", (clean(name).strip(),))

    return db.write(job)
