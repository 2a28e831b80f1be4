"""The transcript: what is far does not exist, what is near is Markdown with the tint, and the reader is left alone."""

from __future__ import annotations

import random
import re

import pytest
from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtGui import QTextCharFormat, QTextCursor
from pytestqt.qtbot import QtBot

from draftlens.bridge.archive import Archive
from draftlens.bridge.chat import Chat
from draftlens.bridge.reply import Phase, Reply
from draftlens.core.chat import Message, Role, RunSummary, new_conversation, prompt_below, reply_to
from draftlens.core.events import Finished
from draftlens.core.params import SessionParams
from draftlens.core.round import FinishReason, Source
from draftlens.ui.chat.code_block import CodeBlock
from draftlens.ui.chat.prose import Prose
from draftlens.ui.chat.transcript import Transcript
from draftlens.ui.dialogs.link import link_box, may_open
from draftlens.ui.theme import Theme
from fakes import step, verify_round

RUN = RunSummary("model", None, SessionParams())
Line = QTextCharFormat.UnderlineStyle


class Scene:
    """A transcript with one reply that grows."""

    def __init__(self, theme: Theme, qtbot: QtBot) -> None:
        self.chat = Chat(Archive())
        prompt = prompt_below(None, "Hi")
        answer = reply_to(prompt.id, RUN)
        self.chat.conversation = self.chat.conversation.add(prompt).add(answer)
        self.reply = Reply(1, SessionParams(), "model", message=answer.id)
        self.chat.follow(self.reply)
        self.view = Transcript(theme)
        qtbot.addWidget(self.view)
        self.view.resize(600, 300)
        self.view.show()
        self.view.show_chat(self.chat)

    def say(self, *texts: str) -> None:
        for text in texts:
            self.reply.add(step(len(self.reply.rounds), text))
        self.view.refresh()

    def end(self) -> None:
        self.reply.end(Finished(1, FinishReason.END_OF_TEXT, ""))
        self.view.refresh()

    @property
    def proses(self) -> list[Prose]:
        return [p for p in self.view.turns[-1].body.parts if isinstance(p, Prose)]

    @property
    def codes(self) -> list[CodeBlock]:
        return [p for p in self.view.turns[-1].body.parts if isinstance(p, CodeBlock)]


@pytest.fixture
def scene(theme: Theme, qtbot: QtBot) -> Scene:
    return Scene(theme, qtbot)


def long_chat(turns: int) -> Chat:
    conversation = new_conversation("Long")
    parent: str | None = None
    words = ("alpha beta gamma delta " * 12).strip()
    for number in range(turns):
        prompt = prompt_below(parent, f"Question {number}")
        text = f"Answer {number}. {words}\n\n```python\nx = {number}\n```\n\n- one\n- two"
        answer = Message(f"a{number}", prompt.id, Role.ASSISTANT, text, prompt.created, run=RUN)
        conversation = conversation.add(prompt).add(answer) if turns < 50 else conversation
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
    assert view.turns[0].text.startswith("Answer 0.")
    qtbot.waitUntil(lambda: not view._ahead.isActive())
    assert view.items[-1].view is None
    middle = view.reveal(40)
    assert middle.view is not None
    assert abs(middle.view.y() - 40) <= 1


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


TEXT = """Sort `by start`, then **walk**.

```python
def merge(x):
\treturn x
```

1. first *item*
2. second
   - inner

> quoted

| a | b |
|---|--:|
| 1 | 2 |

## Heading 🙂

vector<int> v; a <smirk> b; 2*3*4; $5 and $6; <script>alert(1)</script>
![x](http://127.0.0.1/?q=secret) [file](file:///etc/passwd) [ok](https://example.org/a)
"""


def test_text_that_came_in_pieces_looks_as_if_it_had_come_whole(theme: Theme, qtbot: QtBot) -> None:
    whole = Scene(theme, qtbot)
    whole.say(TEXT)
    whole.end()
    for seed in range(4):
        cut = random.Random(seed)
        pieces = Scene(theme, qtbot)
        at = 0
        while at < len(TEXT):
            size = cut.randint(1, 9)
            pieces.say(TEXT[at : at + size])
            at += size
        pieces.end()
        shown = [(type(p).__name__, p.height()) for p in pieces.view.turns[-1].body.parts]
        assert shown == [(type(p).__name__, p.height()) for p in whole.view.turns[-1].body.parts]
        assert pieces.view.turns[-1].text == whole.view.turns[-1].text


def test_model_text_is_data(scene: Scene) -> None:
    scene.say(TEXT)
    scene.end()
    text = scene.view.turns[-1].text
    for literal in ("vector<int> v;", "a <smirk> b", "2*3*4", "<script>alert(1)</script>", "$5 and $6"):
        assert literal in text
    html = "".join(prose.document().toHtml() for prose in scene.proses)
    assert "<img" not in html
    assert re.findall(r'href="([^"]*)"', html) == ["https://example.org/a"]
    assert scene.proses[0].loadResource(2, QUrl("file:///etc/hostname")) is None


@pytest.mark.parametrize(
    ("target", "opens"),
    [
        ("https://example.org", True),
        ("mailto:a@b.org", True),
        ("file:///etc/passwd", False),
        ("javascript:1", False),
        ("smb://h/s", False),
    ],
)
def test_links_open_only_to_the_web_and_to_mail(target: str, opens: bool) -> None:
    assert may_open(target) is opens


def test_a_link_is_shown_whole_before_it_is_opened(theme: Theme, qtbot: QtBot) -> None:
    target = "https://a@b.example/long?x=%00"
    parent = Transcript(theme)
    qtbot.addWidget(parent)
    box = link_box(parent, target)
    assert box.informativeText() == target
    assert box.textFormat() is Qt.TextFormat.PlainText


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


def test_code_takes_its_colours_when_the_fence_closes(scene: Scene, theme: Theme) -> None:
    scene.say("```python\ndef f():\n", "    return 1\n")
    code = scene.codes[0]
    keyword = QTextCursor(code.text.document())
    keyword.setPosition(2)
    assert keyword.charFormat().foreground().color() == theme.color("text")
    scene.say("```\n", "\nafter")
    assert scene.codes[0] is code
    keyword = QTextCursor(code.text.document())
    keyword.setPosition(2)
    assert keyword.charFormat().foreground().color() == theme.color("codeKw")
    assert code.text.toPlainText() == "def f():\n    return 1"


def test_thinking_is_folded_and_unfolds(scene: Scene) -> None:
    scene.say("<thi", "nk>Let me see.", "</th", "ink>\n\nThe answer.")
    scene.end()
    body = scene.view.turns[-1].body
    assert body.fold.isVisible()
    thought, answer = body.parts
    assert thought.isHidden() and not answer.isHidden()
    low = scene.view.items[-1].height
    body.fold.click()
    assert not thought.isHidden()
    assert scene.view.items[-1].height > low


def test_the_text_can_be_seen_as_it_was_written(scene: Scene) -> None:
    scene.say("**bold** and `code`")
    scene.end()
    view = scene.view.turns[-1]
    assert view.text == "bold and code"
    view.raw.click()
    assert view._written is not None and view._written.toPlainText() == "**bold** and `code`"
    view.raw.click()
    assert not view.body.isHidden()


def test_a_formula_is_set_when_it_is_ready(scene: Scene, qtbot: QtBot) -> None:
    scene.say("So $E = mc^2$ holds.")
    scene.end()
    qtbot.waitUntil(lambda: "\ufffc" in scene.proses[0].toPlainText(), timeout=20_000)
    assert not scene.view.turns[-1].body.waits


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


def test_a_reply_without_a_verify_round_says_why(scene: Scene) -> None:
    scene.say("One", " two")
    scene.reply.end(Finished(1, FinishReason.END_OF_TEXT, "", 0, "this target’s cache cannot rewind"))
    scene.view.refresh()
    note = scene.view.turns[-1].note
    assert note.text() == "Speculation was on, but no verify round ran: this target’s cache cannot rewind."
    assert note.property("kind") == "notice"
    assert scene.reply.phase is Phase.DONE
