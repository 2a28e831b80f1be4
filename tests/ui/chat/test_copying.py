"""Copying takes the text as it was written, and is seen to have happened."""

from __future__ import annotations

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from draftlens.ui.chat import turn_buttons
from draftlens.ui.chat.turn_buttons import CopyButton
from ui.chat.scene import Scene


def test_a_copy_button_says_for_a_moment_that_it_has_copied(
    scene: Scene, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(turn_buttons, "COPIED_MS", 40)
    text = "Run:\n\n```sh\n\tmake  run\n```\n"
    scene.say(text)
    scene.end()
    turn = scene.view.turns[-1]
    for button, copied in ((turn.copy, text), (scene.codes[0].copy, "\tmake  run\n")):
        assert isinstance(button, CopyButton)
        name, icon = button.toolTip(), button.icon().pixmap(14, 14).toImage()
        button.click()
        assert QApplication.clipboard().text() == copied
        assert button.toolTip() == "Copied"
        assert button.icon().pixmap(14, 14).toImage() != icon
        qtbot.waitUntil(lambda b=button, n=name: b.toolTip() == n)  # type: ignore[misc]
        assert button.icon().pixmap(14, 14).toImage() == icon
