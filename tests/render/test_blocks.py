"""However a text is cut into pieces, its blocks are the same; finished ones never change; an update costs the same."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draftlens.render.blocks import LIMIT, BlockStream, blocks_of
from draftlens.render.document import Block, Kind
from draftlens.render.tree import blocks
from render.texts import SHAPES, long_text, markdown

pieces = st.lists(st.integers(0, 400), max_size=12)


def streamed(text: str, cuts: list[int], limit: int = LIMIT) -> list[Block]:
    stream = BlockStream(limit=limit)
    places = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    for start, end in pairwise(places):
        before = list(stream.frozen)
        made = stream.feed(text[start:end])
        assert stream.frozen == [*before, *made]
        assert all(block.start >= (stream.frozen[-1].end if stream.frozen else 0) for block in stream.tail)
    stream.finish()
    assert stream.tail == ()
    return stream.frozen


@given(markdown, pieces)
@settings(max_examples=200, deadline=None)
def test_any_chunking_gives_the_blocks_of_the_whole_text(text: str, cuts: list[int]) -> None:
    assert streamed(text, cuts) == blocks(text)


@given(markdown, pieces, st.integers(8, 60))
@settings(max_examples=200, deadline=None)
def test_blocks_cut_for_their_length_depend_on_the_text_alone(text: str, cuts: list[int], limit: int) -> None:
    assert streamed(text, cuts, limit) == streamed(text, [], limit) == streamed(text, list(range(len(text))), limit)


def test_an_open_fence_is_plain_code_until_it_closes() -> None:
    stream = BlockStream()
    stream.feed("Look:\n\n```py\nx = 1\n")
    assert [(block.kind, block.content, block.closed) for block in stream.tail] == [(Kind.CODE, "x = 1\n", False)]
    stream.feed("y = 2\n``")
    assert stream.tail[0].content == "x = 1\ny = 2\n"
    (fence,) = stream.feed("`\n")
    assert (fence.content, fence.closed, stream.tail) == ("x = 1\ny = 2\n", True, ())


def test_an_unclosed_fence_does_not_swallow_what_was_before_it() -> None:
    text, fence = blocks_of("before\n```\ncode")
    assert (text.text, fence.text, fence.closed) == ("before", "code", False)


def test_the_tail_shows_an_unfinished_line() -> None:
    stream = BlockStream()
    stream.feed("# Title\nwords on the")
    assert [block.text for block in (*stream.frozen, *stream.tail)] == ["Title", "words on the"]


def test_a_long_item_goes_on_as_an_item() -> None:
    source = "1. one\n" + "".join(f"   - sub {i}\n     more\n" for i in range(12)) + "2. two\n"
    stream = BlockStream(limit=80)
    stream.feed(source)
    stream.finish()
    assert [block.kind for block in stream.frozen] == [Kind.ITEM] * len(stream.frozen)
    assert [block.number for block in stream.frozen if not block.continues] == [1, 2]
    assert Kind.CODE not in {child.kind for block in stream.frozen for child in block.children}


def test_a_word_of_200_000_characters_is_cut_into_blocks_that_continue() -> None:
    stream = BlockStream()
    stream.feed("x" * 200_000)
    stream.finish()
    assert "".join(block.text for block in stream.frozen) == "x" * 200_000
    assert all(block.continues for block in stream.frozen[1:])


@pytest.mark.parametrize("shape", SHAPES)
def test_an_update_parses_no_more_at_the_end_of_a_long_reply_than_at_its_beginning(shape: str) -> None:
    limit = LIMIT // 5
    text = long_text(shape, 12_000)
    stream = BlockStream(limit=limit)
    parsed = []
    for start in range(0, len(text), 12):
        before = stream.parsed
        stream.feed(text[start : start + 12])
        assert all(block.end >= block.start for block in stream.tail)
        parsed.append(stream.parsed - before)
    tenth = len(parsed) // 10
    # A block that fills the whole text is at its shortest in the first tenth: it may reach the limit, and no more.
    assert sum(parsed[-tenth:]) <= 1.5 * max(sum(parsed[:tenth]), tenth * limit)
    assert max(parsed) <= 4 * limit


def test_a_table_behind_blank_lines_takes_its_rows() -> None:
    stream = BlockStream()
    for piece in ("\n\n| a | b |\n|---|---|\n", "| 1 | 2 |\n", "3\n"):
        stream.feed(piece)
    assert [len(block.rows) for block in stream.tail] == [3]


def test_a_fence_that_its_item_ended_does_not_keep_later_blocks_whole() -> None:
    source = "- ```\n1. first\n" + "   words\n" * 9
    assert streamed(source, [], 20) == streamed(source, list(range(len(source))), 20)
    assert len(streamed(source, [], 20)) > 2
