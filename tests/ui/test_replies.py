"""A reply and its figures: why speculation did not run, one selection everywhere, the log line, token by token."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from draftlens.core.round import Source
from draftlens.ui.chat.prose import Prose
from draftlens.ui.chat.token_steps import spoken
from fakes import ScriptedEngine, step
from ui.asking import ROUNDS, Window, answered


def test_the_reason_why_speculation_did_not_run_stands_below_the_header(window: Window, qtbot: QtBot) -> None:
    reason = "this target’s cache cannot rewind"
    shown, bridge = window(ScriptedEngine(rounds=[step(0, "a", Source.PREFILL), step(1, " b")], note=reason))
    answered(shown, bridge, qtbot)
    assert shown.chat.transcript.turns[-1].note.text() == (
        "Speculation was on, but no verify round ran: this target’s cache cannot rewind."
    )
    assert shown.inspector.run.verdict.text() == "No verify round ran."
    assert shown.inspector.run.log.text == ""


def test_a_round_selected_in_one_place_is_selected_in_all(window: Window, qtbot: QtBot) -> None:
    shown, bridge = window(ScriptedEngine(rounds=ROUNDS))
    answered(shown, bridge, qtbot)
    inspector = shown.inspector
    qtbot.mouseClick(inspector.run.strip.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(13 + 5, 8))
    assert inspector.run.model.row_of(inspector.run.table.currentIndex()) == 1
    assert inspector.run.strip.accessibleDescription() == (
        "Round 1: 2 of 4 accepted, position 3 rejected, 1 untested, residual draw ,"
    )
    qtbot.keyClick(shown, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    assert inspector.run.model.row_of(inspector.run.table.currentIndex()) == 2
    qtbot.keyClick(inspector.run.table, Qt.Key.Key_Space)
    assert inspector.run.table.isExpanded(inspector.run.model.index(2, 0))


def test_the_log_line_is_copied_whole(window: Window, qtbot: QtBot) -> None:
    shown, bridge = window(ScriptedEngine(rounds=ROUNDS))
    answered(shown, bridge, qtbot)
    command = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
    qtbot.keyClick(shown, Qt.Key.Key_C, command)
    copied = QApplication.clipboard().text()
    assert "mean_accepted_len=1.5000" in copied
    assert "closed_form_sum_min=0.7500" in copied


def test_a_second_reply_starts_its_own_rounds(window: Window, qtbot: QtBot) -> None:
    shown, bridge = window(ScriptedEngine(rounds=ROUNDS))
    answered(shown, bridge, qtbot)
    answered(shown, bridge, qtbot)
    assert len(shown.chat.transcript.turns) == 2
    assert shown.inspector.run.model.rowCount() == 3


def test_alt_and_an_arrow_step_through_the_tokens_of_a_reply(window: Window, qtbot: QtBot) -> None:
    shown, bridge = window(ScriptedEngine(rounds=ROUNDS))
    answered(shown, bridge, qtbot)
    view = shown.chat.transcript.turns[-1]
    prose = view.body.parts[0]
    assert isinstance(prose, Prose)
    prose.setFocus()
    before = prose.grab().toImage()
    qtbot.keyClick(prose, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    last = bridge.turns[0].reply.pieces[-1]
    expected = spoken(last)
    assert expected.endswith(f"round {last.round}, position {last.index + 1}")
    assert prose.accessibleDescription() == expected
    assert prose.grab().toImage() != before
    qtbot.keyClick(prose, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert prose.accessibleDescription() == spoken(bridge.turns[0].reply.pieces[-2])
    qtbot.keyClick(prose, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    assert shown.chat.token_steps.words == expected
