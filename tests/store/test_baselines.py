"""The newest plain baseline of a pair and context is kept; a database of version 1 gets its place, with a backup."""

from __future__ import annotations

import contextlib
from dataclasses import replace
from pathlib import Path

from draftlens.core.baseline import Baseline, Pair
from draftlens.store import baselines
from draftlens.store.db import Database, connect
from draftlens.store.migrations import STEPS, migrate
from draftlens.store.opening import FILE_NAME, open_store

BASELINE = Baseline(Pair.of("target", "drafter", 300), 1000.0, 42.5, 0.02, 39)


def test_a_newer_measurement_takes_the_place_of_the_older_one_of_the_same_pair_and_context(db: Database) -> None:
    other = replace(BASELINE, pair=Pair.of("target", "drafter", 3000), speed=20.0)
    for kept in (BASELINE, other, replace(BASELINE, measured=2000.0, speed=50.0)):
        baselines.keep(db, kept).result(5)
    assert baselines.find(db, BASELINE.pair) == replace(BASELINE, measured=2000.0, speed=50.0)
    assert baselines.find(db, other.pair) == other
    assert baselines.find(db, Pair.of("target", None, 300)) is None


def test_a_database_of_version_one_is_copied_and_then_keeps_baselines(tmp_path: Path) -> None:
    path = tmp_path / FILE_NAME
    with contextlib.closing(connect(path)) as connection:
        migrate(connection, path, STEPS[:1])
        connection.execute("INSERT INTO conversation (id, title, created, updated) VALUES ('c', 'Old', 1, 1)")
    opened = open_store(tmp_path)
    assert opened.notices == ()
    assert (tmp_path / f"{path.stem}-before-version-2.db").exists()
    baselines.keep(opened.database, BASELINE).result(5)
    assert baselines.find(opened.database, BASELINE.pair) == BASELINE
    with opened.database.reading() as reader:
        assert reader.execute("SELECT title FROM conversation").fetchall() == [("Old",)]
    assert opened.database.close()
