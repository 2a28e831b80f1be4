"""The list: newest first, deleted with a way back, deleted for good with everything below it."""

from __future__ import annotations

from datetime import date, datetime

import pytest

from draftlens.core.chat import Message, Role, new_conversation
from draftlens.store import conversations, messages, records
from draftlens.store.conversations import Entry
from draftlens.store.date_groups import date_groups, heading
from draftlens.store.db import Database
from draftlens.store.drafts import Draft, Drafts
from draftlens.store.search import search
from fakes import verify_round
from store.samples import PARAMS, STOPPED, begun, reloaded, saved


def titles(db: Database) -> list[str]:
    db.flush()
    return [entry.title for entry in conversations.entries(db)]


def test_the_list_is_the_newest_first_and_counts_messages(db: Database) -> None:
    saved(db, "old", "hi", "hello", at=10)
    saved(db, "new", at=20)
    assert [(e.title, e.messages, e.updated) for e in conversations.entries(db)] == [("new", 0, 20), ("old", 2, 11)]


def test_a_message_brings_its_conversation_to_the_top(db: Database) -> None:
    old = saved(db, "old", at=10)
    saved(db, "new", at=20)
    messages.add(db, old.id, Message("m", None, Role.USER, "again", 30.0))
    assert titles(db) == ["old", "new"]


def test_a_name_a_person_gave_is_not_replaced_by_one_that_was_made(db: Database) -> None:
    c = saved(db, "New chat")
    conversations.rename(db, c.id, "made", named=False)
    assert titles(db) == ["made"]
    conversations.rename(db, c.id, "Mine")
    conversations.rename(db, c.id, "made again", named=False)
    assert titles(db) == ["Mine"]
    assert reloaded(db, c).named


def test_own_parameters_and_system_prompt_are_kept_and_given_up(db: Database) -> None:
    c = saved(db)
    conversations.set_up(db, c.id, "Be brief.", PARAMS)
    found = reloaded(db, c)
    assert (found.system_prompt, found.params) == ("Be brief.", PARAMS)
    conversations.set_up(db, c.id, None, None)
    found = reloaded(db, c)
    assert (found.system_prompt, found.params) == (None, None)


def test_what_is_deleted_can_be_restored(db: Database) -> None:
    c = saved(db, "gone", "text")
    conversations.delete(db, c.id, now=50)
    assert titles(db) == []
    assert [(e.title, e.deleted) for e in conversations.recently_deleted(db)] == [("gone", 50)]
    assert search(db, "text") == ()
    conversations.restore(db, c.id)
    assert titles(db) == ["gone"]
    assert conversations.recently_deleted(db) == ()


def test_only_what_was_deleted_can_be_purged_and_nothing_of_it_remains(db: Database) -> None:
    c, _, writer = begun(db, "a prompt with saffron")
    writer.append([verify_round(0, ["a"], "b")], "ab")
    writer.finish(STOPPED).result(5)
    Drafts(db).keep(c.id, Draft("unsent"))
    other = saved(db, "other", "saffron too")
    conversations.purge(db, c.id)
    assert len(titles(db)) == 2
    conversations.delete(db, c.id)
    conversations.purge(db, c.id)
    assert titles(db) == ["other"]
    assert [hit.conversation for hit in search(db, "saffron")] == [other.id]
    with db.reading() as connection:
        left = [connection.execute(f"SELECT count(*) FROM {t}").fetchone()[0] for t in ("run", "chunk", "message")]
    assert left == [0, 0, 1]


def test_a_reply_goes_on_quietly_when_its_conversation_is_purged(db: Database, said: list[object]) -> None:
    c, _, writer = begun(db)
    conversations.delete(db, c.id)
    conversations.purge(db, c.id)
    writer.append([verify_round(0, ["a"], "b")], "ab")
    writer.finish(STOPPED).result(5)
    assert records.runs(db, "gone") == ()
    assert said == []


def test_old_deletions_are_purged_and_newer_ones_stay(db: Database) -> None:
    for at in (10, 20, 30):
        conversations.delete(db, saved(db, str(at)).id, now=at)
    conversations.purge_deleted_before(db, 25)
    db.flush()
    assert [e.title for e in conversations.recently_deleted(db)] == ["30"]


@pytest.mark.parametrize("title", ["", "'; DROP TABLE message; --", "日本語", "a\0b", "\ud800 broken", "😀" * 200])
def test_any_text_is_a_title(db: Database, title: str) -> None:
    c = new_conversation(title)
    conversations.create(db, c).result(5)
    assert reloaded(db, c).title == title.replace("\ud800", "?")


@pytest.mark.parametrize(
    ("day", "name"),
    [
        (date(2026, 3, 15), "Today"),
        (date(2026, 3, 16), "Today"),
        (date(2026, 3, 14), "Yesterday"),
        (date(2026, 3, 8), "Previous 7 days"),
        (date(2026, 3, 7), "Previous 30 days"),
        (date(2026, 2, 13), "Previous 30 days"),
        (date(2026, 2, 12), "February"),
        (date(2025, 12, 31), "2025"),
    ],
)
def test_a_day_has_its_heading(day: date, name: str) -> None:
    assert heading(day, date(2026, 3, 15)) == name


def test_groups_keep_the_order_and_none_is_empty() -> None:
    def entry(id: str, day: int) -> Entry:
        at = datetime(2026, 3, day, 12).timestamp()
        return Entry(id, id, at, at, None, 1)

    groups = date_groups([entry("a", 15), entry("b", 15), entry("c", 14), entry("d", 10)], date(2026, 3, 15))
    assert [(g.heading, [e.id for e in g.entries]) for g in groups] == [
        ("Today", ["a", "b"]),
        ("Yesterday", ["c"]),
        ("Previous 7 days", ["d"]),
    ]
