"""The window does what it shows: it starts, sends, streams, stops, switches and closes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QInputMethodEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QTextEdit,
)
from pytestqt.qtbot import QtBot

from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.bridge.state import State
from draftlens.core.errors import UserError
from draftlens.core.params import SessionParams
from draftlens.core.round import FinishReason, Source
from draftlens.ui.chat.prose import Prose
from draftlens.ui.chat.token_steps import spoken
from draftlens.ui.main_window import MainWindow
from fakes import ScriptedEngine, step, verify_round

Window = Callable[..., tuple[MainWindow, EngineBridge]]

ROUNDS = [
    step(0, "Sort", Source.PREFILL),
    verify_round(1, [" by", " start"], ",", ["x", "y"]),
    verify_round(2, [" then"], " walk"),
]


def send(shown: MainWindow, qtbot: QtBot, text: str) -> None:
    qtbot.keyClicks(shown.chat.composer.edit, text)
    qtbot.keyClick(shown.chat.composer.edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: shown.chat.waiting is None)


def answered(shown: MainWindow, bridge: EngineBridge, qtbot: QtBot) -> None:
    send(shown, qtbot, "Hi")
    qtbot.waitUntil(lambda: bool(bridge.turns) and not bridge.running and not bridge._figures_dirty)


def test_without_a_model_only_ways_to_begin_are_shown(window: Window) -> None:
    shown, _ = window(ScriptedEngine(), load=False)
    assert shown.pages.currentWidget() is shown.first_run
    buttons = [b for b in shown.findChildren(QAbstractButton) if b.isVisible()]
    assert {b.accessibleName() or b.text() for b in buttons} == {
        "Start the demo pair",
        "Choose…",
        "Target: No model loaded",
        "New chat",
        "Hide the sidebar",
        "Settings",
        "Search chats",
        "Compare rules",
        "Models",
        "Open Discover",
    }


def test_in_a_small_window_the_ways_to_begin_scroll_and_no_word_is_cut(window: Window, qtbot: QtBot) -> None:
    shown, _ = window(ScriptedEngine(), load=False)
    shown.setMinimumHeight(0)
    shown.resize(1040, 400)
    first = shown.first_run
    qtbot.waitUntil(lambda: first.cards.verticalScrollBar().maximum() > 0)
    words = [label for label in first.findChildren(QLabel) if label.wordWrap()]
    assert len(words) == 4
    assert all(label.height() >= label.heightForWidth(label.width()) for label in words)


def test_the_demo_button_leads_to_a_chat(window: Window, qtbot: QtBot) -> None:
    shown, bridge = window(ScriptedEngine(), load=False)
    qtbot.mouseClick(shown.first_run.demo, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bridge.state is State.READY)
    assert shown.pages.currentWidget() is shown.splitter
    assert shown.toolbar.target.value == "demo-target"
    assert shown.chat.composer.edit.isEnabled()


def test_a_failed_first_load_leads_back_with_its_reason(window: Window, qtbot: QtBot) -> None:
    shown, bridge = window(ScriptedEngine(error=UserError("No space.", "Free 300 MB.")), load=False)
    qtbot.mouseClick(shown.first_run.demo, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bridge.problem is not None)
    assert shown.pages.currentWidget() is shown.first_run
    assert shown.banner.isVisible()
    assert shown.banner.detail.text() == "No space. Free 300 MB."
    qtbot.mouseClick(shown.banner.close_button, Qt.MouseButton.LeftButton)
    assert not shown.banner.isVisible()


def test_return_sends_and_the_reply_streams_with_its_rounds_beside_it(window: Window, qtbot: QtBot) -> None:
    shown, bridge = window(ScriptedEngine(rounds=ROUNDS))
    answered(shown, bridge, qtbot)
    view = shown.chat.transcript.turns[-1]
    assert view.text == "Sort by start, then walk"
    assert shown.inspector.run.model.rowCount() == 3
    assert view.rule.text() == "rule=stochastic"
    assert view.status.whole.startswith("6 tokens in ")
    assert shown.inspector.run.log.text.startswith("[Speculative acceptance] rule=stochastic rounds=2 proposed=5 ")
    assert shown.chat.composer.text == ""


def test_shift_return_breaks_the_line(window: Window, qtbot: QtBot) -> None:
    shown, bridge = window(ScriptedEngine())
    qtbot.keyClicks(shown.chat.composer.edit, "a")
    qtbot.keyClick(shown.chat.composer.edit, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    qtbot.keyClicks(shown.chat.composer.edit, "b")
    assert shown.chat.composer.text == "a\nb"
    assert bridge.turns == []


def test_return_that_confirms_an_input_method_candidate_sends_nothing(window: Window, qtbot: QtBot) -> None:
    shown, bridge = window(ScriptedEngine(rounds=ROUNDS))
    edit = shown.chat.composer.edit
    qtbot.keyClicks(edit, "kon")
    QApplication.sendEvent(edit, QInputMethodEvent("にち", []))
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    assert bridge.turns == []
    done = QInputMethodEvent("", [])
    done.setCommitString("日")
    QApplication.sendEvent(edit, done)
    qtbot.keyClick(edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: shown.chat.waiting is None)
    assert bridge.turns[0].user == "kon日"


def test_an_empty_prompt_is_not_sent(window: Window, qtbot: QtBot) -> None:
    shown, bridge = window(ScriptedEngine())
    send(shown, qtbot, "  ")
    assert bridge.turns == []
    assert not shown.chat.composer.send.isEnabled()


def test_stop_works_while_the_prompt_is_read(window: Window, qtbot: QtBot) -> None:
    shown, bridge = window(ScriptedEngine(hold_prefill=True))
    send(shown, qtbot, "Hi")
    qtbot.waitUntil(lambda: bool(shown.chat.transcript.turns))
    view = shown.chat.transcript.turns[-1]
    qtbot.waitUntil(lambda: view.status.whole == "Reading prompt 5 / 20")
    inspector = shown.inspector
    assert inspector.rule.rule.text() == "no verify round yet"
    assert inspector.run.verdict.text() == "The prompt is being read; its rounds are measured here."
    qtbot.mouseClick(shown.chat.composer.stop, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bridge.state is State.STOPPED)
    assert view.badge.text() == "stopped"


def test_escape_stops_a_streaming_reply_and_keeps_its_text(window: Window, qtbot: QtBot) -> None:
    shown, bridge = window(ScriptedEngine(rounds=ROUNDS, hold_after=2))
    send(shown, qtbot, "Hi")
    view = shown.chat.transcript.turns[-1]
    qtbot.waitUntil(lambda: view.text == "Sort by start,")
    assert shown.chat.composer.stop.isEnabled()
    qtbot.keyClick(shown, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: bridge.state is State.STOPPED)
    assert bridge.reply is not None and bridge.reply.finish is FinishReason.STOPPED
    assert view.text == "Sort by start,"
    qtbot.waitUntil(lambda: shown.inspector.run.tested.text() == "n = 3 tested, stopped early")
    assert not shown.chat.composer.stop.isEnabled()


def test_a_prompt_that_came_to_nothing_goes_back_into_the_editor(window: Window, qtbot: QtBot) -> None:
    engine = ScriptedEngine()
    shown, bridge = window(engine)
    engine.error = UserError("The prompt takes 10,000 tokens; the context holds 8,192.", "Shorten it.")
    send(shown, qtbot, "long")
    qtbot.waitUntil(lambda: bridge.state is State.FAILED)
    assert shown.chat.composer.text == "long"
    assert shown.banner.detail.text().endswith("Shorten it.")
    engine.error = None
    qtbot.keyClick(shown.chat.composer.edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: shown.chat.waiting is None)
    qtbot.waitUntil(lambda: not bridge.running)
    assert shown.chat.composer.text == ""


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


def test_the_inspector_gives_way_in_a_narrow_window_unless_asked_for(window: Window, qtbot: QtBot) -> None:
    shown, _ = window(ScriptedEngine())
    shown.resize(1440, 900)
    qtbot.waitUntil(shown.inspector.isVisible)
    shown.resize(1040, 680)
    qtbot.waitUntil(lambda: not shown.inspector.isVisible())
    command = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    qtbot.keyClick(shown, Qt.Key.Key_I, command)
    assert shown.inspector.isVisible()


@pytest.mark.parametrize("where", ["load", "prefill", "stream"])
def test_closing_the_window_in_the_middle_ends_the_engine(window: Window, qtbot: QtBot, where: str) -> None:
    engine = ScriptedEngine(
        rounds=ROUNDS,
        hold_load=where == "load",
        hold_prefill=where == "prefill",
        hold_after=1 if where == "stream" else None,
    )
    shown, bridge = window(engine, load=where != "load")
    if where == "load":
        shown.start_demo()
    else:
        send(shown, qtbot, "Hi")
    qtbot.waitUntil(engine.holding.is_set)
    shown.close()
    assert bridge.join(3)
    assert engine.closed.is_set()


def test_the_sizes_of_the_panes_are_kept(window: Window, tmp_path: Path, qtbot: QtBot) -> None:
    other, bridge = window(ScriptedEngine())
    before = MainWindow(other._theme, bridge, tmp_path / "window.ini")
    qtbot.addWidget(before)
    before.show()
    before.toggle_sidebar()
    before.toolbar.inspector.setChecked(True)
    before.panes.restore_sizes()
    before.splitter.setSizes([560, 470])
    assert before.splitter.sizes()[1] == 470
    before.close()
    after = MainWindow(other._theme, bridge, tmp_path / "window.ini")
    qtbot.addWidget(after)
    after.show()
    after.toggle_sidebar()
    after.toolbar.inspector.setChecked(True)
    qtbot.waitUntil(lambda: after.splitter.sizes()[1] == 470)


def test_everything_that_can_be_operated_has_a_name(window: Window, qtbot: QtBot) -> None:
    shown, bridge = window(ScriptedEngine(rounds=ROUNDS))
    answered(shown, bridge, qtbot)
    kinds = (QAbstractButton, QPlainTextEdit, QTextEdit, QLineEdit, QAbstractItemView)
    nameless = [
        widget
        for kind in kinds
        for widget in shown.findChildren(kind)
        if widget.isVisible()
        and not widget.objectName().startswith("qt_")
        and not widget.accessibleName()
        and not getattr(widget, "text", str)()
    ]
    assert nameless == []
    for painted in (shown.inspector.run.gauge, shown.inspector.run.strip):
        assert painted.accessibleDescription()


def test_a_prompt_given_at_the_start_is_sent_once_a_model_is_ready(window: Window, qtbot: QtBot) -> None:
    first, bridge = window(ScriptedEngine(rounds=ROUNDS), load=False, params=SessionParams(seed=3))
    shown = MainWindow(first._theme, bridge, first_prompt="Say it")
    qtbot.addWidget(shown)
    bridge.load(None)
    qtbot.waitUntil(lambda: bool(bridge.turns) and not bridge.running)
    assert [turn.user for turn in bridge.turns] == ["Say it"]


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
