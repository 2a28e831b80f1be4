"""Text is shown as it is, tinted by origin, and stays where the reader is."""

from __future__ import annotations

import sys
import time

import pytest
from PySide6.QtCore import QMimeData
from PySide6.QtGui import QTextCharFormat, QTextCursor
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from draftlens.bridge.reply import Piece
from draftlens.core.round import Source
from draftlens.ui.chat.composer import Composer
from draftlens.ui.chat.text_block import TextBlock
from draftlens.ui.theme import Theme

Line = QTextCharFormat.UnderlineStyle


def style(block: TextBlock, at: int) -> QTextCharFormat:
    cursor = QTextCursor(block.document())
    cursor.setPosition(at + 1)
    return cursor.charFormat()


@pytest.fixture
def block(qtbot: QtBot, theme: Theme) -> TextBlock:
    made = TextBlock(theme, "Reply")
    qtbot.addWidget(made)
    made.resize(500, 100)
    return made


PIECES = [
    Piece("One", Source.PREFILL, 0, 0),
    Piece(" two", Source.DRAFT, 1, 0),
    Piece(" 🙂", Source.RESIDUAL, 1, 1),
    Piece(" four", Source.BONUS, 2, 1),
    Piece("\n", Source.DRAFT, 3, 0),
    Piece("five", Source.TARGET, 3, 1),
]


@pytest.mark.parametrize(
    "text",
    ["vector<int> v;", "a <smirk> b", "<script>alert(1)</script>", "2*3*4", "![x](http://127.0.0.1/?q=1)", "a\n\tb"],
)
def test_text_is_literal(block: TextBlock, text: str) -> None:
    block.append([Piece(text, Source.DRAFT, 0, 0)])
    assert block.toPlainText() == text


def test_tints_and_underlines_follow_the_source(block: TextBlock, theme: Theme) -> None:
    block.append(PIECES)
    text = block.toPlainText().encode("utf-16-le")
    places = {word: text.index(word.encode("utf-16-le")) // 2 for word in ("One", "two", "🙂", "four", "five")}
    assert not style(block, places["One"]).hasProperty(QTextCharFormat.Property.BackgroundBrush)
    for word, tint, line in (
        ("two", "acceptedTint", Line.NoUnderline),
        ("🙂", "residualTint", Line.DashUnderline),
        ("four", "bonusTint", Line.SingleUnderline),
        ("five", "residualTint", Line.DashUnderline),
    ):
        found = style(block, places[word])
        assert found.background().color() == theme.color(tint), word
        assert found.underlineStyle() is line, word


def test_the_tint_covers_a_leading_space_and_the_underline_does_not(block: TextBlock, theme: Theme) -> None:
    block.append(PIECES[3:4])
    space = style(block, 0)
    assert space.background().color() == theme.color("bonusTint")
    assert space.underlineStyle() is Line.NoUnderline


def test_the_tint_can_be_taken_away_and_brought_back(block: TextBlock, theme: Theme) -> None:
    block.append(PIECES)
    block.set_tinted(False)
    assert not style(block, 4).hasProperty(QTextCharFormat.Property.BackgroundBrush)
    block.set_tinted(True)
    assert style(block, 4).background().color() == theme.color("acceptedTint")
    assert block.toPlainText() == "One two 🙂 four\nfive"


def test_a_selection_stays_while_text_arrives(block: TextBlock) -> None:
    block.append(PIECES[:2])
    cursor = block.textCursor()
    cursor.setPosition(4)
    cursor.setPosition(7, QTextCursor.MoveMode.KeepAnchor)
    block.setTextCursor(cursor)
    for _ in range(50):
        block.append(PIECES[1:2])
    assert block.textCursor().selectedText() == "two"


def test_one_word_of_two_hundred_thousand_characters_is_pasted_and_shown_at_once(theme: Theme, qtbot: QtBot) -> None:
    composer, data = Composer(theme), QMimeData()
    qtbot.addWidget(composer)
    composer.resize(700, 160)
    composer.show_state(ready=True, can_stop=False, usable=True, hint="")
    composer.show()
    data.setText("x" * 200_000)
    start = time.perf_counter()
    composer.edit.insertFromMimeData(data)
    composer.grab()
    assert composer.text == ""
    assert [len(file.text) for file in composer.files] == [200_000]
    composer.replace("x" * 200_000)
    composer.grab()
    block = TextBlock(theme, "You wrote")
    qtbot.addWidget(block)
    block.resize(500, 60)
    block.show_text(composer.take())
    block.grab()
    assert time.perf_counter() - start < 2


def test_qt_calls_without_a_result_keep_the_references_to_none(qtbot: QtBot) -> None:
    label = QLabel()
    qtbot.addWidget(label)
    before = sys.getrefcount(None)
    for i in range(200_000):
        label.setText("tick" if i % 2 else "tock")
    assert sys.getrefcount(None) > before - 100
