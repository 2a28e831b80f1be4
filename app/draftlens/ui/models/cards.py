"""The pieces of the details pane: the refusal panel, a card with its buttons, and the lines of evidence."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from draftlens.library.refusal import Refusal
from draftlens.ui.theme import Theme

Step = tuple[str, Callable[[], None]]


def wrapped(text: str, *, tone: str = "", scale: str = "", bold: bool = False) -> QLabel:
    """A label of whole sentences that can be selected."""
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    if tone:
        label.setProperty("tone", tone)
    if scale:
        label.setProperty("scale", scale)
    if bold:
        label.setStyleSheet("font-weight: 600;")
    return label


class RefusalPanel(QFrame):
    """Amber, not red: the file is fine, the use is not."""

    def __init__(self, theme: Theme, refusal: Refusal, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "refusal")
        self.setAccessibleName(refusal.title)
        self.setAccessibleDescription(" ".join(refusal.paragraphs))
        icon = QLabel()
        icon.setPixmap(theme.pixmap("warning", "text", 16))
        head = QHBoxLayout()
        head.setSpacing(10)
        head.addWidget(icon)
        self.title = wrapped(refusal.title, scale="heading")
        head.addWidget(self.title, 1)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 12, 14, 12)
        column.setSpacing(8)
        column.addLayout(head)
        self.paragraphs = [wrapped(text) for text in refusal.paragraphs]
        for label in self.paragraphs:
            column.addWidget(label)


class ChoiceCard(QFrame):
    """One thing to do instead: its name, a sentence, and a button where there is something to press."""

    def __init__(self, title: str, text: str, steps: Sequence[Step], *, primary: bool = False) -> None:
        super().__init__()
        self.setProperty("kind", "choice")
        column = QVBoxLayout(self)
        column.setContentsMargins(12, 10, 12, 10)
        column.setSpacing(8)
        words = QLabel(f"<b>{_escaped(title)}</b> {_escaped(text)}")
        words.setTextFormat(Qt.TextFormat.RichText)
        words.setWordWrap(True)
        column.addWidget(words)
        row = QHBoxLayout()
        row.setSpacing(8)
        self.buttons: list[QPushButton] = []
        for name, run in steps:
            button = QPushButton(name)
            if primary and not self.buttons:
                button.setProperty("kind", "primary")
            button.clicked.connect(lambda _checked=False, run=run: run())
            self.buttons.append(button)
            row.addWidget(button)
        row.addStretch(1)
        if steps:
            column.addLayout(row)


class Evidence(QWidget):
    """What was looked at and what was found, in mono."""

    def __init__(self, theme: Theme, facts: Sequence[tuple[str, str]], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        grid = QGridLayout(self)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(6)
        for row, (name, value) in enumerate(facts):
            for column, text in enumerate((name, value)):
                label = wrapped(text, tone="2" if column == 0 else "")
                label.setFont(theme.font("data"))
                label.setProperty("kind", "fact")
                grid.addWidget(label, row, column, Qt.AlignmentFlag.AlignTop)
        grid.setColumnMinimumWidth(0, theme.px(160))
        grid.setColumnStretch(1, 1)


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;")
