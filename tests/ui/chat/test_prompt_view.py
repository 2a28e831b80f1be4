"""A prompt in its bubble: what is not there takes no room, and no name of a file is cut."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from draftlens.core.chat import Attachment, Version, prompt_below
from draftlens.ui.chat.prompt_view import PromptView
from draftlens.ui.theme import Theme


def view(theme: Theme, qtbot: QtBot, text: str, *files: str) -> PromptView:
    made = PromptView(theme, prompt_below(None, text, tuple(Attachment(f, "text") for f in files)), Version(1, 1, ()))
    qtbot.addWidget(made)
    made.resize(600, made.fit(600))
    return made


def test_a_prompt_of_files_only_has_no_empty_line(theme: Theme, qtbot: QtBot) -> None:
    words, files = view(theme, qtbot, "Words"), view(theme, qtbot, "", "a.txt")
    both = view(theme, qtbot, "Words", "a.txt")
    assert files.text.isHidden()
    assert abs(files.height() - words.height()) <= 2
    assert both.height() > words.height() + 10


def test_the_names_of_many_files_take_as_many_lines_as_they_need(theme: Theme, qtbot: QtBot) -> None:
    many = view(theme, qtbot, "Words", *(f"a long name of a file {n}.txt" for n in range(9)))
    assert many.files.height() >= many.files.heightForWidth(many.files.width())
    assert many.bubble.height() > many.files.geometry().bottom()
