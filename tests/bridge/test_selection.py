"""One selection: rounds and tokens are stepped through in order, and each token knows its place in the text."""

from __future__ import annotations

import pytest

from draftlens.bridge.reply import Reply
from draftlens.bridge.selection import Selection
from draftlens.core.params import SessionParams
from draftlens.core.round import Source
from fakes import step, verify_round

ROUNDS = [
    step(0, "Sort", Source.PREFILL),
    verify_round(1, [" by", " start"], ",", ["x", "y"]),
    verify_round(2, [" then"], " walk"),
]


@pytest.fixture
def selection() -> Selection:
    reply = Reply(1, SessionParams(), "model")
    for round_ in ROUNDS:
        reply.add(round_)
    made = Selection()
    made.show(reply)
    return made


def places(selection: Selection, by: int) -> list[tuple[int, int]]:
    seen: list[tuple[int, int]] = []
    while not seen or seen[-1] != (selection.row, selection.slot):
        seen.append((selection.row, selection.slot))
        selection.step_token(by)
    return seen


TOKENS = [(0, 0), (1, 0), (1, 1), (1, 2), (2, 0), (2, 1)]


def test_tokens_are_stepped_through_in_the_order_of_the_text_both_ways(selection: Selection) -> None:
    assert places(selection, 1)[1:] == TOKENS
    assert places(selection, -1) == TOKENS[::-1]


def test_a_round_is_selected_where_its_chain_ended_and_keeps_its_place_when_asked_again(selection: Selection) -> None:
    selection.choose(1)
    assert (selection.row, selection.slot) == (1, 2)
    selection.choose(1, 0)
    selection.choose(1)
    assert (selection.row, selection.slot) == (1, 0)
    selection.choose(2)
    assert (selection.row, selection.slot) == (2, 1)


def test_from_an_untested_draft_back_is_the_rounds_last_token_and_on_is_the_next_round(selection: Selection) -> None:
    selection.choose(1, 3)
    assert selection.piece() == -1
    selection.step_token(1)
    assert (selection.row, selection.slot) == (2, 0)
    selection.choose(1, 3)
    selection.step_token(-1)
    assert (selection.row, selection.slot) == (1, 2)


def test_the_selected_token_is_found_in_the_text(selection: Selection) -> None:
    assert selection.reply is not None
    texts = []
    for row, slot in TOKENS:
        selection.choose(row, slot)
        texts.append(selection.reply.pieces[selection.piece()].text)
    assert texts == ["Sort", " by", " start", ",", " then", " walk"]


def test_another_reply_has_nothing_selected_and_rows_that_are_not_there_are_ignored(selection: Selection) -> None:
    selection.choose(1)
    selection.choose(9)
    assert selection.row == 1
    selection.show(Reply(2, SessionParams(), "model"))
    assert selection.round is None
    selection.step_token(1)
    selection.step_round(-1)
    assert selection.row == -1
