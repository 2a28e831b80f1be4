"""The rows of the chat list: their dots, their menu, their titles, and what was deleted."""

from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLineEdit, QMenu
from pytestqt.qtbot import QtBot

from draftlens.ui.main_window import MainWindow
from draftlens.ui.sidebar.list import dots_in
from fakes import ScriptedEngine
from ui.asking import ROUNDS, Window, ask, titles


@pytest.fixture
def shown(window: Window, qtbot: QtBot) -> MainWindow:
    made, bridge = window(ScriptedEngine(rounds=ROUNDS))
    made.resize(1200, 800)
    ask(made, bridge, qtbot, "First")
    bridge.new_chat()
    ask(made, bridge, qtbot, "Second")
    return made


def row_of(shown: MainWindow, title: str) -> int:
    return [row.title for row in shown.shelf.rows()].index(title)


def open_menu(shown: MainWindow) -> QMenu:
    return next(menu for menu in shown.sidebar.findChildren(QMenu) if menu.isVisible())


def press(shown: MainWindow, qtbot: QtBot, title: str, *, dots: bool) -> None:
    chats = shown.sidebar.list
    place = chats.visualRect(chats.model().index(row_of(shown, title), 0))
    at = dots_in(place).center() if dots else place.topLeft() + QPoint(30, 10)
    qtbot.mouseClick(chats.viewport(), Qt.MouseButton.LeftButton, pos=at)


def test_the_dots_of_a_row_open_its_menu_without_opening_the_chat(shown: MainWindow, qtbot: QtBot) -> None:
    before = shown.chat.transcript.prompts[0].text.toPlainText()
    press(shown, qtbot, "First", dots=True)
    menu = open_menu(shown)
    assert [action.text() for action in menu.actions()] == ["Rename", "Export…", "Delete"]
    menu.actions()[2].trigger()
    menu.close()
    assert titles(shown) == ["Second"]
    assert shown.chat.transcript.prompts[0].text.toPlainText() == before == "Second"
    press(shown, qtbot, "Second", dots=False)
    assert not any(menu.isVisible() for menu in shown.sidebar.findChildren(QMenu))


def test_return_ends_the_writing_of_a_title_and_leaves_the_shown_chat_in_view(shown: MainWindow, qtbot: QtBot) -> None:
    chats = shown.sidebar.list
    chats.rename(next(row.id for row in shown.shelf.rows() if row.title == "First" and row.id))
    field = chats.findChild(QLineEdit)
    assert isinstance(field, QLineEdit)
    field.setText("Another name")
    qtbot.keyClick(field, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: "Another name" in titles(shown))
    assert shown.chat.transcript.prompts[0].text.toPlainText() == "Second"


def test_what_was_deleted_is_headed_and_a_click_says_what_can_be_done(shown: MainWindow, qtbot: QtBot) -> None:
    id = next(row.id for row in shown.shelf.rows() if row.title == "First")
    assert id is not None
    shown.shelf.delete(id, "First")
    shown.sidebar.deleted.click()
    assert [row.title for row in shown.shelf.rows()] == ["Recently Deleted", "First"]
    press(shown, qtbot, "First", dots=False)
    menu = open_menu(shown)
    assert [action.text() for action in menu.actions()] == ["Restore", "Delete for good"]
    menu.actions()[0].trigger()
    menu.close()
    assert shown.chat.transcript.prompts[0].text.toPlainText() == "First"


def test_a_search_leaves_what_was_deleted(shown: MainWindow, qtbot: QtBot) -> None:
    id = next(row.id for row in shown.shelf.rows() if row.title == "First")
    assert id is not None
    shown.shelf.delete(id, "First")
    shown.sidebar.deleted.click()
    assert titles(shown) == ["First"]
    shown.sidebar.search.setText("second")
    qtbot.waitUntil(lambda: titles(shown) == ["Second"])
    assert shown.sidebar.deleted.text() == "Recently Deleted"
