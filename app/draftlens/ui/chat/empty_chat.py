"""In place of the first turn: how far the load is, then what will appear here and one thing to do."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget


class EmptyChat(QWidget):
    """In place of the first turn: how far the load is, then what will appear here and one thing to do."""

    sampleAsked = Signal()
    logAsked = Signal()
    retryAsked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title, self.words = QLabel(), QLabel()
        self.title.setProperty("scale", "title")
        self.words.setProperty("tone", "2")
        self.words.setWordWrap(True)
        self.words.setFixedWidth(420)
        for label in (self.title, self.words):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setFixedWidth(320)
        self.progress.setRange(0, 1000)
        self.progress.setAccessibleName("Loading")
        self.sample = QPushButton("Write a sample prompt")
        self.sample.clicked.connect(self.sampleAsked)
        self.log = QPushButton("Show log")
        self.log.clicked.connect(self.logAsked)
        self.retry = QPushButton("Retry")
        self.retry.clicked.connect(self.retryAsked)
        slow = QHBoxLayout()
        slow.addStretch(1)
        slow.addWidget(self.log)
        slow.addWidget(self.retry)
        slow.addStretch(1)
        # Aligned by stretches: an aligned label is given the height of its text at the whole width.
        words = QHBoxLayout()
        words.addStretch(1)
        words.addWidget(self.words)
        words.addStretch(1)
        layout = QVBoxLayout(self)
        layout.setSpacing(10)
        layout.addStretch(2)
        layout.addWidget(self.title, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addLayout(words)
        for part in (self.progress, self.sample):
            layout.addWidget(part, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addLayout(slow)
        layout.addStretch(3)

    def show_loading(self, stage: str, fraction: float | None, *, slow: bool = False) -> None:
        """Show a load's progress; without a known fraction only its stage."""
        self._show_slow(slow)
        self.title.setText(f"{stage}…" if fraction is None else f"{stage}, {fraction:.0%}")
        waits = "A prompt can be written meanwhile; Send waits until the model is ready."
        self.words.setText("Still loading. Nothing was heard for 20 s." if slow else waits)
        self.progress.setVisible(fraction is not None)
        self.progress.setValue(round(1000 * (fraction or 0)))
        self.sample.hide()

    def show_ready(self, model: str) -> None:
        """Show what to do."""
        self._show_slow(False)
        self.title.setText(f"{model} is ready")
        self.words.setText("Replies appear here as they are drafted and decided, with every round beside them.")
        self.progress.hide()
        self.sample.show()

    def _show_slow(self, slow: bool) -> None:
        self.log.setVisible(slow)
        self.retry.setVisible(slow)
