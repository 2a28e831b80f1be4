"""Every shortcut there is, in one list."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QDialog, QGridLayout, QLabel, QWidget

from draftlens.ui.chat.token_steps import NEXT, PREVIOUS

_MORE = (
    ("Send", "Return"),
    ("New line", "Shift+Return"),
    ("Expand round", "Space"),
    ("Run comparison", "Ctrl+Return"),
)


class ShortcutsDialog(QDialog):
    """Names left, keys right."""

    def __init__(self, shortcuts: Iterable[tuple[str, str]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keyboard shortcuts")
        grid = QGridLayout(self)
        grid.setContentsMargins(24, 20, 24, 24)
        grid.setHorizontalSpacing(32)
        grid.setVerticalSpacing(6)
        native = QKeySequence.SequenceFormat.NativeText
        tokens = (("Previous token", PREVIOUS.toString(native)), ("Next token", NEXT.toString(native)))
        more = ((name, QKeySequence(keys).toString(native)) for name, keys in _MORE)
        rows = [*more, *tokens, *shortcuts]
        half = (len(rows) + 1) // 2
        for number, (name, keys) in enumerate(rows):
            column = 0 if number < half else 2
            words, label = QLabel(name), QLabel(keys)
            label.setProperty("tone", "2")
            label.setAlignment(Qt.AlignmentFlag.AlignRight)
            grid.addWidget(words, number % half, column)
            grid.addWidget(label, number % half, column + 1)
