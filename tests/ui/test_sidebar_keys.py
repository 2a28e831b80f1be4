"""New chat and the search field show their keys, as long as these do not touch the words."""

from __future__ import annotations

from PySide6.QtGui import QImage
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from draftlens.ui.sidebar.keys import KeyButton, SearchField
from draftlens.ui.theme import Theme


def ink_at_the_right(widget: QWidget) -> bool:
    image = widget.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    middle = range(image.height() // 2 - 5, image.height() // 2 + 5)
    return len({image.pixel(x, y) for x in range(image.width() - 40, image.width() - 8) for y in middle}) > 1


def test_keys_stand_at_the_right_while_there_is_room_and_nothing_is_written(theme: Theme, qtbot: QtBot) -> None:
    button, field = KeyButton(theme, "New chat", "Ctrl+N"), SearchField(theme, "Search chats", "Ctrl+Shift+F")
    for widget in (button, field):
        qtbot.addWidget(widget)
        widget.resize(260, 30)
        assert ink_at_the_right(widget)
    field.setText("sky")
    assert not ink_at_the_right(field)
    button.resize(120, 30)
    assert not ink_at_the_right(button)
