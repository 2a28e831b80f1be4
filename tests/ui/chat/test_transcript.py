"""What is far does not exist, what is near is reached by scrolling, and the reader is left alone."""

from __future__ import annotations

from PySide6.QtGui import QTextCursor
from pytestqt.qtbot import QtBot

from draftlens.bridge.archive import Archive
from draftlens.bridge.chat import Chat
from draftlens.core.chat import Message, Role, new_conversation, prompt_below
from draftlens.ui.chat.transcript import Transcript
from draftlens.ui.theme import Theme
from ui.chat.scene import RUN, Scene


def long_chat(turns: int) -> Chat:
    conversation = new_conversation("Long")
    parent: str | None = None
    words = ("alpha beta gamma delta " * 12).strip()
    for number in range(turns):
        prompt = prompt_below(parent, f"Question {number}")
        text = f"Answer {number}. {words}\n\n```python\nx = {number}\n```\n\n- one\n- two"
        answer = Message(f"a{number}", prompt.id, Role.ASSISTANT, text, prompt.created, run=RUN)
        conversation = conversation.add(prompt).add(answer)
        parent = answer.id
    chat = Chat(Archive())
    chat.conversation = conversation
    return chat


def test_only_what_is_near_is_built_and_the_rest_is_reached_by_scrolling(theme: Theme, qtbot: QtBot) -> None:
    view = Transcript(theme)
    qtbot.addWidget(view)
    view.resize(700, 400)
    view.show()
    view.show_chat(long_chat(40))
    assert len(view.items) == 80
    bar = view.verticalScrollBar()
    assert bar.value() == bar.maximum()
    assert len(view.turns) < 15
    assert view.turns[-1].text.startswith("Answer 39.")
    bar.setValue(0)
    assert view.items[0].view is not None
    qtbot.waitUntil(lambda: view.turns[0].text.startswith("Answer 0."))
    qtbot.waitUntil(lambda: not view._ahead.isActive())
    assert view.items[-1].view is None
    middle = view.reveal(40)
    assert middle.view is not None
    assert abs(middle.view.y() - 40) <= 1


def test_a_jump_shows_what_is_ready_in_time_and_the_rest_soon_after(theme: Theme, qtbot: QtBot) -> None:
    view = Transcript(theme)
    qtbot.addWidget(view)
    view.resize(700, 4000)
    view.show()
    view.show_chat(long_chat(120))
    bar = view.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    # Making all that is in view takes several times as long as a part of a frame.
    shown = list(view._places.between(bar.value(), bar.value() + view.viewport().height()))
    assert any(view.items[number].view is None for number in shown)
    qtbot.waitUntil(lambda: not view._ahead.isActive())
    shown = list(view._places.between(bar.value(), bar.value() + view.viewport().height()))
    assert len(shown) > 8
    for number in shown:
        made = view.items[number].view
        assert made is not None and made.isVisible()
        assert made.y() == view._places.tops[number] - bar.value()


def test_the_view_follows_the_end_only_while_it_is_there(scene: Scene, qtbot: QtBot) -> None:
    scene.say(*(f"line {i}\n\n" for i in range(60)))
    bar = scene.view.verticalScrollBar()
    assert bar.maximum() > 500
    assert bar.value() == bar.maximum()
    bar.setValue(200)
    for i in range(50):
        scene.say(f"more {i}\n\n")
    assert bar.maximum() > 2000
    assert bar.value() == 200
    assert scene.view.pill.isVisible()
    scene.view.pill.click()
    assert bar.value() == bar.maximum()
    assert not scene.view.pill.isVisible()


def test_a_selection_stays_while_text_arrives(scene: Scene) -> None:
    scene.say("Choose these words", " and not those.")
    prose = scene.proses[0]
    cursor = prose.textCursor()
    cursor.setPosition(7)
    cursor.setPosition(12, QTextCursor.MoveMode.KeepAnchor)
    prose.setTextCursor(cursor)
    scene.say(*[f" word {i}" for i in range(30)], "\n\n", "Another paragraph")
    scene.end()
    assert scene.proses[0] is prose
    assert prose.textCursor().selectedText() == "these"
