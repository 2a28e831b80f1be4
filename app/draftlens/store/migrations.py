"""The numbered steps from one version of the schema to the next, each whole or not at all, after a backup copy."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

APPLICATION_ID = 0x44724C6E
"""Marks a database as ours: "DrLn"."""

_SCHEMA = Path(__file__).with_name("schema.sql")


@dataclass(frozen=True)
class Step:
    """Brings a database to `version` from the one before; runs inside a transaction and must not end it."""

    version: int
    apply: Callable[[sqlite3.Connection], object]


def _first(connection: sqlite3.Connection) -> None:
    run_script(connection, _SCHEMA.read_text(encoding="utf-8"))
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")


def _second(connection: sqlite3.Connection) -> None:
    """Plain baselines; from here on rounds may hold forced tokens, which version 1 cannot read."""
    connection.execute(
        "CREATE TABLE baseline ("
        "target TEXT NOT NULL, drafter TEXT NOT NULL, context INTEGER NOT NULL, measured REAL NOT NULL, "
        "speed REAL NOT NULL, error REAL NOT NULL, rounds INTEGER NOT NULL, "
        "PRIMARY KEY (target, drafter, context)) STRICT, WITHOUT ROWID"
    )


STEPS: tuple[Step, ...] = (Step(1, _first), Step(2, _second))
"""A fresh database takes the same steps as an old one, so both end alike."""


def version_of(connection: sqlite3.Connection) -> int:
    """Return the schema's version, 0 for an empty database."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(connection: sqlite3.Connection, path: Path, steps: Sequence[Step] = STEPS) -> Path | None:
    """Bring a database to the newest version in one transaction; return the backup made before, if it held anything.

    An error leaves it as it was.
    """
    found = version_of(connection)
    waiting = [step for step in steps if step.version > found]
    if not waiting:
        return None
    backup = back_up(connection, path, found) if found > 0 else None
    connection.execute("BEGIN IMMEDIATE")
    try:
        for step in waiting:
            step.apply(connection)
            connection.execute(f"PRAGMA user_version = {step.version}")
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return backup


def back_up(connection: sqlite3.Connection, path: Path, version: int) -> Path:
    """Copy the whole database beside it; the copy appears only when it is complete."""
    final = path.with_name(f"{path.stem}-before-version-{version + 1}{path.suffix}")
    partial = final.with_name(final.name + ".partial")
    partial.unlink(missing_ok=True)
    with contextlib.closing(sqlite3.connect(partial)) as copy:
        connection.backup(copy)
    partial.replace(final)
    return final


def run_script(connection: sqlite3.Connection, script: str) -> None:
    """Run several statements inside the open transaction; `executescript` would commit it."""
    statement = ""
    for line in script.splitlines(keepends=True):
        statement += line
        if sqlite3.complete_statement(statement):
            connection.execute(statement)
            statement = ""
