"""What went wrong or runs otherwise than asked: above the content, in words, never in the way."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QVBoxLayout, QWidget

from draftlens.bridge.state import Problem
from draftlens.ui.theme import Theme


class Banner(QFrame):
    """Title, detail, one safe button where there is one, and a close."""

    retryAsked = Signal()
    closed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("banner")
        self._theme = theme
        self._icon, self.title, self.detail = QLabel(), QLabel(), QLabel()
        self.title.setProperty("scale", "heading")
        self.detail.setProperty("tone", "2")
        self.detail.setProperty("scale", "small")
        for label in (self.title, self.detail):
            label.setTextFormat(Qt.TextFormat.PlainText)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
            label.setWordWrap(True)
        self.retry = QPushButton("Try again")
        self.retry.clicked.connect(self.retryAsked)
        self.close_button = QToolButton()
        self.close_button.setFixedSize(24, 24)
        self.close_button.setIconSize(QSize(14, 14))
        self.close_button.setAccessibleName("Close message")
        self.close_button.clicked.connect(self.closed)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self.title)
        words.addWidget(self.detail)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(14, 10, 10, 10)
        layout.setSpacing(12)
        layout.addWidget(self._icon)
        layout.addLayout(words, 1)
        layout.addWidget(self.retry)
        layout.addWidget(self.close_button)
        theme.changed.connect(self._show_icons)
        self.hide()

    def show_problem(self, problem: Problem | None) -> None:
        """Show a problem, or hide."""
        if problem is None:
            self.hide()
            return
        self.setProperty("kind", "warning" if problem.warning else "error")
        self.style().unpolish(self)
        self.style().polish(self)
        self.title.setText(problem.title)
        self.detail.setText(problem.detail)
        self.setAccessibleName(problem.title)
        self.setAccessibleDescription(problem.detail)
        self.retry.setVisible(problem.can_retry)
        self._show_icons()
        self.show()

    def _show_icons(self) -> None:
        color = "residualText" if self.property("kind") == "warning" else "rejectedText"
        self._icon.setPixmap(self._theme.pixmap("warning", color, 18))
        self.close_button.setIcon(self._theme.icon("close", "text2", 14))
