"""Thinking and answer are told apart wherever the pieces are cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draftlens.render.thinking import ThinkingSplit, Voice, split

REPLIES = [
    ("<think>x</think>y", False, "x", "y"),
    ("\n<thinking>\nx\n</thinking>\n\n    y", False, "\nx\n", "    y"),
    ("x</think>y", True, "x", "y"),
    ("<think>\nx</think>y", True, "\nx", "y"),
    ("x</thinking>y", True, "x", "y"),
    ("never closed", True, "never closed", ""),
    ("<think>never closed </thin", False, "never closed </thin", ""),
    ("no thinking", False, "", "no thinking"),
    ("  <thin", False, "", "  <thin"),
    ("x</think>y", False, "", "x</think>y"),
    ("<think>a</thinking>b</think>c", False, "a</thinking>b", "c"),
    ("<think></think>\n\ny", False, "", "y"),
    ("<think>x</think>\n```\n</think>\n```", False, "x", "```\n</think>\n```"),
    ("Use `<think>` and </think>.", False, "", "Use `<think>` and </think>."),
    ("```\n<think>\n```", False, "", "```\n<think>\n```"),
    ("<think>x</think>a <think>b</think>", False, "x", "a <think>b</think>"),
]


@pytest.mark.parametrize(("reply", "opened", "thinking", "answer"), REPLIES)
def test_every_split_point_gives_the_same_thinking_and_answer(
    reply: str, opened: bool, thinking: str, answer: str
) -> None:
    assert split(reply, opened) == (thinking, answer)
    for first in range(len(reply) + 1):
        for second in range(first, len(reply) + 1):
            check(reply, opened, [reply[:first], reply[first:second], reply[second:]], thinking, answer)


def check(reply: str, opened: bool, pieces: list[str], thinking: str, answer: str) -> None:
    splitter = ThinkingSplit(opened)
    parts = [part for piece in pieces for part in splitter.add(piece)] + list(splitter.finish())
    assert "".join(part.text for part in parts if part.voice is Voice.THINKING) == thinking
    assert "".join(part.text for part in parts if part.voice is Voice.ANSWER) == answer
    assert all(reply[part.start : part.end] == part.text for part in parts)


@given(
    st.lists(st.sampled_from(["<think>", "</think>", "</thinking>", "a", "\n", " ", "<", "th"]), max_size=8),
    st.booleans(),
)
def test_character_by_character_is_the_same_as_at_once(words: list[str], opened: bool) -> None:
    reply = "".join(words)
    thinking, answer = split(reply, opened)
    check(reply, opened, list(reply), thinking, answer)


def test_thinking_is_shown_as_it_arrives() -> None:
    splitter = ThinkingSplit()
    splitter.add("<think>")
    assert [part.text for part in splitter.add("a b")] == ["a b"]
    assert splitter.opened
    assert not splitter.closed
    assert splitter.add("</thin") == ()
    (part,) = splitter.add("k>\n\nanswer")
    assert (part.voice, part.text, splitter.closed, splitter.answer_start) == (Voice.ANSWER, "answer", True, 20)
