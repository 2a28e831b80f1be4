"""What was just done, with a way back, for a few seconds."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

from draftlens.ui.theme import Theme

SHOWN_MS = 8000


class Toast(QFrame):
    """A sentence and Undo."""

    undoAsked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "toast")
        self.label = QLabel()
        self.label.setWordWrap(True)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        self.label.setProperty("scale", "small")
        self.undo = QPushButton("Undo")
        self.undo.clicked.connect(self._undo)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(12, 8, 8, 8)
        layout.addWidget(self.label, 1)
        layout.addWidget(self.undo)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.setInterval(SHOWN_MS)
        self._timer.timeout.connect(self.hide)
        self.hide()

    def show_text(self, text: str) -> None:
        """Show a sentence."""
        self.label.setText(text)
        self.setAccessibleName(text)
        self.show()
        self._timer.start()

    def _undo(self) -> None:
        self.hide()
        self.undoAsked.emit()
