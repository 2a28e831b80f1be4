"""The round model shows what the rounds hold."""

from __future__ import annotations

import time

import pytest
from PySide6.QtCore import QModelIndex, Qt
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from draftlens.bridge.round_model import SHAPE_ROLE, RoundModel
from draftlens.core.round import Fate, Source
from fakes import step, verify_round

ROUNDS = [
    step(0, "Sort", Source.PREFILL),
    verify_round(1, [" with", "\n"], " joins", ["\tmerges", " touching"]),
    verify_round(2, [" a"], " b"),
]


def texts(model: RoundModel, row: int, parent: QModelIndex = QModelIndex()) -> list[str]:  # noqa: B008
    return [model.index(row, c, parent).data() for c in range(model.columnCount())]


@pytest.fixture
def model() -> RoundModel:
    shown = RoundModel()
    shown.show(ROUNDS)
    return shown


def test_it_keeps_qts_rules_for_models(model: RoundModel, qtmodeltester: ModelTester) -> None:
    qtmodeltester.check(model)


def test_a_row_holds_the_counts_and_times_of_its_round(model: RoundModel) -> None:
    assert texts(model, 1) == ["1", "4", "2", "3", "8.6", "21.1", "30.1"]


def test_a_round_without_proposals_has_dashes_not_zeros_where_nothing_was_measured(model: RoundModel) -> None:
    assert texts(model, 0) == ["0", "0", "–", "1", "–", "20.0", "20.2"]


def test_the_children_are_a_header_the_proposals_and_the_next_draw(model: RoundModel) -> None:
    parent = model.index(1, 0)
    rows = [texts(model, r, parent) for r in range(model.rowCount(parent))]
    assert rows == [
        ["", "token", "", "q(t)", "p(t)", "u", "decision"],
        ["", "·with", "", "0.500", "0.600", "0.300", "accepted"],
        ["", "⏎", "", "0.500", "0.600", "0.300", "accepted"],
        ["", "⇥merges", "", "0.500", "0.600", "0.300", "rejected"],
        ["", "·touching", "", "0.500", "–", "–", "untested"],
        ["", "·joins", "", "–", "0.318", "–", "residual draw"],
    ]


def test_each_token_carries_the_shape_of_its_fate(model: RoundModel) -> None:
    parent = model.index(1, 0)
    shapes = [model.index(r, 0, parent).data(SHAPE_ROLE) for r in range(1, model.rowCount(parent))]
    assert shapes == [Fate.ACCEPTED, Fate.ACCEPTED, Fate.REJECTED, Fate.UNTESTED, Source.RESIDUAL]


def test_a_fully_accepted_block_ends_with_a_bonus_draw(model: RoundModel) -> None:
    parent = model.index(2, 0)
    assert texts(model, model.rowCount(parent) - 1, parent)[6] == "bonus draw"


def test_every_round_is_told_in_words(model: RoundModel) -> None:
    told = [model.index(r, 0).data(Qt.ItemDataRole.AccessibleTextRole) for r in range(3)]
    assert told == [
        "Round 0: the first token, drawn after the prompt",
        "Round 1: 2 of 4 accepted, position 3 rejected, 1 untested, residual draw ·joins",
        "Round 2: 1 of 1 accepted, bonus draw ·b",
    ]


def test_new_rounds_are_appended_and_another_reply_starts_over(model: RoundModel, qtbot: QtBot) -> None:
    more = [*ROUNDS, verify_round(3, [], "x", ["y"])]
    with qtbot.waitSignal(model.rowsInserted), qtbot.assertNotEmitted(model.modelReset):
        model.show(more)
    with qtbot.waitSignal(model.modelReset):
        model.show([step(0, "Other", Source.PREFILL)])
    assert model.rowCount() == 1


def test_twenty_thousand_rounds_arrive_in_batches_without_slowing_down() -> None:
    rounds = [verify_round(i, ["a"], "b", ["c"]) for i in range(20_000)]
    model = RoundModel()
    start = time.perf_counter()
    for shown in range(50, len(rounds) + 1, 50):
        model.show(rounds[:shown])
    assert model.rowCount() == 20_000
    assert time.perf_counter() - start < 3
