"""What has no room gives way where it may: choices end with an ellipsis, sentences are never cut, code never joins."""

from __future__ import annotations

from PySide6.QtGui import QFont, QTextLayout
from pytestqt.qtbot import QtBot

from draftlens.ui.chat.empty_chat import EmptyChat
from draftlens.ui.eliding_choice import ElidingChoice
from draftlens.ui.theme import Theme
from fakes import ScriptedEngine
from ui.asking import ROUNDS, Window, ask


def test_a_choice_without_room_ends_with_an_ellipsis_and_says_all_of_it_in_its_tooltip(
    qtbot: QtBot, theme: Theme
) -> None:
    choice = ElidingChoice()
    qtbot.addWidget(choice)
    choice.addItem("Reply 1 of 3 · SmolLM2-135M-Instruct · Why is the sky blue?")
    choice.resize(160, 28)
    choice.show()
    choice.grab()
    assert choice.shown.endswith("…")
    assert choice.toolTip() == choice.currentText()
    choice.resize(900, 28)
    choice.grab()
    assert choice.shown == choice.currentText()
    assert choice.toolTip() == ""


def test_the_words_of_an_empty_chat_are_never_cut(qtbot: QtBot, theme: Theme) -> None:
    empty = EmptyChat()
    qtbot.addWidget(empty)
    empty.show_ready("A model")
    empty.resize(700, 300)
    empty.show()
    assert empty.words.height() >= empty.words.heightForWidth(empty.words.width())


def test_signs_of_code_are_not_drawn_as_one(theme: Theme) -> None:
    font = theme.font("code")
    assert glyphs("<=", font) == glyphs("<", font) + glyphs("=", font)


def glyphs(text: str, font: QFont) -> list[int]:
    layout = QTextLayout(text, font)
    layout.beginLayout()
    layout.createLine()
    layout.endLayout()
    return [index for run in layout.glyphRuns() for index in run.glyphIndexes()]


def test_in_the_narrowest_inspector_nothing_is_cut_at_its_right_edge(window: Window, qtbot: QtBot) -> None:
    shown, bridge = window(ScriptedEngine(rounds=ROUNDS))
    shown.resize(1440, 900)
    ask(shown, bridge, qtbot, "Hi")
    run = shown.inspector.run
    assert run.log.isVisible()
    shown.splitter.setSizes([10_000, 0])
    qtbot.waitUntil(lambda: shown.inspector.width() == shown.inspector.minimumWidth())
    place = run.parentWidget()
    assert place is not None
    qtbot.waitUntil(lambda: run.width() <= place.width())
    assert run.minimumSizeHint().width() <= 328
