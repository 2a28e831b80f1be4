"""Tokens to text: the pieces joined are the decoded reply, whatever the cuts between tokens."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draftlens.engine.detokenize import StopText, TokenText
from draftlens.engine.target import Target
from engine.toys import Adversary, run, toy
from engine.toys import Table as ToyTable

UNFINISHED = "\ufffd"


def from_bytes(ids: Sequence[int]) -> str:
    """A tokenizer with one token a byte: every multi-byte character is cut."""
    return bytes(ids).decode(errors="replace")


def pieces(text: bytes) -> list[str]:
    stream = TokenText(from_bytes)
    out = [stream.push(b) for b in text]
    return [*out, stream.finish()]


@pytest.mark.parametrize("text", ["日本語 😀 नमस्ते", "    def f():\n\treturn 1", "é", "e\u0301o\u0308", "ภาษาไทย", ""])
def test_bytes_one_a_token_are_never_shown_half_and_join_to_the_text(text: str) -> None:
    made = pieces(text.encode())
    assert "".join(made) == text
    assert UNFINISHED not in "".join(made)
    assert made[-1] == ""


def test_each_character_belongs_to_the_token_that_ends_it() -> None:
    assert pieces("a😀b".encode()) == ["a", "", "", "", "😀", "b", ""]


def test_a_combining_mark_is_sent_alone_and_nothing_is_sent_twice() -> None:
    parts = ["e", "\u0301", "x"]
    stream = TokenText(lambda ids: "".join(parts[i] for i in ids))
    assert [stream.push(i) for i in range(3)] == parts


def test_leading_spaces_of_a_reply_are_kept() -> None:
    parts = ["   ", " def", " f"]
    stream = TokenText(lambda ids: "".join(parts[i] for i in ids))
    assert "".join(stream.push(i) for i in range(3)) == "    def f"


def test_a_reply_that_ends_inside_a_character_shows_the_sign_once_at_the_end() -> None:
    made = pieces("ab😀".encode()[:-1])
    assert "".join(made[:-1]) == "ab"
    assert made[-1] == UNFINISHED


def test_bytes_that_are_no_character_do_not_hold_back_the_rest_for_ever() -> None:
    assert "".join(pieces(b"a\xff\xfeb\xe3\x81\x82")) == b"a\xff\xfeb\xe3\x81\x82".decode(errors="replace")


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.text(max_size=12), st.binary(max_size=4))
def test_the_pieces_always_join_to_the_decoded_whole(text: str, rest: bytes) -> None:
    whole = text.encode() + rest
    assert "".join(pieces(whole)) == whole.decode(errors="replace")


def test_a_session_cut_in_mid_emoji_gives_the_sign_to_its_last_token() -> None:
    emoji = "😀".encode()
    text = [*b"a", *emoji, *emoji]
    rows = [[8.0 * (x == 0) for x in range(256)] for _ in range(256)]
    for now, following in itertools.pairwise(text):
        rows[now] = [8.0 * (x == following) for x in range(256)]
    reply = run(Target(toy(ToyTable(rows), 256)), None, [*b"a"], max_tokens=6, decode=from_bytes)
    assert reply.text == "😀" + UNFINISHED
    emitted = [e.text for r in reply.rounds for e in r.emitted]
    assert emitted == ["", "", "", "😀", "", UNFINISHED]


STOPS = st.lists(st.text("ab", min_size=1, max_size=3), min_size=1, max_size=2)


def shown(parts: Sequence[str], stops: Sequence[str]) -> tuple[list[str], str, str | None]:
    stop = StopText(stops)
    out = [stop.push(p) for p in parts]
    return out, stop.finish(), stop.found


def test_a_tail_that_may_begin_a_stop_is_held_back_and_released_if_it_does_not() -> None:
    assert shown(["x</", "s>", "EN", "D", "y"], ["</s>END"]) == (["x", "", "", "", ""], "", "</s>END")
    assert shown(["x</", "s>", "no"], ["</s>END"]) == (["x", "", "</s>no"], "", None)
    assert shown(["x</", "s>"], ["</s>END"]) == (["x", ""], "</s>", None)


def test_the_first_complete_stop_in_the_text_cuts_it() -> None:
    assert shown(["one two"], ["two", "one t"]) == ([""], "", "one t")
    assert shown(["a", "b"], ["", "b"]) == (["a", ""], "", "b")


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(st.text("ab", max_size=3), max_size=8), STOPS)
def test_what_is_shown_is_the_text_before_the_first_stop_however_it_is_cut(parts: list[str], stops: list[str]) -> None:
    out, tail, found = shown(parts, stops)
    whole = "".join(parts)
    # The stop that completes first, as tokens arrive, is the one that ends the reply.
    joined = ""
    for part in parts:
        joined += part
        places = [i for s in stops if (i := joined.find(s)) >= 0]
        if places:
            assert "".join(out) + tail == joined[: min(places)]
            assert found in stops
            return
    assert "".join(out) + tail == whole
    assert found is None


@pytest.mark.parametrize("k", [1, 3, 7])
def test_text_is_the_same_however_the_reply_is_cut_into_rounds(k: int) -> None:
    message = list("añ日😀z".encode())
    rows = [[8.0 * (x == 0) for x in range(256)] for _ in range(256)]
    order = dict(itertools.pairwise(message))
    assert len(order) == len(message) - 1
    for now, following in order.items():
        rows[now] = [8.0 * (x == following) for x in range(256)]
    drafter = Adversary(message[1:], 256, rate=0.3, seed=k)
    reply = run(Target(toy(ToyTable(rows), 256)), drafter, message[:1], k=k, max_tokens=len(message) - 1,
                decode=from_bytes)  # fmt: skip
    assert reply.text == "ñ日😀z"
