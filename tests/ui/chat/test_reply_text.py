"""The text of a reply: Markdown however it was cut, data and never a command, folded thinking, formulas, as written."""

from __future__ import annotations

import random
import re

from PySide6.QtCore import QUrl
from PySide6.QtGui import QTextCursor
from pytestqt.qtbot import QtBot

from draftlens.bridge.reply import Phase
from draftlens.core.events import Finished
from draftlens.core.round import FinishReason
from draftlens.ui.theme import Theme
from ui.chat.scene import Scene

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


def test_a_reply_without_a_verify_round_says_why(scene: Scene) -> None:
    scene.say("One", " two")
    scene.reply.end(Finished(1, FinishReason.END_OF_TEXT, "", 0, "this target’s cache cannot rewind"))
    scene.view.refresh()
    note = scene.view.turns[-1].note
    assert note.text() == "Speculation was on, but no verify round ran: this target’s cache cannot rewind."
    assert note.property("kind") == "notice"
    assert scene.reply.phase is Phase.DONE


def test_code_whose_fence_arrives_by_itself_begins_with_its_first_line(scene: Scene) -> None:
    scene.say("```")
    scene.say("python")
    scene.say("\n")
    scene.say("x = 1\ny = 2")
    assert scene.codes[0].text.toPlainText() == "x = 1\ny = 2"


def test_code_that_is_too_wide_begins_at_its_left_edge_and_stays_where_it_was_moved(scene: Scene) -> None:
    scene.say("```\n", "x" * 300)
    bar = scene.codes[0].text.horizontalScrollBar()
    scene.view.resize(500, 300)
    scene.view.grab()
    assert bar.maximum() > 100
    assert bar.value() == 0
    bar.setValue(80)
    scene.say("yyy", "\nz")
    assert bar.value() == 80


def test_figures_that_do_not_fit_beside_the_name_stand_below_it_uncut(scene: Scene) -> None:
    scene.say("One", " two")
    scene.end()
    view = scene.view.turns[-1]
    assert view.status.y() < view.header.height() // 2 and view.status.parent() is view.header
    high = view.height()
    scene.view.resize(300, 300)
    scene.view.grab()
    assert view.status.parent() is view
    assert view.status.y() >= view.header.height()
    assert view.status.text() == view.status.whole
    assert view.height() > high
    scene.view.resize(600, 300)
    scene.view.grab()
    assert view.status.parent() is view.header
