"""The store always opens; a file it cannot use is kept byte for byte under another name, and said."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from draftlens.store import conversations
from draftlens.store.db import connect, suspicion_of
from draftlens.store.migrations import STEPS, Step, migrate, run_script, version_of
from draftlens.store.opening import FILE_NAME, Opened, open_store
from store.samples import saved

NEWEST = STEPS[-1].version


def written(folder: Path, title: str = "kept") -> Path:
    """Make a database with one conversation, closed cleanly; return its path."""
    opened = open_store(folder)
    saved(opened.database, title)
    assert opened.database.close()
    return folder / FILE_NAME


def titles(opened: Opened) -> list[str]:
    return [entry.title for entry in conversations.entries(opened.database)]


def kept_files(folder: Path) -> list[Path]:
    return sorted(folder.glob("*-kept-*.db"))


def raw(path: Path, statement: str) -> None:
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(statement)


def test_a_new_store_is_empty_and_says_nothing(folder: Path) -> None:
    opened = open_store(folder)
    assert (titles(opened), opened.notices, opened.interrupted, opened.saved) == ([], (), (), True)
    opened.database.close()


def test_what_was_written_is_there_the_next_time(folder: Path) -> None:
    written(folder)
    opened = open_store(folder)
    assert (titles(opened), opened.notices) == (["kept"], ())
    opened.database.close()


def damage_header(path: Path) -> None:
    path.write_bytes(b"not a database, but long enough to be taken for one" * 100)


def damage_pages(path: Path) -> None:
    with path.open("r+b") as file:
        file.seek(2 * 4096)
        file.write(os.urandom(20 * 4096))


def cut(path: Path) -> None:
    os.truncate(path, path.stat().st_size // 2 // 4096 * 4096)


def make_newer(path: Path) -> None:
    raw(path, f"PRAGMA user_version = {NEWEST + 7}")


def make_foreign(path: Path) -> None:
    raw(path, "PRAGMA application_id = 77")


@pytest.mark.parametrize(
    ("harm", "reason"),
    [
        (damage_header, "is damaged"),
        (damage_pages, "is damaged"),
        (cut, "is damaged"),
        (make_newer, f"was written by a newer Draftlens (version {NEWEST + 7}, this one reads up to {NEWEST})"),
        (make_foreign, "is not a database of Draftlens"),
    ],
)
def test_a_file_that_cannot_be_used_is_kept_aside_untouched(
    folder: Path, harm: Callable[[Path], None], reason: str
) -> None:
    path = written(folder)
    harm(path)
    before = path.read_bytes()
    opened = open_store(folder)
    assert titles(opened) == []
    (notice,) = opened.notices
    (kept,) = kept_files(folder)
    assert notice.sentence == f"The database of conversations {reason}, so Draftlens started with an empty one."
    assert kept.name in str(notice.next_step)
    assert kept.read_bytes() == before
    saved(opened.database, "fresh")
    assert opened.database.close()
    again = open_store(folder)
    assert (titles(again), again.notices) == (["fresh"], ())
    again.database.close()


def test_the_log_of_a_file_kept_aside_goes_with_it(folder: Path) -> None:
    path = written(folder)
    # A connection that is not closed before the files are copied, as after a crash.
    crashed = folder / "crashed"
    crashed.mkdir()
    with contextlib.closing(connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {NEWEST + 1}")
        for suffix in ("", "-wal"):
            (crashed / (FILE_NAME + suffix)).write_bytes(path.with_name(path.name + suffix).read_bytes())
    log = (crashed / (FILE_NAME + "-wal")).read_bytes()
    opened = open_store(crashed)
    assert "newer" in opened.notices[0].sentence
    (kept,) = kept_files(crashed)
    assert kept.with_name(kept.name + "-wal").read_bytes() == log
    opened.database.close()


def test_a_second_file_kept_in_the_same_second_does_not_replace_the_first(folder: Path) -> None:
    for _ in range(3):
        path = folder / FILE_NAME
        folder.mkdir(exist_ok=True)
        damage_header(path)
        open_store(folder).database.close()
    assert len(kept_files(folder)) == 3


def test_an_empty_file_is_a_new_store(folder: Path) -> None:
    folder.mkdir()
    (folder / FILE_NAME).touch()
    opened = open_store(folder)
    assert opened.notices == ()
    opened.database.close()


def test_a_suspicion_is_settled_by_a_good_check(folder: Path) -> None:
    path = written(folder)
    suspicion_of(path).touch()
    opened = open_store(folder)
    assert opened.notices == ()
    assert not suspicion_of(path).exists()
    opened.database.close()


def test_where_nothing_can_be_written_the_program_opens_and_says_that_nothing_is_saved(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    opened = open_store(tmp_path / "file" / "data")
    assert not opened.saved
    assert "cannot be saved in" in opened.notices[0].sentence
    saved(opened.database, "for now")
    assert titles(opened) == ["for now"]
    opened.database.close()


def test_replies_left_streaming_are_marked_interrupted(folder: Path) -> None:
    path = written(folder)
    raw(
        path,
        "INSERT INTO message (id, conversation, role, content, created, status) "
        "VALUES ('r', 1, 'assistant', 'half a sente', 0, 'streaming')",
    )
    opened = open_store(folder)
    assert opened.interrupted == ("r",)
    with opened.database.reading() as connection:
        assert connection.execute("SELECT status FROM message").fetchall() == [("interrupted",)]
    opened.database.close()


def broken_step(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE half (x)")
    raise ValueError("cannot be done")


def test_a_step_that_fails_leaves_the_old_file_and_the_program_opens(folder: Path) -> None:
    path = written(folder)
    opened = open_store(folder, steps=(*STEPS, Step(NEWEST + 1, lambda c: _only_on_old(c))))
    (kept,) = kept_files(folder)
    assert "cannot be brought to this version (cannot be done)" in opened.notices[0].sentence
    opened.database.close()
    with contextlib.closing(sqlite3.connect(kept)) as connection:
        assert version_of(connection) == NEWEST
        assert connection.execute("SELECT title FROM conversation").fetchall() == [("kept",)]
    assert path.exists()


def _only_on_old(connection: sqlite3.Connection) -> None:
    if connection.execute("SELECT count(*) FROM conversation").fetchone()[0]:
        broken_step(connection)


def test_a_step_is_taken_after_a_backup_and_only_once(folder: Path) -> None:
    written(folder)
    taken: list[int] = []

    def step(connection: sqlite3.Connection) -> None:
        taken.append(1)
        connection.execute("ALTER TABLE conversation ADD COLUMN colour TEXT")

    steps = (*STEPS, Step(NEWEST + 1, step))
    for _ in range(2):
        opened = open_store(folder, steps=steps)
        assert (titles(opened), opened.notices) == (["kept"], ())
        opened.database.close()
    assert taken == [1]
    (backup,) = folder.glob("*-before-version-*.db")
    with contextlib.closing(sqlite3.connect(backup)) as connection:
        assert version_of(connection) == NEWEST
        assert connection.execute("SELECT title FROM conversation").fetchall() == [("kept",)]


def test_the_steps_are_numbered_without_gaps() -> None:
    assert [step.version for step in STEPS] == list(range(1, NEWEST + 1))


def column(number: int) -> Step:
    return Step(number, lambda c: c.execute(f"ALTER TABLE t ADD COLUMN c{number}"))


def chain(length: int) -> list[Step]:
    return [Step(1, lambda c: run_script(c, "CREATE TABLE t (c1);\n")), *(column(n) for n in range(2, length + 1))]


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(length=st.integers(1, 6), stops=st.lists(st.integers(1, 6), max_size=4), fails_at=st.none() | st.integers(1, 6))
def test_by_whatever_stages_a_database_comes_to_a_version_it_ends_alike(
    tmp_path_factory: pytest.TempPathFactory, length: int, stops: list[int], fails_at: int | None
) -> None:
    path = tmp_path_factory.mktemp("chain") / "x.db"
    steps = chain(length)
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for stop in sorted(s for s in stops if s < length):
            migrate(connection, path, steps[:stop])
            connection.execute("INSERT INTO t (c1) VALUES (?)", (stop,))
        before = (version_of(connection), list(connection.iterdump()))
        if fails_at is not None and before[0] < fails_at <= length:
            bad = [Step(s.version, broken_step) if s.version == fails_at else s for s in steps]
            with pytest.raises(ValueError, match="cannot be done"):
                migrate(connection, path, bad)
            assert (version_of(connection), list(connection.iterdump())) == before
        backup = migrate(connection, path, steps)
        assert version_of(connection) == length
        columns = [row[1] for row in connection.execute("PRAGMA table_info(t)")]
        assert columns == [f"c{n}" for n in range(1, length + 1)]
        assert (backup is not None) == (0 < before[0] < length)
        if backup is not None:
            with contextlib.closing(sqlite3.connect(backup)) as copy:
                assert (version_of(copy), list(copy.iterdump())) == before
