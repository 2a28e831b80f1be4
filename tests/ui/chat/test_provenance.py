"""Where each token came from is seen in the text, in bold and in code as well, and leads to its round."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QTextCharFormat, QTextCursor
from pytestqt.qtbot import QtBot

from draftlens.core.round import Source
from draftlens.ui.chat.prose import Prose
from draftlens.ui.chat.text_block import TextBlock
from draftlens.ui.theme import Theme
from fakes import step, verify_round
from ui.chat.scene import Scene

Line = QTextCharFormat.UnderlineStyle


def test_the_tint_follows_each_token_into_bold_and_code(scene: Scene, theme: Theme) -> None:
    reply = scene.reply
    reply.add(step(0, "A", Source.PREFILL))
    reply.add(verify_round(1, [" **bo"], "ld**", ["x"]))
    reply.add(verify_round(2, ["\n\n```py\nx", " ="], " 1"))
    reply.add(step(3, "\n```\n"))
    scene.view.refresh()
    scene.end()
    prose = scene.proses[0]
    assert prose.toPlainText() == "A bold"
    cursor = QTextCursor(prose.document())
    looks = []
    for at in (1, 3, 5):
        cursor.setPosition(at)
        looks.append((cursor.charFormat().background().color().name(), cursor.charFormat().underlineStyle()))
    assert looks[1] == (theme.color("acceptedTint").name(), Line.NoUnderline)
    assert looks[2] == (theme.color("residualTint").name(), Line.DashUnderline)
    assert not QTextCursor(prose.document()).charFormat().hasProperty(QTextCharFormat.Property.BackgroundBrush)
    code = QTextCursor(scene.codes[0].text.document())
    code.setPosition(5)
    assert code.charFormat().background().color() == theme.color("bonusTint")
    scene.view.set_tinted(False)
    code = QTextCursor(scene.codes[0].text.document())
    code.setPosition(5)
    assert not code.charFormat().hasProperty(QTextCharFormat.Property.BackgroundBrush)


def test_a_click_on_a_token_names_its_round(scene: Scene, qtbot: QtBot) -> None:
    scene.reply.add(step(0, "One", Source.PREFILL))
    scene.reply.add(verify_round(1, [" two"], " three", ["x"]))
    scene.view.refresh()
    scene.end()
    prose = scene.proses[0]
    cursor = QTextCursor(prose.document())
    cursor.setPosition(6)
    place = prose.cursorRect(cursor).center() - QPoint(2, 0)
    with qtbot.waitSignal(scene.view.tokenAsked) as asked:
        qtbot.mouseClick(prose.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert asked.args == [scene.reply.message, 1, 0]


def click(text: Prose | TextBlock, at: int, qtbot: QtBot) -> None:
    """Click in the middle of a character."""
    cursor = QTextCursor(text.document())
    cursor.setPosition(at)
    left = text.cursorRect(cursor)
    cursor.setPosition(at + 1)
    middle = QPoint((left.center().x() + text.cursorRect(cursor).center().x()) // 2, left.center().y())
    qtbot.mouseClick(text.viewport(), Qt.MouseButton.LeftButton, pos=middle)


def test_a_formula_is_ringed_whole_and_a_click_on_it_names_its_first_token(scene: Scene, qtbot: QtBot) -> None:
    scene.reply.add(step(0, "So ", Source.PREFILL))
    scene.reply.add(verify_round(1, ["$E =", " mc"], "^2$"))
    scene.reply.add(step(2, " holds."))
    scene.view.refresh()
    view = scene.view.turns[-1]
    assert view.mark(8, 10, "mc") is not None
    scene.end()
    qtbot.waitUntil(lambda: "\ufffc" in scene.proses[0].toPlainText(), timeout=20_000)
    prose = scene.proses[0]
    assert prose._ring == (3, 4)
    place = prose.mark(8, 10)
    assert place is not None and place.width() > 20
    with qtbot.waitSignal(scene.view.tokenAsked) as asked:
        click(prose, 3, qtbot)
    assert asked.args == [scene.reply.message, 1, 0]
    assert prose.mark(0, 2) != place


def test_a_token_in_a_table_is_ringed_and_can_be_clicked(scene: Scene, qtbot: QtBot) -> None:
    scene.reply.add(step(0, "| a | b |\n|---|---|\n| one", Source.PREFILL))
    scene.reply.add(verify_round(1, [" |"], " two"))
    scene.reply.add(step(2, " |\n"))
    scene.view.refresh()
    scene.end()
    start = scene.reply.text.index("two")
    prose = scene.proses[0]
    assert prose.mark(start, start + 3) is not None
    at = prose.document().find("two").selectionStart()
    assert prose._ring == (at, at + 3)
    with qtbot.waitSignal(scene.view.tokenAsked) as asked:
        click(prose, at, qtbot)
    assert asked.args == [scene.reply.message, 1, 1]


def test_as_written_a_token_is_ringed_and_clicked_as_in_the_text(scene: Scene, qtbot: QtBot) -> None:
    scene.reply.add(step(0, "🙂 **One**", Source.PREFILL))
    scene.reply.add(verify_round(1, [" two"], " three"))
    scene.view.refresh()
    scene.end()
    view = scene.view.turns[-1]
    assert view.mark(10, 13, "two, accepted") is not None
    assert scene.proses[0]._ring == (7, 10)
    view.raw.click()
    written = view._written
    assert written is not None
    assert written._ring == (11, 14)
    assert written.accessibleDescription() == "two, accepted"
    with qtbot.waitSignal(scene.view.tokenAsked) as asked:
        click(written, 16, qtbot)
    assert asked.args == [scene.reply.message, 1, 1]
    view.raw.click()
    scene.view.set_tinted(False)
    assert scene.proses[0]._ring == (7, 10)
