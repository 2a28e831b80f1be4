"""With text of 150 % nothing that can be pressed is cut, in a large window and in the smallest."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QAbstractButton, QPushButton, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.bridge.round_model import COLUMNS
from draftlens.ui.main_window import MainWindow
from draftlens.ui.theme import Theme
from draftlens.ui.toolbar.chip import Chip
from fakes import ScriptedEngine
from ui.asking import ROUNDS, Window, ask


@pytest.fixture
def shown(window: Window, theme: Theme, qtbot: QtBot) -> Iterator[tuple[MainWindow, EngineBridge]]:
    made, bridge = window(ScriptedEngine(rounds=ROUNDS))
    made.preferences.set(text_size=150)
    ask(made, bridge, qtbot, "A question")
    bridge.regenerate()
    qtbot.waitUntil(lambda: not bridge.running)
    made.shelf.delete(bridge.chat.id, "A question")
    ask(made, bridge, qtbot, "Another question")
    yield made, bridge
    theme.set_percent(100)


def cut(place: QWidget) -> list[str]:
    """The words of what can be pressed and has too little room for them."""
    found: list[str] = []
    for button in place.findChildren(QAbstractButton):
        if not button.isVisible() or not button.text() or button.objectName().startswith("qt_"):
            continue
        needed = button.minimumSizeHint() if isinstance(button, Chip) else button.sizeHint()
        air = 4 if isinstance(button, QPushButton | QToolButton) and not isinstance(button, Chip) else 0
        tall = button.fontMetrics().height() + air
        if button.width() < needed.width() or button.height() < tall:
            found.append(button.text())
    return found


def test_no_button_is_cut_and_the_panes_grow_or_give_way(shown: tuple[MainWindow, EngineBridge], qtbot: QtBot) -> None:
    window, _ = shown
    window.resize(1440, 900)
    qtbot.waitUntil(lambda: window.width() == 1440 and cut(window) == [])
    assert window.sidebar.width() >= 300
    assert window.sidebar.deleted.isVisible()
    run = window.inspector.run
    run.tested.setText("n = 12,345 tested")
    qtbot.wait(20)
    assert run.width() <= window.inspector.width() - 32
    header, letters = run.table.header(), QFontMetrics(window.theme.font("caption"))
    assert [n for x, n in enumerate(COLUMNS) if header.sectionSize(x) < letters.horizontalAdvance(n) + 4] == []
    window.resize(1040, 680)
    qtbot.waitUntil(lambda: window.sidebar.isHidden() and cut(window) == [])
    assert window.toolbar.sidebar.isVisible()
    send = window.chat.composer.send
    window.chat.composer.replace("x")
    before = send.sizeHint().height()
    send.setFocus()
    assert send.hasFocus() and send.sizeHint().height() == before >= 40
    window.toolbar.inspector.click()
    qtbot.waitUntil(lambda: window.inspector.isVisible() and cut(window) == [])
