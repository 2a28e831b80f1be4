"""The button that adds a folder of models to the list, or takes in a GGUF file."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QMenu, QPushButton, QWidget

from draftlens.ui.theme import Theme

_WORDS = "Add folder or GGUF…"


class AddButton(QPushButton):
    """Tells what was chosen."""

    given = Signal(Path)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(_WORDS, parent)
        self._theme = theme
        self.setAccessibleName(_WORDS)
        self.clicked.connect(self._offer)
        theme.changed.connect(self._show_icon)
        self._show_icon()

    def set_short(self, on: bool) -> None:
        """One word where room is scarce."""
        self.setText("Add…" if on else _WORDS)
        self.setToolTip(_WORDS if on else "")

    def choose_folder(self) -> None:
        """Choose a folder of models."""
        folder = QFileDialog.getExistingDirectory(self, "Add a folder of models")
        if folder:
            self.given.emit(Path(folder))

    def choose_gguf(self) -> None:
        """Choose a GGUF file."""
        name, _ = QFileDialog.getOpenFileName(self, "Import a GGUF file", "", "GGUF files (*.gguf)")
        if name:
            self.given.emit(Path(name))

    def _offer(self) -> None:
        menu = QMenu(self)
        menu.addAction("Add a folder of models…", self.choose_folder)
        menu.addAction("Import a GGUF file…", self.choose_gguf)
        menu.exec(self.mapToGlobal(self.rect().bottomLeft()))
        menu.deleteLater()

    def _show_icon(self) -> None:
        self.setIcon(self._theme.icon("folder", "text", 14))
