"""Whether speculation pays here, against a plain baseline measured on this machine, or the way to measure one."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from draftlens.ui.theme import Theme


class Paying(QWidget):
    """A sentence and two buttons."""

    measureAsked = Signal()
    offAsked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.sentence = QLabel()
        self.sentence.setWordWrap(True)
        self.sentence.setProperty("tone", "2")
        self.measure = QPushButton("Measure plain decoding")
        self.off = QPushButton("Turn speculation off")
        self.measure.clicked.connect(self.measureAsked)
        self.off.clicked.connect(self.offAsked)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.measure)
        row.addWidget(self.off)
        row.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(self.sentence)
        layout.addLayout(row)
        self.show_words("No plain baseline was measured for this pair at this context length.", can_measure=False)

    def show_words(self, sentence: str, *, can_measure: bool, loses: bool = False, measured: bool = False) -> None:
        """Show what is known.

        Args:
            can_measure: the pair is loaded and idle.
            loses: speculation is on and does not pay.
            measured: there is a baseline already.
        """
        self.sentence.setText(sentence)
        self.measure.setText("Measure again" if measured else "Measure plain decoding")
        self.measure.setEnabled(can_measure)
        self.off.setVisible(loses)
