"""A link is shown whole before it is opened, and only the web and mail are."""

from __future__ import annotations

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from draftlens.ui.chat.transcript import Transcript
from draftlens.ui.dialogs.link import link_box, may_open
from draftlens.ui.theme import Theme


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
