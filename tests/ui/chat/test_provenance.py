"""Where each token came from is seen in the text, in bold and in code as well, and leads to its round."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QTextCharFormat, QTextCursor
from pytestqt.qtbot import QtBot

from draftlens.core.round import Source
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
