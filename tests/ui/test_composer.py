"""What is typed is counted, kept in its chat, sent with its files, and refused where it does not fit."""

from __future__ import annotations

from pathlib import Path

from pytestqt.qtbot import QtBot

from draftlens.core.chat import Attachment
from draftlens.ui.main_window import MainWindow
from fakes import ScriptedEngine, step
from ui.asking import ROUNDS, Window, ask


def test_unsent_text_waits_in_its_chat(window: Window, qtbot: QtBot) -> None:
    shown, bridge = window(ScriptedEngine(rounds=ROUNDS))
    ask(shown, bridge, qtbot, "First")
    first = bridge.chat.id
    shown.chat.composer.replace("half a thought", (Attachment("a.txt", "text"),))
    bridge.new_chat()
    assert shown.chat.composer.text == ""
    shown.chat.composer.replace("another")
    bridge.open(first)
    assert shown.chat.composer.text == "half a thought"
    assert [file.name for file in shown.chat.composer.files] == ["a.txt"]
    bridge.new_chat()
    assert shown.chat.composer.text == "another"


def test_attachments_go_with_the_prompt(window: Window, qtbot: QtBot, tmp_path: Path) -> None:
    engine = ScriptedEngine(rounds=ROUNDS)
    shown, bridge = window(engine)
    (tmp_path / "notes.txt").write_text("alpha\n")
    (tmp_path / "picture.bin").write_bytes(b"\xff\xfe\x00")
    shown.chat.composer.attach_files([tmp_path / "notes.txt", tmp_path / "picture.bin"])
    assert bridge.problem is not None and bridge.problem.title.startswith("picture.bin cannot be attached")
    ask_text = "Read it"
    shown.chat.composer.edit.setPlainText(ask_text)
    shown.chat.send()
    qtbot.waitUntil(lambda: shown.chat.waiting is None)
    qtbot.waitUntil(lambda: not bridge.running)
    assert engine.requests[-1].messages == (("user", "notes.txt:\n```\nalpha\n\n```\n\nRead it"),)
    assert shown.chat.transcript.prompts[-1].files.text() == "Attached: notes.txt (6 characters)"


def test_the_meter_counts_what_is_typed_and_an_overlong_prompt_stays(window: Window, qtbot: QtBot) -> None:
    shown, bridge = window(ScriptedEngine(rounds=ROUNDS))
    composer = shown.chat.composer
    composer.replace("one two three")
    qtbot.waitUntil(lambda: composer.meter.tokens == 3)
    assert composer.meter.text == "3 / 8,192"
    composer.replace("word " * 9000)
    # At once: the prompt waits for its count, whether typing has rested or not.
    shown.chat.send()
    qtbot.waitUntil(lambda: shown.chat.waiting is None)
    assert bridge.turns == []
    assert composer.text.startswith("word word")
    assert composer.meter.color == "rejected"
    assert bridge.problem is not None and "9,000 tokens; the model reads 8,192" in bridge.problem.detail


def test_a_prompt_being_edited_is_counted_without_what_follows_it(window: Window, qtbot: QtBot) -> None:
    shown, bridge = window(ScriptedEngine(rounds=ROUNDS))
    ask(shown, bridge, qtbot, "one two three")
    ask(shown, bridge, qtbot, "four five")
    shown.chat.edit_message(bridge.chat.path[0].id)
    qtbot.waitUntil(lambda: shown.chat.composer.meter.tokens == 3)
    shown.chat.edit_message()
    qtbot.waitUntil(lambda: shown.chat.composer.meter.tokens == 3 + len(bridge.turns[0].reply.text.split()) + 2)


def test_tokens_are_counted_while_a_reply_streams(window: Window, qtbot: QtBot) -> None:
    engine = ScriptedEngine(rounds=[step(i, " a") for i in range(400)], hold_after=350)
    shown, bridge = window(engine)
    shown.chat.composer.replace("go")
    shown.chat.send()
    shown.chat.composer.replace("and then")
    qtbot.waitUntil(engine.holding.is_set)
    assert shown.chat.composer.text == "and then"
    bridge.stop()
    qtbot.waitUntil(lambda: not bridge.running)
    qtbot.waitUntil(lambda: shown.chat.composer.meter.tokens is not None)


def test_the_chip_says_whether_the_next_reply_drafts(window: Window, qtbot: QtBot) -> None:
    shown, bridge = window(ScriptedEngine())
    chip = shown.chat.composer.chip
    assert chip.text() == "On (rule=sampler-match)"
    bridge.next_reply.set_temperature(0)
    assert chip.text() == "On (rule=greedy-argmax)"
    bridge.next_reply.set_speculation(False)
    assert chip.text() == "Off (switched off)"


def test_an_overlong_prompt_given_at_the_start_is_refused_like_a_typed_one(window: Window, qtbot: QtBot) -> None:
    engine = ScriptedEngine(rounds=ROUNDS)
    first, bridge = window(engine, load=False)
    shown = MainWindow(first.theme, bridge, first_prompt="word " * 9000)
    qtbot.addWidget(shown)
    shown.chat.composer.replace("half a thought")
    bridge.load(None)
    qtbot.waitUntil(lambda: bridge.problem is not None)
    assert bridge.problem is not None and "9,000 tokens; the model reads 8,192" in bridge.problem.detail
    assert engine.requests == []
    assert bridge.turns == []
    assert shown.chat.composer.text == "word " * 9000 + "\n\nhalf a thought"


def test_a_prompt_given_at_the_start_leaves_what_stood_in_the_box(window: Window, qtbot: QtBot) -> None:
    first, bridge = window(ScriptedEngine(rounds=ROUNDS), load=False)
    shown = MainWindow(first.theme, bridge, first_prompt="Say it")
    qtbot.addWidget(shown)
    shown.chat.composer.replace("half a thought", (Attachment("a.txt", "text"),))
    bridge.load(None)
    qtbot.waitUntil(lambda: bool(bridge.turns) and not bridge.running)
    assert [turn.user for turn in bridge.turns] == ["Say it"]
    assert shown.chat.composer.text == "half a thought"
    assert [file.name for file in shown.chat.composer.files] == ["a.txt"]
