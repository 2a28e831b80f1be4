"""What is read back is the tree that was built, whatever was done to it."""

from __future__ import annotations

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from draftlens.core.chat import Attachment, Message, Role, Status, new_conversation
from draftlens.store import conversations, messages
from draftlens.store.db import Database
from store.samples import RUN, reloaded, saved


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=st.lists(st.tuples(st.sampled_from(["add", "add", "choose", "switch"]), st.integers(0, 99)), max_size=15))
def test_the_tree_on_disk_is_the_tree_in_memory(db: Database, steps: list[tuple[str, int]]) -> None:
    c = new_conversation(now=0.0)
    conversations.create(db, c)
    for number, (what, pick) in enumerate(steps):
        known = [None, *(m.id for m in c.messages)]
        at = known[pick % len(known)]
        if what == "add":
            role = Role.ASSISTANT if pick % 2 else Role.USER
            message = Message(
                f"{c.id}-{number}", at, role, f"text {pick}", float(number), run=RUN if pick % 2 else None
            )
            messages.add(db, c.id, message)
            c = c.add(message)
        elif at is not None:
            target = at if what == "choose" else c.version(at).neighbour(1 if pick % 3 else -1)
            if target is not None:
                messages.choose(db, target)
                c = c.choose(target)
    found = reloaded(db, c)
    assert found.path == c.path
    assert found == c


def test_every_field_of_a_message_is_kept(db: Database) -> None:
    c = saved(db, "a chat", "first")
    m = Message(
        "m", c.messages[0].id, Role.ASSISTANT, "a\0b \U0001f600", 5.5, Status.FAILED,
        (Attachment("x.txt", "line\r\nline"),), RUN, "It failed.",
    )  # fmt: skip
    messages.add(db, c.id, m)
    assert reloaded(db, c).message("m") == m


def test_a_lone_surrogate_is_stored_as_a_question_mark_and_nothing_is_lost_around_it(db: Database) -> None:
    assert reloaded(db, saved(db, "x", "before \ud83d after")).messages[0].content == "before ? after"


def test_a_conversation_that_is_not_there_is_none(db: Database) -> None:
    assert messages.load(db, "nothing") is None


def test_a_message_for_a_purged_conversation_is_dropped_quietly(db: Database, said: list[object]) -> None:
    messages.add(db, "nothing", Message("m", None, Role.USER, "x", 1.0)).result(5)
    assert said == []
