"""What went wrong or runs otherwise than asked: above the content, in words, never in the way."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QVBoxLayout, QWidget

from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.bridge.state import Problem, Step
from draftlens.ui.theme import Theme


class Banner(QFrame):
    """Title, detail, at most two buttons, the safe one first, and a close."""

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
        self.steps: list[QPushButton] = []
        self.close_button = QToolButton()
        self.close_button.setFixedSize(24, 24)
        self.close_button.setIconSize(QSize(14, 14))
        self.close_button.setAccessibleName("Close message")
        self.close_button.clicked.connect(self.closed)
        words = QVBoxLayout()
        words.setSpacing(2)
        words.addWidget(self.title)
        words.addWidget(self.detail)
        layout = self._row = QHBoxLayout(self)
        layout.setContentsMargins(14, 10, 10, 10)
        layout.setSpacing(12)
        layout.addWidget(self._icon)
        layout.addLayout(words, 1)
        layout.addWidget(self.retry)
        layout.addWidget(self.close_button)
        theme.changed.connect(self._show_icons)
        self.hide()

    def follow(self, bridge: EngineBridge) -> None:
        """Show the bridge's problems as they come and go."""
        self.retryAsked.connect(bridge.retry)
        self.closed.connect(bridge.dismiss)
        bridge.problemChanged.connect(lambda: self.show_problem(bridge.problem))
        self.show_problem(bridge.problem)

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
        self._offer(problem.steps)
        self._show_icons()
        self.show()

    def _offer(self, steps: Sequence[Step]) -> None:
        for button in self.steps:
            self._row.removeWidget(button)
            button.hide()
            button.deleteLater()
        self.steps = []
        for name, run in steps:
            button = QPushButton(name)
            button.clicked.connect(self._doing(run))
            self._row.insertWidget(self._row.count() - 1, button)
            self.steps.append(button)

    def _doing(self, run: Callable[[], None]) -> Callable[[], None]:
        def do() -> None:
            self.closed.emit()
            run()

        return do

    def _show_icons(self) -> None:
        color = "residualText" if self.property("kind") == "warning" else "rejectedText"
        self._icon.setPixmap(self._theme.pixmap("warning", color, 18))
        self.close_button.setIcon(self._theme.icon("close", "text2", 14))
