"""A reply reaches the disk while it streams: prompt first, then about once a second, then its end."""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import replace

import pytest

from draftlens.core.chat import Message, Role, RunSummary, Status
from draftlens.core.errors import BugError, UserError
from draftlens.core.params import SessionParams
from draftlens.core.round import Candidates, FinishReason, Round
from draftlens.store import messages, records
from draftlens.store.codec import pack, unpack
from draftlens.store.db import Database
from draftlens.store.events import SaveFailed, SaveResumed, StoreEvent
from draftlens.store.records import ReplyWriter
from fakes import step, verify_round
from store.samples import PARAMS, RUN, STOPPED, begun, reloaded, rounds_of


def many(count: int, first: int = 0) -> list[Round]:
    return [verify_round(first + i, ["a", "b"], "c", ["x", "y"] * (i % 2)) for i in range(count)]


def on_disk(db: Database, reply: Message) -> str:
    with db.reading() as connection:
        return str(connection.execute("SELECT content FROM message WHERE id = ?", (reply.id,)).fetchone()[0])


def until(db: Database, reply: Message, text: str, seconds: float = 3.0) -> float:
    """Wait for a text to be on disk; return how long that took."""
    start = time.monotonic()
    while on_disk(db, reply) != text:
        assert time.monotonic() - start < seconds
    return time.monotonic() - start


def test_the_prompt_and_an_empty_reply_are_on_disk_before_anything_is_generated(db: Database) -> None:
    c, reply, _ = begun(db, "Why?")
    found = messages.load(db, c.id)
    assert found is not None
    assert [(m.content, m.status) for m in found.path] == [("Why?", Status.COMPLETE), ("", Status.STREAMING)]
    assert found.path[1].run == reply.run


def test_what_was_appended_is_on_disk_within_a_second_though_nothing_follows(db: Database) -> None:
    _, reply, writer = begun(db)
    writer.append(many(3), "abcabcabc")
    assert until(db, reply, "abcabcabc") < 1.2
    assert rounds_of(db, reply) == many(3)


def test_appending_does_not_wait_for_the_disk_and_is_written_in_few_chunks(db: Database) -> None:
    _, reply, writer = begun(db)
    for round_ in many(300):
        writer.append([round_], "abc")
    writer.finish(STOPPED).result(5)
    assert rounds_of(db, reply) == many(300)
    with db.reading() as connection:
        assert connection.execute("SELECT count(*) FROM chunk").fetchone()[0] <= 3


def test_the_end_is_kept_with_the_tail_and_what_became_known(db: Database) -> None:
    c, reply, writer = begun(db)
    writer.append(many(1), "abc")
    summary = writer.finish(
        FinishReason.LENGTH, tail=" tail", seed=7, note="why", shadow_confirmations=2, prefill=(20, 5, 40.0)
    ).result(5)
    found = reloaded(db, c).message(reply.id)
    assert (found.content, found.status, found.run) == ("abc tail", Status.COMPLETE, summary)
    assert summary == RunSummary("target", "drafter", PARAMS, 7, "why", FinishReason.LENGTH, 20, 5, 40.0, 2)


@pytest.mark.parametrize(
    ("end", "status", "error"),
    [
        (lambda writer: writer.finish(STOPPED), Status.STOPPED, None),
        (lambda writer: writer.fail("No memory."), Status.FAILED, "No memory."),
        (lambda writer: writer.interrupt(), Status.INTERRUPTED, None),
    ],
)
def test_a_reply_keeps_its_text_however_it_ends(
    db: Database, end: Callable[[ReplyWriter], Future[RunSummary]], status: Status, error: str | None
) -> None:
    c, reply, writer = begun(db)
    writer.append([], "text")
    end(writer).result(5)
    found = reloaded(db, c).message(reply.id)
    assert (found.status, found.content, found.error) == (status, "text", error)


def test_what_the_prompt_took_is_known_of_a_reply_that_was_cut_off(db: Database) -> None:
    c, reply, writer = begun(db)
    writer.read(20, 5, 40.0)
    writer.interrupt().result(5)
    run = reloaded(db, c).message(reply.id).run
    assert run is not None and (run.prompt_tokens, run.cached_tokens, run.prompt_ms) == (20, 5, 40.0)


def test_after_its_end_a_writer_takes_nothing_more(db: Database) -> None:
    _, _, writer = begun(db)
    writer.finish(STOPPED)
    with pytest.raises(BugError):
        writer.append([], "late")
    with pytest.raises(BugError):
        writer.fail("late")


def test_a_continued_reply_is_the_same_message_with_one_more_run(db: Database) -> None:
    c, reply, writer = begun(db)
    writer.append(many(2), "abcabc")
    writer.finish(STOPPED).result(5)
    stopped = reloaded(db, c).message(reply.id)
    second = RunSummary("other target", None, SessionParams())
    writer = records.resume(db, stopped, second)
    writer.committed.result(5)
    assert reloaded(db, c).message(reply.id).status is Status.STREAMING
    writer.append([step(0, " more")], " more")
    writer.finish(FinishReason.END_OF_TEXT).result(5)
    found = reloaded(db, c).message(reply.id)
    assert (found.content, found.status, found.model) == ("abcabc more", Status.COMPLETE, "other target")
    runs = records.runs(db, reply.id)
    assert [(r.start, r.summary.model, len(r.rounds)) for r in runs] == [(0, "target", 2), (6, "other target", 1)]
    with pytest.raises(BugError, match="cannot be continued"):
        records.resume(db, found, second)


def test_regenerating_begins_without_a_prompt_and_shows_the_new_reply(db: Database) -> None:
    c, reply, writer = begun(db)
    writer.finish(STOPPED).result(5)
    again = c.regenerated(reply.id, RUN)
    writer = records.begin(db, c.id, None, again)
    writer.append([], "second")
    writer.finish(STOPPED).result(5)
    found = reloaded(db, c)
    assert found.path[-1].content == "second"
    assert str(found.version(again.id)) == "2 of 2"


def test_two_replies_stream_side_by_side(db: Database) -> None:
    chats = [begun(db) for _ in range(3)]
    for i in range(20):
        for n, (_, _, writer) in enumerate(chats):
            writer.append(many(1, i), f"{n}")
    for n, (c, reply, writer) in enumerate(chats):
        writer.finish(STOPPED).result(5)
        assert reloaded(db, c).message(reply.id).content == str(n) * 20
        assert rounds_of(db, reply) == [many(1, i)[0] for i in range(20)]


def test_on_a_full_disk_the_reply_stays_in_memory_and_is_whole_once_there_is_room(
    db: Database, said: list[StoreEvent]
) -> None:
    c, reply, writer = begun(db)
    db.write(lambda k: k.execute(f"PRAGMA max_page_count = {k.execute('PRAGMA page_count').fetchone()[0]}")).result(5)
    big = "0123456789" * 20_000
    writer.append(many(50), big)
    deadline = time.monotonic() + 5
    while not said and time.monotonic() < deadline:
        db.flush(0.01)
    assert isinstance(said[0], SaveFailed) and said[0].retrying
    writer.append(many(50, 50), " and more")
    ended = writer.finish(STOPPED, tail=".")
    assert not ended.done()
    db._writing.execute("PRAGMA max_page_count = 1000000")
    ended.result(5)
    db.flush(5)
    assert isinstance(said[-1], SaveResumed)
    assert reloaded(db, c).message(reply.id).content == big + " and more."
    assert rounds_of(db, reply) == [*many(50), *many(50, 50)]


def test_rounds_come_back_equal_and_small() -> None:
    rounds = many(200)
    with_candidates = replace(rounds[0], next_candidates=Candidates((1, 2), (0.75, 0.25), None))
    assert unpack(pack([with_candidates, *rounds])) == (with_candidates, *rounds)
    assert len(pack(rounds)) < 200 * 100


def test_a_damaged_chunk_is_a_sentence_and_the_text_still_reads(db: Database) -> None:
    c, reply, writer = begun(db)
    writer.append(many(1), "abc")
    writer.finish(STOPPED).result(5)
    db.write(lambda k: k.execute("UPDATE chunk SET rounds = x'00ff'")).result(5)
    with pytest.raises(UserError, match="rounds of this reply cannot be read"):
        records.runs(db, reply.id)
    assert reloaded(db, c).message(reply.id).content == "abc"


def test_params_of_a_later_version_do_not_keep_a_chat_from_opening(db: Database) -> None:
    c, reply, writer = begun(db)
    writer.finish(STOPPED).result(5)
    db.write(lambda k: k.execute("""UPDATE run SET params = '{"rule":"of tomorrow","k":3}'""")).result(5)
    run = reloaded(db, c).message(reply.id).run
    assert run is not None and run.params == SessionParams()


def test_a_reply_that_does_not_stream_is_not_begun(db: Database) -> None:
    whole = Message("r", "p", Role.ASSISTANT, "text", 1.0, run=RUN)
    with pytest.raises(BugError, match="not one to stream into"):
        records.begin(db, "c", None, whole)


def test_what_is_known_at_the_start_is_kept_though_the_reply_never_ends(db: Database) -> None:
    _, reply, writer = begun(db)
    writer.start(7, "why", thinking=True)
    writer.append(many(1), "abc")
    assert db.flush(5)
    (run,) = records.runs(db, reply.id)
    assert (run.summary.seed, run.summary.note, run.summary.thinking) == (7, "why", True)
    writer.finish(FinishReason.LENGTH, seed=7, note="why").result(5)
    assert records.runs(db, reply.id)[0].summary.thinking
