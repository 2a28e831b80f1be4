"""A check of a model's files in the details: a bar with Cancel while it runs, one sentence when it is done."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QVBoxLayout, QWidget

from draftlens.bridge.checking import Checking
from draftlens.ui.models.cards import wrapped


class CheckRow(QWidget):
    """Shows the check that `checking` holds; where there is none it takes no room."""

    def __init__(self, checking: Checking, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._checking = checking
        self.words = wrapped("", tone="2")
        self.bar = QProgressBar()
        self.bar.setRange(0, 1000)
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName("Checking files")
        self.cancel = QPushButton("Cancel")
        self.cancel.setAccessibleName("Cancel the check")
        self.cancel.clicked.connect(checking.cancel)
        row = QHBoxLayout()
        row.setSpacing(10)
        row.addWidget(self.bar, 1)
        row.addWidget(self.cancel)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(4)
        column.addWidget(self.words)
        column.addLayout(row)
        checking.progressed.connect(self._move)
        self.refresh()

    def refresh(self) -> None:
        """Show where the check stands, or what it found."""
        checking = self._checking
        running = checking.fraction is not None
        self.bar.setVisible(running)
        self.cancel.setVisible(running)
        if running:
            self.words.setText("Checking the files against the hub’s hashes…")
            self.bar.setValue(round(1000 * (checking.fraction or 0)))
        elif checking.problem is not None:
            self.words.setText(str(checking.problem))
        elif checking.found is not None and checking.item is not None:
            self.words.setText(checking.found.sentence(checking.item.name))

    def _move(self, fraction: float) -> None:
        self.bar.setValue(max(self.bar.value(), round(1000 * fraction)))
