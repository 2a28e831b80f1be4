"""One screen is in view; the sidebar's links, the keys and a chosen chat change it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from draftlens.ui.screens import CHAT, COMPARE, ScreenLinks, Screens
from draftlens.ui.theme import Theme
from fakes import ScriptedEngine
from ui.asking import ROUNDS, Window, ask


def test_the_first_screen_is_in_view_and_links_follow_the_keys_in_order(qtbot: QtBot, theme: Theme) -> None:
    screens = Screens()
    links = ScreenLinks(theme, screens)
    for widget in (screens, links):
        qtbot.addWidget(widget)
    screens.promise(CHAT, lambda: None, "Chat", "Ctrl+1")
    screens.put(CHAT, QLabel("chat"))
    screens.promise("third", lambda: None, "Third", "Ctrl+3", "models")
    screens.put("third", QLabel("third"))
    screens.promise("second", lambda: None, "Second", "Ctrl+2", "columns")
    screens.put("second", QLabel("second"))
    assert screens.current == CHAT
    assert [screen.name for screen in screens.entries] == [CHAT, "second", "third"]
    links.show()
    assert links.links["second"].y() < links.links["third"].y()
    qtbot.mouseClick(links.links["third"], Qt.MouseButton.LeftButton)
    assert screens.current == "third"
    assert links.links["third"].isChecked()
    screens.show_screen(CHAT)
    assert not links.links["third"].isChecked()


def test_a_link_pressed_twice_stays_lit(qtbot: QtBot, theme: Theme) -> None:
    screens = Screens()
    links = ScreenLinks(theme, screens)
    for widget in (screens, links):
        qtbot.addWidget(widget)
    screens.promise(CHAT, lambda: None, "Chat", "Ctrl+1")
    screens.put(CHAT, QLabel("chat"))
    screens.promise("models", lambda: None, "Models", "Ctrl+3", "models")
    screens.put("models", QLabel("models"))
    for _ in range(2):
        qtbot.mouseClick(links.links["models"], Qt.MouseButton.LeftButton)
    assert links.links["models"].isChecked()


def test_what_changes_the_chat_can_only_be_asked_for_where_the_chat_is_seen(window: Window, qtbot: QtBot) -> None:
    shown, bridge = window(ScriptedEngine(rounds=ROUNDS))
    actions = shown.commands.menus.actions
    assert not actions["Find in view"].isEnabled()
    ask(shown, bridge, qtbot, "Hi")
    names = ("Find in view", "Regenerate", "Edit last message", "Attach file…")
    assert all(actions[name].isEnabled() for name in names)
    shown.screens.show_screen(COMPARE)
    assert not any(actions[name].isEnabled() for name in names)
    assert shown.sidebar.list.current() is None
    actions["Write a prompt"].trigger()
    assert shown.screens.current == CHAT
    assert shown.sidebar.list.current() is not None
    assert all(actions[name].isEnabled() for name in names)
