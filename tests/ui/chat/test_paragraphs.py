"""How paragraphs stand: items under each other, quotations beside a bar, rules as hairlines, cells in the middle."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QTextCursor, QTextTable

from draftlens.ui.chat.prose import Prose
from draftlens.ui.chat.quote_bars import bars
from draftlens.ui.theme import Theme
from ui.chat.scene import Scene

WORDS = "word " * 40


def said(scene: Scene, text: str) -> Prose:
    scene.say(text)
    scene.end()
    return scene.proses[0]


def left_of(prose: Prose, text: str) -> float:
    cursor = prose.document().find(text)
    cursor.setPosition(cursor.selectionStart())
    return float(prose.cursorRect(cursor).left())


@pytest.mark.parametrize("mark", ["-", "1.", "11.", "1234.", "- [x]"])
def test_the_text_of_an_item_begins_where_its_other_lines_do(scene: Scene, mark: str) -> None:
    prose = said(scene, f"{mark} first {WORDS}")
    second = QTextCursor(prose.document().find("first"))
    second.movePosition(QTextCursor.MoveOperation.Down)
    second.movePosition(QTextCursor.MoveOperation.StartOfLine)
    assert abs(left_of(prose, "first") - prose.cursorRect(second).left()) <= 1
    assert prose.cursorRect(QTextCursor(prose.document())).left() >= 0


def test_a_quotation_has_one_bar_as_high_as_its_paragraphs(scene: Scene, theme: Theme) -> None:
    prose = said(scene, "Before.\n\n> one\n>\n> two\n\nAfter.\n\n> three")
    found = bars(prose.document())
    assert [bar.left() for bar in found] == [0, 0]
    assert found[0].height() > 2 * theme.line("body")
    assert found[1].top() > found[0].bottom() + theme.line("body")
    last = prose.cursorRect(prose.document().find("two"))
    assert abs(found[0].bottom() - last.bottom()) <= 1
    shown = prose.grab().toImage()
    assert shown.pixelColor(1, round(found[0].center().y())) == theme.color("borderStrong")
    assert shown.pixelColor(1, round(found[0].top()) - 3) != theme.color("borderStrong")


def test_a_rule_is_a_hairline_in_the_colour_of_borders(scene: Scene, theme: Theme) -> None:
    prose = said(scene, "Above.\n\n---\n\nBelow.")
    shown = prose.grab().toImage()
    rows = [y for y in range(shown.height()) if shown.pixelColor(shown.width() // 2, y) == theme.color("border")]
    assert len(rows) == 1


def test_text_stands_in_the_middle_of_its_cell(scene: Scene, theme: Theme) -> None:
    prose = said(scene, "| name | n |\n|---|--:|\n| one | 2 |\n| two | 3 |")
    table = prose.document().rootFrame().childFrames()[0]
    assert isinstance(table, QTextTable)
    first, second = (table.cellAt(row, 0).firstCursorPosition() for row in (1, 2))
    step = prose.cursorRect(second).top() - prose.cursorRect(first).top()
    assert abs(step - (prose.cursorRect(first).height() + 2 * theme.px(6))) <= 2


def test_the_pill_stands_apart_from_what_is_below_it(scene: Scene) -> None:
    scene.say(*(f"line {i}\n\n" for i in range(60)))
    scene.view.verticalScrollBar().setValue(0)
    pill = scene.view.pill
    assert pill.isVisible()
    assert scene.view.viewport().geometry().bottom() < pill.y()
    assert pill.geometry().bottom() <= scene.view.height() - 6
