"""The window: panes that give way and are kept, and a name for everything that can be operated."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QLineEdit, QPlainTextEdit, QTextEdit
from pytestqt.qtbot import QtBot

from draftlens.ui.main_window import MainWindow
from fakes import ScriptedEngine
from ui.asking import ROUNDS, Window, answered


def test_the_inspector_gives_way_in_a_narrow_window_unless_asked_for(window: Window, qtbot: QtBot) -> None:
    shown, _ = window(ScriptedEngine())
    shown.resize(1440, 900)
    qtbot.waitUntil(shown.inspector.isVisible)
    shown.resize(1040, 680)
    qtbot.waitUntil(lambda: not shown.inspector.isVisible())
    command = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
    qtbot.keyClick(shown, Qt.Key.Key_I, command)
    assert shown.inspector.isVisible()


def test_the_sizes_of_the_panes_are_kept(window: Window, tmp_path: Path, qtbot: QtBot) -> None:
    other, bridge = window(ScriptedEngine())
    before = MainWindow(other._theme, bridge, tmp_path / "window.ini")
    qtbot.addWidget(before)
    before.show()
    before.toggle_sidebar()
    before.toolbar.inspector.setChecked(True)
    before.panes.restore_sizes()
    before.splitter.setSizes([560, 470])
    assert before.splitter.sizes()[1] == 470
    before.close()
    after = MainWindow(other._theme, bridge, tmp_path / "window.ini")
    qtbot.addWidget(after)
    after.show()
    after.toggle_sidebar()
    after.toolbar.inspector.setChecked(True)
    qtbot.waitUntil(lambda: after.splitter.sizes()[1] == 470)


def test_everything_that_can_be_operated_has_a_name(window: Window, qtbot: QtBot) -> None:
    shown, bridge = window(ScriptedEngine(rounds=ROUNDS))
    answered(shown, bridge, qtbot)
    kinds = (QAbstractButton, QPlainTextEdit, QTextEdit, QLineEdit, QAbstractItemView)
    nameless = [
        widget
        for kind in kinds
        for widget in shown.findChildren(kind)
        if widget.isVisible()
        and not widget.objectName().startswith("qt_")
        and not widget.accessibleName()
        and not getattr(widget, "text", str)()
    ]
    assert nameless == []
    for painted in (shown.inspector.run.gauge, shown.inspector.run.strip):
        assert painted.accessibleDescription()
