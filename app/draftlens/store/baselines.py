"""Plain baselines, one a pair and context length: the newest measurement counts."""

from __future__ import annotations

from concurrent.futures import Future
from sqlite3 import Connection

from draftlens.core.baseline import Baseline, Pair
from draftlens.store.db import Database


def keep(db: Database, baseline: Baseline) -> Future[None]:
    """Keep a measurement in place of an older one."""
    b = baseline
    values = (b.pair.target, b.pair.drafter, b.pair.context, b.measured, b.speed, b.error, b.rounds)

    def job(connection: Connection) -> None:
        connection.execute(
            "INSERT OR REPLACE INTO baseline (target, drafter, context, measured, speed, error, rounds) "
            "VALUES (?, ?, ?, ?, ?, ?, ?)",
            values,
        )

    return db.write(job)


def find(db: Database, pair: Pair) -> Baseline | None:
    """Return what is known of a pair at a context length.

    Raises:
        UserError: the database cannot be read.
    """
    with db.reading() as connection:
        row = connection.execute(
            "SELECT measured, speed, error, rounds FROM baseline WHERE target = ? AND drafter = ? AND context = ?",
            (pair.target, pair.drafter, pair.context),
        ).fetchone()
    return None if row is None else Baseline(pair, *row)
