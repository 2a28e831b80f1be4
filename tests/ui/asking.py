"""Asking in a window on a scripted engine."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.core.round import Source
from draftlens.ui.main_window import MainWindow
from fakes import step, verify_round

Window = Callable[..., tuple[MainWindow, EngineBridge]]
Ctrl = Qt.KeyboardModifier.ControlModifier

ROUNDS = [
    step(0, "Sort", Source.PREFILL),
    verify_round(1, [" by", " start"], ",", ["x", "y"]),
    verify_round(2, [" then"], " walk"),
]


def send(shown: MainWindow, qtbot: QtBot, text: str) -> None:
    """Type a prompt and press Return."""
    qtbot.keyClicks(shown.chat.composer.edit, text)
    qtbot.keyClick(shown.chat.composer.edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: shown.chat.waiting is None)


def answered(shown: MainWindow, bridge: EngineBridge, qtbot: QtBot) -> None:
    """Type a prompt and wait for the whole reply and its figures."""
    send(shown, qtbot, "Hi")
    qtbot.waitUntil(lambda: bool(bridge.turns) and not bridge.running and not bridge._figures_dirty)


def ask(shown: MainWindow, bridge: EngineBridge, qtbot: QtBot, text: str) -> None:
    shown.chat.composer.replace(text)
    shown.chat.send()
    qtbot.waitUntil(lambda: shown.chat.waiting is None)
    qtbot.waitUntil(lambda: not bridge.running)


def titles(shown: MainWindow) -> list[str]:
    return [row.title for row in shown.shelf.rows() if row.id]
