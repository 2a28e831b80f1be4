"""The inspector's tabs follow one selection; records go out and in; a branch is a new version; all is said aloud."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QApplication, QLabel, QMenu
from pytestqt.qtbot import QtBot

from draftlens.bridge import figures
from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.core.round import Candidates, Round, Source
from draftlens.ui.main_window import MainWindow
from fakes import ScriptedEngine, step, verify_round

Window = Callable[..., tuple[MainWindow, EngineBridge]]

ROW = Candidates((7, 1, 2), (0.5, 0.3, 0.1), (0.2, 0.5, 0.1), (",", "x", " and"))
CUT = verify_round(1, [" by", " start"], ",", ["x", "y"])
ROUNDS = [
    step(0, "Sort", Source.PREFILL),
    replace(
        CUT,
        next_candidates=ROW,
        proposals=(*CUT.proposals[:2], replace(CUT.proposals[2], candidates=ROW), CUT.proposals[3]),
    ),
    verify_round(2, [" then"], " walk"),
]


def answered(window: Window, qtbot: QtBot, rounds: list[Round] | None = None) -> tuple[MainWindow, EngineBridge]:
    shown, bridge = window(ScriptedEngine(rounds=rounds or ROUNDS))
    bridge.send("Hi")
    qtbot.waitUntil(lambda: bool(bridge.turns) and not bridge.running and not bridge._figures_dirty)
    return shown, bridge


def test_strip_table_transcript_and_distribution_follow_one_selection(window: Window, qtbot: QtBot) -> None:
    shown, bridge = answered(window, qtbot)
    inspector, selection = shown.inspector, bridge.selection
    inspector.tabs.choose(1)
    assert inspector.distribution.empty.isVisible()
    shown.chat.transcript.turns[0].tokenAsked.emit(bridge.turns[0].reply.message, 1, 2)
    assert (selection.row, selection.slot) == (1, 2)
    assert inspector.distribution.title.text() == "Round 1, position 3 of 4"
    assert inspector.distribution.sentence.text().startswith("Rejected because u = 0.300 is")
    assert inspector.run.model.row_of(inspector.run.table.currentIndex()) == 1
    assert "Round 1" in inspector.run.strip.accessibleDescription()
    assert shown.chat.token_steps.popover.isVisible()
    assert shown.chat.token_steps.popover.sentence.text().endswith("The drafter offered x, which was rejected.")
    inspector.distribution.following.click()
    assert (selection.row, selection.slot) == (2, 0)
    assert not shown.chat.token_steps.popover.isVisible()
    assert inspector.distribution.sentence.text().startswith("Accepted because")
    inspector.run.strip.selected.emit(0)
    assert inspector.distribution.title.text() == "Round 0, first token"


def test_a_token_of_an_open_round_is_selected_in_the_table_and_shown_in_the_text(window: Window, qtbot: QtBot) -> None:
    shown, bridge = answered(window, qtbot)
    table, model = shown.inspector.run.table, shown.inspector.run.model
    bridge.selection.choose(1)
    table.toggle()
    table.setCurrentIndex(model.place(1, 1))
    assert (bridge.selection.row, bridge.selection.slot) == (1, 1)
    assert shown.chat.token_steps.words == "start, accepted, round 1, position 2"
    bridge.selection.choose(1, 3)
    assert model.slot_of(table.currentIndex()) == 3


def test_another_reply_is_shown_from_its_newest_rounds_in_strip_and_table(window: Window, qtbot: QtBot) -> None:
    engine = ScriptedEngine()
    shown, bridge = window(engine)
    for turn in (1, 2):
        engine.rounds = [verify_round(i, [" then"], " walk") for i in range(200)]
        bridge.send("Hi")
        qtbot.waitUntil(lambda: not bridge.running and not bridge._figures_dirty)
        assert len(bridge.turns) == turn
    strip, table = shown.inspector.run.strip.horizontalScrollBar(), shown.inspector.run.table.verticalScrollBar()
    strip.setValue(0)
    table.setValue(0)
    bridge.select(bridge.turns[0].reply.message)
    assert strip.value() == strip.maximum() > 0
    assert table.value() == table.maximum() > 0
    # Whatever the height, no row stands half under the headings.
    rows = shown.inspector.run.table
    for height in range(700, 722, 7):
        shown.resize(shown.width(), height)
        assert table.value() == table.maximum()
        assert rows.visualRect(rows.indexAt(QPoint(5, 0))).top() == 0


def test_escape_closes_the_card_and_stops_nothing(window: Window, qtbot: QtBot) -> None:
    shown, bridge = answered(window, qtbot)
    card = shown.chat.token_steps.popover
    shown.chat.transcript.setFocus()
    qtbot.keyClick(shown.chat.transcript, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert card.isVisible()
    assert QApplication.focusWidget() is shown.chat.transcript
    qtbot.keyClick(shown.chat.transcript, Qt.Key.Key_Escape)
    assert not card.isVisible()
    assert bridge.selection.row == 2


def test_a_reply_of_its_first_token_alone_counts_no_rounds(window: Window, qtbot: QtBot) -> None:
    shown, _ = answered(window, qtbot, ROUNDS[:1])
    assert shown.inspector.run.strip.visible_range() == ""
    assert shown.inspector.rule.rule.text() == "no verify round ran"


def test_a_screen_reader_finds_every_round_in_view_under_its_sentence(window: Window, qtbot: QtBot) -> None:
    QAccessible.setActive(True)
    try:
        shown, _ = answered(window, qtbot, [replace(verify_round(i, [" a"], "b"), index=i) for i in range(90)])
        strip = shown.inspector.run.strip
        for start in (40, 20):
            strip.horizontalScrollBar().setValue(13 * start)
        inside = QAccessible.queryAccessibleInterface(strip.viewport())
        found = [inside.child(i) for i in range(inside.childCount())]
        heard = {i.rect().x(): i.text(QAccessible.Text.Name) for i in found if not i.state().invisible}
    finally:
        QAccessible.setActive(False)
    assert f"{20}–{20 + len(heard) - 1} of 89" == strip.visible_range()
    assert [heard[x] for x in sorted(heard)] == [figures.round_sentence(r) for r in strip._rounds[20:][: len(heard)]]


def test_every_chart_has_a_sentence_and_a_table_that_says_the_same(window: Window, qtbot: QtBot) -> None:
    shown, bridge = answered(window, qtbot)
    inspector = shown.inspector
    for page in (1, 2):
        inspector.run.choice.choose(page)
    inspector.tabs.choose(1)
    bridge.selection.choose(1, 2)
    shown.commands.menus.actions["Charts as tables"].trigger()
    for twin in inspector.twins:
        assert twin.chart.accessibleDescription()
        assert twin.rows
        assert twin.chart.isHidden() and not twin.table.isHidden()
        assert twin.table.rowCount() == len(twin.rows)
    assert inspector.distribution.bars_twin.rows[0] == (",", "0.500", "0.200", "residual draw")
    assert inspector.run.blocks.positions.rows[0] == ("position 1", "2", "1.0000", "0.342–1.000")
    shown.commands.menus.actions["Charts as tables"].trigger()
    assert all(twin.table.isHidden() for twin in inspector.twins)


def test_the_log_tab_holds_the_lines_the_block_and_the_selected_round(window: Window, qtbot: QtBot) -> None:
    shown, bridge = answered(window, qtbot)
    log = shown.inspector.log
    shown.inspector.tabs.choose(2)
    assert log.lines.toPlainText().startswith("[Speculative acceptance] rule=stochastic rounds=2 ")
    assert '"draft_rounds": 2' in log.timings.toPlainText()
    bridge.selection.choose(1)
    log.copy.click()
    assert QApplication.clipboard().text() == log.round.toPlainText()
    assert '"index": 1' in log.round.toPlainText()


def test_a_reply_without_a_verify_round_has_no_draft_keys(window: Window, qtbot: QtBot) -> None:
    shown, _ = answered(window, qtbot, [step(0, "One", Source.PREFILL), step(1, " two")])
    shown.inspector.tabs.choose(2)
    assert "draft_n" not in shown.inspector.log.timings.toPlainText()
    assert shown.inspector.log.lines.toPlainText() == "No speculative round ran."


def test_an_earlier_run_of_the_chat_is_shown_from_the_log_tab(window: Window, qtbot: QtBot) -> None:
    shown, bridge = answered(window, qtbot)
    shown.inspector.tabs.choose(2)
    bridge.send("More")
    qtbot.waitUntil(lambda: len(bridge.turns) == 2 and not bridge.running)
    runs = shown.inspector.log.runs
    assert [runs.itemText(i)[:12] for i in range(runs.count())] == ["Reply 1 of 2", "Reply 2 of 2"]
    assert runs.currentIndex() == 1
    runs.activated.emit(0)
    assert bridge.reply is bridge.turns[0].reply
    assert runs.currentIndex() == 0
    assert runs.isVisible()
    bridge.new_chat()
    qtbot.waitUntil(lambda: not runs.isVisible())


def test_a_record_goes_out_and_comes_in_as_a_chat_with_the_same_figures(
    window: Window, qtbot: QtBot, tmp_path: Path
) -> None:
    shown, bridge = answered(window, qtbot)
    assert bridge.reply is not None
    before = bridge.reply
    path = tmp_path / "run.jsonl"
    # The scripted rounds say where they stand by their own count; a record must be consistent.
    position = 0
    for i, made in enumerate(before.rounds):
        before.rounds[i] = replace(made, position=position)
        position += len(made.emitted)
    shown.inspector_actions.export_to(path)
    assert bridge.problem is None
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace('"position": 2', '"position": 4'), encoding="utf-8")
    shown.inspector_actions.open_file(path)
    assert bridge.chat.conversation.title == "Run record: Hi"
    assert bridge.reply is not before and bridge.reply is not None
    assert bridge.reply.stats == before.stats
    assert shown.inspector.run.model.rowCount() == 3


def test_a_bad_record_is_said_and_nothing_is_opened(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    shown, bridge = answered(window, qtbot)
    chat, count = bridge.chat, len(bridge.archive.entries())
    path = tmp_path / "bad.jsonl"
    path.write_text('{"format": "draftlens-run", "version": 2}\n', encoding="utf-8")
    shown.inspector_actions.open_file(path)
    assert bridge.problem is not None
    assert bridge.problem.detail.startswith(
        "bad.jsonl cannot be opened: line 1, version is 2, and this Draftlens reads 1."
    )
    assert bridge.chat is chat
    assert len(bridge.archive.entries()) == count


def test_a_branch_is_a_new_version_that_keeps_the_tokens_before_it(window: Window, qtbot: QtBot) -> None:
    engine = ScriptedEngine(rounds=ROUNDS)
    shown, bridge = window(engine)
    bridge.send("Hi")
    qtbot.waitUntil(lambda: bool(bridge.turns) and not bridge.running)
    old = bridge.turns[0].reply
    bridge.selection.choose(1, 2)
    shown.inspector.tabs.choose(1)
    assert shown.inspector.distribution.branch.isEnabled()
    shown.inspector_actions.offer_branches()
    menu = shown.inspector.distribution.branch.findChildren(QMenu)[-1]
    assert [a.text() for a in menu.actions()] == ["x\tp 0.300", "·and\tp 0.100"]
    engine.rounds = [replace(step(2, " and", Source.FORCED), position=3), step(3, " more")]
    menu.actions()[1].trigger()
    qtbot.waitUntil(lambda: not bridge.running)
    asked = engine.requests[-1]
    assert (asked.written, asked.first_round, asked.forced) == (tuple(old.tokens[:3]), 2, 2)
    made = bridge.turns[0].reply
    assert made is not old
    assert made.text == "Sort by start and more"
    assert [p.source for p in made.pieces][-2:] == [Source.FORCED, Source.PLAIN]
    assert (made.stats.tested, made.stats.accepted) == (3, 2)
    bridge.archive.flush()
    stored = bridge.archive.runs(made.message)
    assert [len(run.rounds) for run in stored] == [4]
    assert str(bridge.chat.conversation.version(made.message)) == "2 of 2"


def test_a_run_of_twenty_thousand_rounds_is_shown_and_any_of_them_selected(window: Window, qtbot: QtBot) -> None:
    count = 20_000
    shown, bridge = answered(window, qtbot)
    reply = bridge.reply
    assert reply is not None
    made = verify_round(3, [" a"], "b", ["x"])
    for i in range(3, count):
        reply.add(replace(made, index=i, position=i))
    shown.inspector_actions.show_reply()
    qtbot.waitUntil(lambda: shown.inspector.run.model.rowCount() == count)
    bridge.selection.choose(count // 2)
    assert shown.inspector.run.strip.visible_range().endswith(f"of {count - 1:,}")
    assert shown.inspector.run.model.row_of(shown.inspector.run.table.currentIndex()) == count // 2


def test_a_reply_without_closed_forms_offers_to_turn_them_on(window: Window, qtbot: QtBot) -> None:
    bare = [replace(p, sum_min=None, sum_prod=None, expected=None) for p in CUT.proposals]
    shown, bridge = answered(window, qtbot, [ROUNDS[0], replace(CUT, proposals=tuple(bare))])
    bridge.next_reply.take(replace(bridge.next_reply.params, closed_forms=False))
    assert shown.inspector.run.verdict.text() == "Closed forms are off for this reply."
    shown.inspector.run.forms_on.click()
    assert bridge.next_reply.params.closed_forms
    assert shown.preferences.settings.closed_forms


def test_the_proof_is_shown_with_its_figures_and_can_be_stopped(window: Window, qtbot: QtBot) -> None:
    engine = ScriptedEngine(rounds=ROUNDS)
    shown, bridge = window(engine)
    shown.inspector.run.prove.click()
    actions = shown.inspector_actions
    dialog = actions._proof
    assert dialog is not None
    dialog.run.click()
    qtbot.waitUntil(lambda: not actions.proving.running)
    assert dialog.state.text().startswith("The emitted tokens follow the target’s distribution")
    assert dialog.own.text().startswith("rule=sampler-match: n = 400 tokens in 4 contexts, χ² = 8.0 ≤ 33.7")
    assert dialog.wrong.text().endswith("It was rejected, as it must be.")
    words = [label for label in dialog.findChildren(QLabel) if label.text()]
    qtbot.waitUntil(lambda: all(label.height() >= label.heightForWidth(label.width()) for label in words))
    engine.hold_prefill = True
    dialog.run.click()
    qtbot.waitUntil(lambda: actions.proving.done == 10)
    assert dialog.state.text() == "Trial 10 of 100"
    assert not bridge.send("Hi")
    dialog.stop.click()
    qtbot.waitUntil(lambda: not actions.proving.running)
    assert dialog.state.text() == "Stopped; nothing can be concluded."
    assert dialog.run.isEnabled()
