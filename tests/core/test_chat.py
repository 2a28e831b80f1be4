"""A conversation is a tree of which one path is shown; nothing that was said is ever lost from it."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draftlens.core.chat import (
    Attachment,
    Conversation,
    Message,
    Role,
    RunSummary,
    Status,
    new_conversation,
    prompt_below,
    reply_to,
    title_from,
)
from draftlens.core.errors import BugError
from draftlens.core.params import SessionParams
from draftlens.core.round import FinishReason

RUN = RunSummary("target", None, SessionParams())


def prompt(id: str, parent: str | None = None, content: str = "") -> Message:
    return Message(id, parent, Role.USER, content or id, 1.0)


def reply(id: str, parent: str, content: str = "", status: Status = Status.COMPLETE) -> Message:
    return Message(id, parent, Role.ASSISTANT, content or id, 2.0, status, run=RUN)


def chat(*messages: Message) -> Conversation:
    conversation = new_conversation(now=0.0)
    for message in messages:
        conversation = conversation.add(message)
    return conversation


def ids(conversation: Conversation) -> list[str]:
    return [m.id for m in conversation.path]


def test_messages_follow_each_other() -> None:
    assert ids(chat(prompt("a"), reply("b", "a"), prompt("c", "b"), reply("d", "c"))) == ["a", "b", "c", "d"]


def test_an_edited_prompt_is_a_second_version_and_the_first_stays() -> None:
    before = chat(prompt("a"), reply("b", "a"))
    edited = before.edited("a", "new words")
    after = before.add(edited)
    assert [m.content for m in after.path] == ["new words"]
    assert str(after.version(edited.id)) == "2 of 2"
    assert ids(after.switched(edited.id, -1)) == ["a", "b"]


def test_editing_keeps_the_attachments() -> None:
    file = (Attachment("notes.txt", "text"),)
    c = chat(Message("a", None, Role.USER, "read", 1.0, attachments=file))
    assert c.edited("a", "read it").attachments == file
    assert c.edited("a", "read it", ()).attachments == ()


def test_a_regenerated_reply_is_a_sibling_that_streams() -> None:
    before = chat(prompt("a"), reply("b", "a"))
    second = before.regenerated("b", RUN)
    after = before.add(second)
    assert (second.parent, second.status, second.content) == ("a", Status.STREAMING, "")
    assert (after.version("b").number, after.version(second.id).number) == (1, 2)


def test_switching_back_finds_the_same_continuation() -> None:
    c = chat(prompt("a"), reply("b1", "a"), prompt("c1", "b1"), prompt("c2", "b1")).choose("c1")
    c = c.add(reply("b2", "a"))
    assert ids(c) == ["a", "b2"]
    assert ids(c.switched("b2", -1)) == ["a", "b1", "c1"]


def test_switching_past_either_end_changes_nothing() -> None:
    c = chat(prompt("a"), reply("b", "a"), reply("c", "a"))
    assert c.switched("c", 1) is c
    assert c.switched("c", -2) is c


def test_choosing_a_hidden_message_shows_everything_above_it() -> None:
    c = chat(prompt("a1"), reply("b", "a1"), prompt("a2")).choose("b")
    assert ids(c) == ["a1", "b"]


def test_without_a_choice_the_newest_is_shown() -> None:
    c = Conversation("c", "t", 0, 0, (prompt("a"), prompt("b")))
    assert ids(c) == ["b"]


def test_a_message_needs_its_parent_and_an_id_of_its_own() -> None:
    c = chat(prompt("a"))
    with pytest.raises(BugError, match="no message x"):
        c.add(prompt("b", "x"))
    with pytest.raises(BugError, match="already"):
        c.add(prompt("a"))


def test_a_message_is_replaced_in_its_place() -> None:
    c = chat(prompt("a"), reply("b", "a", status=Status.STREAMING))
    done = reply("b", "a", "all of it")
    assert c.replaced(done).path[-1] == done
    with pytest.raises(BugError, match="place"):
        c.replaced(prompt("b", "a"))


def test_a_prompt_is_not_regenerated_and_a_reply_is_not_edited() -> None:
    c = chat(prompt("a"), reply("b", "a"))
    with pytest.raises(BugError, match="not a reply"):
        c.regenerated("a", RUN)
    with pytest.raises(BugError, match="not edited"):
        c.edited("b", "x")


def test_the_turns_are_the_shown_path_after_the_system_prompt() -> None:
    c = chat(prompt("a"), reply("b", "a"), prompt("c", "b"))
    assert c.turns("Be brief.") == (("system", "Be brief."), ("user", "a"), ("assistant", "b"), ("user", "c"))
    assert c.turns(upto="b") == (("user", "a"), ("assistant", "b"))


def test_an_own_system_prompt_outranks_the_default_even_when_empty() -> None:
    c = Conversation("c", "t", 0, 0, (prompt("a"),), system_prompt="")
    assert c.turns("Be brief.") == (("user", "a"),)


def test_a_reply_stopped_before_its_first_token_leaves_alternating_roles() -> None:
    empty = Message("b", "a", Role.ASSISTANT, "", 2.0, Status.STOPPED, run=RUN)
    c = chat(prompt("a"), empty, prompt("c", "b"))
    assert c.turns() == (("user", "a\n\nc"),)


@given(st.lists(st.sampled_from(["empty", "full"]), max_size=8))
def test_whatever_was_stopped_the_roles_of_the_turns_alternate(replies: list[str]) -> None:
    c, parent = new_conversation(), None
    for kind in replies:
        asked = prompt_below(parent, "question")
        answer = reply_to(asked.id, RUN)
        c = c.add(asked).add(answer)
        if kind == "full":
            c = c.replaced(reply(answer.id, asked.id))
        parent = answer.id
    roles = [role for role, _ in c.add(prompt_below(parent, "last")).turns("system")]
    assert roles[:2] == ["system", "user"]
    assert all(a != b for a, b in itertools.pairwise(roles))


def test_attachments_come_before_the_text_and_cannot_break_out_of_their_fence() -> None:
    m = Message("a", None, Role.USER, "explain", 1.0, attachments=(Attachment("x.md", "```\ncode\n```"),))
    assert m.prompt_text == "x.md:\n````\n```\ncode\n```\n````\n\nexplain"


@pytest.mark.parametrize(
    ("status", "finish", "can"),
    [
        (Status.STOPPED, FinishReason.STOPPED, True),
        (Status.INTERRUPTED, None, True),
        (Status.FAILED, None, True),
        (Status.COMPLETE, FinishReason.LENGTH, True),
        (Status.COMPLETE, FinishReason.END_OF_TEXT, False),
        (Status.STREAMING, None, False),
    ],
)
def test_what_ended_early_can_be_continued(status: Status, finish: FinishReason | None, can: bool) -> None:
    run = RunSummary("target", None, SessionParams(), finish=finish)
    assert Message("b", "a", Role.ASSISTANT, "text", 1.0, status, run=run).can_continue is can


def test_a_prompt_is_never_continued() -> None:
    assert not prompt("a").can_continue


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("  \n Why is   the sky blue? \n more", "Why is the sky blue?"),
        ("", "New chat"),
        ("word " * 20, "word word word word word word word word word word word word…"),
        ("x" * 80, "x" * 60 + "…"),
    ],
)
def test_a_title_is_the_first_line_cut_at_a_word(text: str, title: str) -> None:
    assert title_from(text) == title


@given(st.lists(st.tuples(st.sampled_from(["add", "choose"]), st.integers(0, 99)), max_size=40))
def test_any_tree_shows_a_path_from_a_root_to_a_leaf_and_keeps_all_messages(steps: list[tuple[str, int]]) -> None:
    c = new_conversation()
    for number, (what, pick) in enumerate(steps):
        known = [None, *(m.id for m in c.messages)]
        at = known[pick % len(known)]
        if what == "add":
            c = c.add(prompt(f"m{number}", at))
            assert c.path[-1].id == f"m{number}"
        elif at is not None:
            c = c.choose(at)
            assert at in ids(c)
    assert len(c.messages) == sum(what == "add" for what, _ in steps)
    parents = [m.parent for m in c.path]
    assert parents == [None, *ids(c)][: len(parents)]
    assert not c.path or not any(m.parent == c.path[-1].id for m in c.messages)
    for m in c.messages:
        assert c.version(m.id).ids[c.version(m.id).number - 1] == m.id
