"""Every word is a prefix, accents and case do not matter, and no text a person types is an error."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from draftlens.core.chat import Message, Role
from draftlens.store import conversations, messages, records
from draftlens.store.db import Database
from draftlens.store.search import Hit, search
from store.samples import RUN, STOPPED, begun, reloaded, saved


def marked(hit: Hit) -> list[str]:
    return [hit.snippet[start:end] for start, end in hit.marks]


def test_words_are_found_by_their_beginnings_in_any_order(db: Database) -> None:
    saved(db, "Stars", "Why is the night sky dark?", "Olbers' paradox explains the darkness.")
    (hit,) = search(db, "dark ni")
    assert (hit.title, hit.snippet, marked(hit)) == ("Stars", "Why is the night sky dark?", ["ni", "dark"])
    assert search(db, "ight") == ()


def test_a_title_comes_before_a_message_and_a_conversation_once(db: Database) -> None:
    text = saved(db, "One", "all about comets and whatever else is in the sky", "comets are icy", at=50)
    title = saved(db, "Comets", "and comets again", at=10)
    assert [(h.conversation, h.message) for h in search(db, "comet")] == [
        (title.id, None),
        (text.id, text.messages[1].id),
    ]


def test_case_and_accents_do_not_matter(db: Database) -> None:
    saved(db, "x", "Le CAFÉ de Zürich")
    for query in ("cafe", "CAFÉ", "zurich", "cafe\u0301"):
        (hit,) = search(db, query)
        assert len(hit.marks) == 1


def test_words_inside_sentences_without_spaces_are_found(db: Database) -> None:
    saved(db, "x", "今日は天気がいいですね")
    (hit,) = search(db, "天気")
    assert marked(hit) == ["天気"]


def test_symbols_are_searched_as_they_are(db: Database) -> None:
    saved(db, "a", "Is c++ faster?")
    saved(db, "b", "Is coffee 100% arabica?")
    assert [h.title for h in search(db, "c++")] == ["a"]
    assert [h.title for h in search(db, "100%")] == ["b"]
    assert [h.title for h in search(db, "->")] == []


def test_a_snippet_is_one_short_line_around_the_match(db: Database) -> None:
    saved(db, "x", "before\n" * 100 + "the needle\nhere" + "\nafter" * 100)
    (hit,) = search(db, "needle")
    assert "\n" not in hit.snippet
    assert hit.snippet.startswith("…") and hit.snippet.endswith("…")
    assert len(hit.snippet) < 150
    # What was found stands near its start, where a narrow list shows it, after whole words.
    assert hit.snippet.startswith("…before the needle here after")
    assert marked(hit) == ["needle"]


def test_the_index_follows_every_change(db: Database) -> None:
    c, _, writer = begun(db, "prompt")
    writer.append([], "streamed pumpkin")
    assert search(db, "pumpkin") == ()
    writer.finish(STOPPED).result(5)
    assert len(search(db, "pumpkin")) == 1
    conversations.rename(db, c.id, "renamed").result(5)
    assert len(search(db, "renamed")) == 1
    assert search(db, "chat") == ()
    with db.reading() as connection:
        ids = {row[0] for row in connection.execute("SELECT rowid FROM text_index WHERE text_index MATCH 'pumpkin'")}
    assert len(ids) == 1


def test_the_index_agrees_with_the_messages_after_continuing_and_deleting(db: Database) -> None:
    continued, reply, writer = begun(db)
    writer.append([], "first part")
    writer.finish(STOPPED).result(5)
    writer = records.resume(db, reloaded(db, continued).message(reply.id), RUN)
    writer.append([], ", second part")
    writer.finish(STOPPED).result(5)
    assert [hit.conversation for hit in search(db, "first second")] == [continued.id]
    c = saved(db, "a", "one two", "three four")
    saved(db, "b", "one three")
    conversations.delete(db, c.id)
    conversations.purge(db, c.id).result(5)
    for index in ("text_index", "title_index"):
        db.write(
            lambda k, i=index: k.execute(f"INSERT INTO {i} ({i}, rank) VALUES ('integrity-check', 1)")  # type: ignore[misc]
        ).result(5)


@pytest.mark.parametrize(
    "query",
    [
        "",
        " ",
        '"',
        '""',
        "*",
        "a*",
        "AND",
        "a OR",
        "NOT x",
        "NEAR(a b)",
        "col:x",
        "^a",
        "(",
        "a)",
        "-",
        "{a}",
        "\0",
        "a\0b",
    ],
)
def test_no_query_is_an_error(db: Database, query: str) -> None:
    saved(db, "col", "a b x and or not near")
    search(db, query)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=st.text(st.characters(), max_size=30), text=st.text(max_size=60))
def test_no_query_is_an_error_whatever_is_in_the_messages(db: Database, query: str, text: str) -> None:
    c = saved(db)
    messages.add(db, c.id, Message(f"{c.id}-m", None, Role.USER, text, 1.0)).result(5)
    for hit in search(db, query):
        assert all(0 <= start < end <= len(hit.snippet) for start, end in hit.marks)


def test_a_long_query_is_cut_rather_than_refused(db: Database) -> None:
    saved(db, "x", "word")
    search(db, "word " * 50_000)
    search(db, "->" * 100_000)
