"""One writer in order, readers that see whole transactions, and a full disk that costs nothing."""

from __future__ import annotations

import sqlite3
import threading
import time
from pathlib import Path

import pytest

from draftlens.core.errors import BugError, UserError
from draftlens.store.db import Database, connect, suspicion_of
from draftlens.store.events import SaveFailed, SaveResumed, StoreEvent
from draftlens.store.opening import open_store
from store.samples import saved


def titles(db: Database) -> list[str]:
    with db.reading() as connection:
        return [row[0] for row in connection.execute("SELECT title FROM conversation ORDER BY row")]


def insert(title: str, connection: sqlite3.Connection) -> None:
    connection.execute(
        "INSERT INTO conversation (id, title, created, updated) VALUES (hex(randomblob(8)), ?, 0, 0)", (title,)
    )


def fill(connection: sqlite3.Connection) -> None:
    """Make the database full: as many pages as it has, and no more."""
    pages = connection.execute("PRAGMA page_count").fetchone()[0]
    connection.execute(f"PRAGMA max_page_count = {pages}")


def test_jobs_run_in_the_order_they_were_queued(db: Database) -> None:
    for i in range(50):
        db.write(lambda c, i=i: insert(str(i), c))  # type: ignore[misc]
    assert db.flush(5)
    assert titles(db) == [str(i) for i in range(50)]


def test_a_job_returns_its_result_after_the_commit(db: Database) -> None:
    future = db.write(lambda c: insert("a", c))
    future.result(5)
    assert titles(db) == ["a"]


def test_a_job_that_fails_changes_nothing_and_the_next_one_runs(db: Database, said: list[StoreEvent]) -> None:
    def wrong(connection: sqlite3.Connection) -> None:
        insert("half", connection)
        connection.execute("SELECT * FROM absent")

    with pytest.raises(UserError, match=r"could not be saved: no such table: absent\."):
        db.write(wrong).result(5)
    db.write(lambda c: insert("whole", c)).result(5)
    assert titles(db) == ["whole"]
    assert [type(event) for event in said] == [SaveFailed]


def test_a_reader_sees_one_moment(db: Database) -> None:
    with db.reading() as connection:
        assert connection.execute("SELECT count(*) FROM conversation").fetchone() == (0,)
        db.write(lambda c: insert("late", c)).result(5)
        assert connection.execute("SELECT count(*) FROM conversation").fetchone() == (0,)
    assert titles(db) == ["late"]


def test_a_reader_cannot_write(db: Database) -> None:
    with pytest.raises(UserError, match="cannot be written to"), db.reading() as connection:
        insert("x", connection)


def test_readers_on_many_threads_do_not_disturb_each_other(db: Database) -> None:
    saved(db, "one")
    seen: list[list[str]] = []
    threads = [threading.Thread(target=lambda: seen.append(titles(db))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(5)
    assert seen == [["one"]] * 8


def test_what_is_due_later_is_written_at_the_latest_when_closing(db: Database) -> None:
    db.write_later(lambda c: insert("later", c), 3600)
    assert db.close()
    connection = connect(db.path)
    assert connection.execute("SELECT title FROM conversation").fetchall() == [("later",)]
    connection.close()


def test_what_is_due_later_comes_after_what_was_queued_before_it(db: Database) -> None:
    held = threading.Event()
    db.write(lambda c: held.wait(5))
    db.write(lambda c: insert("first", c))
    db.write_later(lambda c: insert("second", c), 0)
    held.set()
    db.close()
    connection = connect(db.path)
    assert [row[0] for row in connection.execute("SELECT title FROM conversation ORDER BY row")] == ["first", "second"]
    connection.close()


def test_a_full_disk_is_said_once_and_everything_is_written_when_there_is_room(
    db: Database, said: list[StoreEvent]
) -> None:
    big = "x" * 100_000
    db.write(fill).result(5)
    futures = [db.write(lambda c: insert(big, c)), db.write(lambda c: insert("small", c))]
    deadline = time.monotonic() + 5
    while not said and time.monotonic() < deadline:
        db.flush(0.01)
    assert [event.error.sentence for event in said if isinstance(event, SaveFailed)] == [
        "The last changes could not be saved: the disk is full."
    ]
    assert not any(future.done() for future in futures)
    assert titles(db) == []
    db._writing.execute("PRAGMA max_page_count = 1000000")
    for future in futures:
        future.result(5)
    assert titles(db) == [big, "small"]
    assert db.flush(5)
    assert [type(event) for event in said] == [SaveFailed, SaveResumed]


def test_closing_on_a_full_disk_ends_soon_and_says_that_something_is_lost(db: Database, said: list[StoreEvent]) -> None:
    db.write(fill).result(5)
    future = db.write(lambda c: insert("x" * 100_000, c))
    start = time.monotonic()
    assert not db.close()
    assert time.monotonic() - start < 2
    with pytest.raises(UserError, match="disk is full"):
        future.result(0)
    assert [event.retrying for event in said if isinstance(event, SaveFailed)] == [True, False]


def test_a_queued_write_cannot_be_cancelled(db: Database) -> None:
    held = threading.Event()
    db.write(lambda c: held.wait(5))
    future = db.write(lambda c: insert("a", c))
    assert not future.cancel()
    held.set()
    future.result(5)
    assert titles(db) == ["a"]


def test_a_listener_that_fails_does_not_end_the_writer(folder: Path) -> None:
    def listener(event: StoreEvent) -> None:
        raise RuntimeError("window gone")

    db = open_store(folder, listener).database
    with pytest.raises(UserError):
        db.write(lambda c: c.execute("SELECT * FROM absent")).result(5)
    db.write(lambda c: insert("a", c)).result(5)
    assert titles(db) == ["a"]
    db.close()


def test_after_closing_a_write_fails_and_a_read_is_a_bug(db: Database) -> None:
    assert db.close()
    with pytest.raises(UserError, match="closing"):
        db.write(lambda c: None).result(0)
    with pytest.raises(BugError):
        titles(db)


def test_damage_met_while_reading_is_a_sentence_and_asks_for_a_close_look(db: Database) -> None:
    for i in range(300):
        db.write(lambda c, i=i: insert(f"{i} " + "x" * 1000, c))  # type: ignore[misc]
    db.flush()
    db.write(lambda c: None).result(5)
    db._writing.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    with db.path.open("r+b") as file:
        file.seek(4096)
        file.write(b"\xff" * 4096 * 60)
    with pytest.raises(UserError, match="damaged"):
        titles(db)
    assert suspicion_of(db.path).exists()
