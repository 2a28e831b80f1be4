"""Conversations in the window: kept, reopened, found, deleted with a way back, taken out and in."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QMessageBox
from pytestqt.qtbot import QtBot

from draftlens.bridge.archive import Archive
from draftlens.bridge.reply import Phase
from draftlens.core.chat import Status
from draftlens.core.errors import UserError
from draftlens.core.params import SamplingParams, SessionParams
from draftlens.store.opening import open_store
from draftlens.ui.chat.code_block import CodeBlock
from draftlens.ui.dialogs import exchange
from fakes import ScriptedEngine, step
from ui.asking import ROUNDS, Window, ask, titles


def test_a_chat_is_kept_and_opens_again_with_its_rounds(window: Window, qtbot: QtBot) -> None:
    shown, bridge = window(ScriptedEngine(rounds=ROUNDS))
    ask(shown, bridge, qtbot, "How to merge intervals?\nIn Python.")
    id = bridge.chat.id
    assert titles(shown) == ["How to merge intervals?"]
    bridge.new_chat()
    assert bridge.turns == []
    bridge._open.clear()
    assert bridge.open(id)
    assert [t.user for t in bridge.turns] == ["How to merge intervals?\nIn Python."]
    qtbot.waitUntil(lambda: shown.inspector.run.model.rowCount() == 3)
    view = shown.chat.transcript.turns[-1]
    assert view.text == "Sort by start, then walk"
    assert view.rule.text() == "rule=stochastic"
    assert view.status.whole.startswith("6 tokens in ")


def test_a_thought_the_template_opened_is_folded_when_read_back_as_when_it_was_written(
    window: Window, qtbot: QtBot
) -> None:
    # Stopped within the thought: nothing in the text itself says that it is one.
    engine = ScriptedEngine(rounds=[step(0, "Let me"), step(1, " see")], thinking=True)
    shown, bridge = window(engine)
    ask(shown, bridge, qtbot, "Hi")
    body = shown.chat.transcript.turns[-1].body
    assert body.fold.isVisible()
    assert [part.isHidden() for part in body.parts] == [True]
    id = bridge.chat.id
    bridge.new_chat()
    bridge._open.clear()
    assert bridge.open(id)
    again = shown.chat.transcript.turns[-1].body
    assert again is not body
    assert (again.fold.isVisible(), again.fold.text()) == (True, "Thought, show")
    assert [part.isHidden() for part in again.parts] == [True]


def test_a_reply_goes_on_while_another_chat_is_in_view(window: Window, qtbot: QtBot) -> None:
    engine = ScriptedEngine(rounds=ROUNDS, hold_after=2)
    shown, bridge = window(engine)
    shown.chat.composer.replace("First")
    shown.chat.send()
    qtbot.waitUntil(lambda: shown.chat.waiting is None)
    qtbot.waitUntil(engine.holding.is_set)
    first = bridge.chat.id
    bridge.new_chat()
    assert bridge.running
    assert shown.chat.composer.hint.whole == "Replying in “First”"
    assert not shown.chat.composer.send.isEnabled()
    assert [row.running for row in shown.shelf.rows() if row.id == first] == [True]
    bridge.stop()
    qtbot.waitUntil(lambda: not bridge.running)
    assert bridge.open(first)
    assert bridge.turns[0].reply.text == "Sort by start,"
    assert bridge.turns[0].reply.phase is Phase.STOPPED


def test_a_deleted_chat_can_be_brought_back_and_goes_for_good_only_once_that_is_said(
    window: Window, qtbot: QtBot
) -> None:
    shown, bridge = window(ScriptedEngine(rounds=ROUNDS))
    ask(shown, bridge, qtbot, "Keep me")
    id = bridge.chat.id
    shown.sidebar._delete(id, "Keep me")
    assert titles(shown) == []
    assert shown.sidebar.toast.isVisible()
    assert bridge.turns == []
    shown.sidebar.toast.undo.click()
    assert titles(shown) == ["Keep me"]
    assert bridge.chat.id == id
    shown.sidebar._delete(id, "Keep me")
    shown.sidebar.deleted.click()
    assert titles(shown) == ["Keep me"]
    menu = shown.sidebar.menu_for(id, "Keep me")
    assert [action.text() for action in menu.actions()] == ["Restore", "Delete for good"]
    menu.actions()[1].trigger()
    box = shown.sidebar.findChildren(QMessageBox)[-1]
    assert box.text() == "Delete “Keep me” for good?"
    qtbot.keyClick(box, Qt.Key.Key_Return)
    assert not box.isVisible()
    assert titles(shown) == ["Keep me"]
    menu.actions()[1].trigger()
    box = shown.sidebar.findChildren(QMessageBox)[-1]
    next(button for button in box.buttons() if button.text() == "Delete for good").click()
    assert not shown.shelf.has_deleted()


def test_a_title_is_renamed_in_place(window: Window, qtbot: QtBot) -> None:
    shown, bridge = window(ScriptedEngine(rounds=ROUNDS))
    ask(shown, bridge, qtbot, "Old title")
    shown.sidebar.list.renamed.emit(bridge.chat.id, "  New   title ")
    assert titles(shown) == ["New title"]


def test_the_search_finds_words_of_a_reply(window: Window, qtbot: QtBot) -> None:
    shown, bridge = window(ScriptedEngine(rounds=ROUNDS))
    ask(shown, bridge, qtbot, "One")
    bridge.new_chat()
    ask(shown, bridge, qtbot, "Two")
    shown.sidebar.search.setText("two")
    qtbot.waitUntil(lambda: titles(shown) == ["Two"])
    shown.sidebar.search.setText("walk")
    qtbot.waitUntil(lambda: sorted(titles(shown)) == ["One", "Two"])
    shown.sidebar.search.setText("nowhere")
    qtbot.waitUntil(lambda: shown.sidebar.empty.text() == "No chat holds “nowhere”.")
    shown.sidebar.search.clear()
    qtbot.waitUntil(lambda: len(titles(shown)) == 2)


def test_escape_empties_the_search_then_leaves_it_and_closes_find_while_a_reply_goes_on(
    window: Window, qtbot: QtBot
) -> None:
    engine = ScriptedEngine(rounds=ROUNDS, hold_after=2)
    shown, bridge = window(engine)
    bridge.send("Hi")
    qtbot.waitUntil(engine.holding.is_set)
    search, find = shown.sidebar.search, shown.chat.find_bar
    shown.sidebar.focus_search()
    search.setText("hi")
    qtbot.keyClick(search, Qt.Key.Key_Escape)
    assert search.text() == ""
    qtbot.keyClick(search, Qt.Key.Key_Escape)
    assert shown.focusWidget() is shown.chat.composer.edit
    find.begin()
    qtbot.keyClick(find.field, Qt.Key.Key_Escape)
    assert find.isHidden()
    assert bridge.running
    qtbot.keyClick(shown.chat.composer.edit, Qt.Key.Key_Escape)
    qtbot.waitUntil(lambda: not bridge.running)


def test_a_chat_has_its_own_system_prompt_and_parameters(window: Window, qtbot: QtBot) -> None:
    engine = ScriptedEngine(rounds=ROUNDS)
    shown, bridge = window(engine)
    bridge.set_system("Be brief.")
    bridge.next_reply.set_temperature(0.2)
    ask(shown, bridge, qtbot, "Hi")
    assert engine.requests[-1].messages[0] == ("system", "Be brief.")
    id = bridge.chat.id
    bridge.new_chat()
    assert bridge.next_reply.params.sampling.temperature == SamplingParams().temperature
    bridge._open.clear()
    bridge.open(id)
    assert bridge.next_reply.params.sampling.temperature == 0.2
    assert bridge.chat.conversation.system_prompt == "Be brief."
    bridge.reset_params()
    assert bridge.next_reply.params == SessionParams()


def test_a_chat_goes_out_as_json_and_comes_in_again_whole(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    shown, bridge = window(ScriptedEngine(rounds=ROUNDS))
    ask(shown, bridge, qtbot, "Hi")
    exchange.write(bridge.archive, bridge.chat.id, tmp_path / "chat.json", as_json=True)
    exchange.write(bridge.archive, bridge.chat.id, tmp_path / "chat.md", as_json=False)
    assert "Sort by start, then walk" in (tmp_path / "chat.md").read_text()
    copy = exchange.take(bridge.archive, tmp_path / "chat.json")
    bridge.open(copy)
    assert bridge.turns[0].reply.text == "Sort by start, then walk"
    assert len(bridge.turns[0].reply.rounds) == 3


def test_a_failed_reply_is_kept_with_its_reason(window: Window, qtbot: QtBot) -> None:
    engine = ScriptedEngine(error=None, rounds=ROUNDS)
    shown, bridge = window(engine)
    engine.error = UserError("A row allows no token.")
    ask(shown, bridge, qtbot, "Hi")
    id = bridge.chat.id
    bridge.new_chat()
    bridge._open.clear()
    bridge.open(id)
    last = bridge.chat.last
    assert last is not None and last.status is Status.FAILED
    assert shown.chat.transcript.turns[-1].note.text() == "A row allows no token."


def test_closing_keeps_what_a_running_reply_has(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    engine = ScriptedEngine(rounds=ROUNDS, hold_after=2)
    shown, bridge = window(engine)
    shown.chat.composer.replace("Hi")
    shown.chat.send()
    qtbot.waitUntil(lambda: shown.chat.waiting is None)
    qtbot.waitUntil(lambda: bridge.reply is not None and len(bridge.reply.rounds) == 2)
    id = bridge.chat.id
    shown.close()
    assert bridge.join(3)
    assert bridge.archive.db is not None and bridge.archive.db.close()
    again = open_store(tmp_path / "store")
    found = Archive(again.database).load(id)
    assert found is not None
    assert found.path[-1].content == "Sort by start,"
    assert found.path[-1].status is Status.INTERRUPTED
    assert found.path[-1].can_continue
    again.database.close()


def test_code_and_messages_are_copied_byte_for_byte(window: Window, qtbot: QtBot) -> None:
    code = "if x:\n\tpass\u00a0 \n\n    end  \n"
    pieces = ["Do:\n\n", "```python\n", *code.splitlines(keepends=True), "```\n", "Done."]
    shown, bridge = window(ScriptedEngine(rounds=[step(i, text) for i, text in enumerate(pieces)]))
    ask(shown, bridge, qtbot, "Hi")
    view = shown.chat.transcript.turns[-1]
    block = view.body.parts[1]
    assert isinstance(block, CodeBlock)
    block.copy.click()
    assert QApplication.clipboard().text() == code
    view.copy.click()
    assert QApplication.clipboard().text() == "".join(pieces)
