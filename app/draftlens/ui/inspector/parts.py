"""Small parts the inspector's tabs share: headings, token names, figures, the legend of the bars."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLayout, QVBoxLayout, QWidget

from draftlens.bridge import figures
from draftlens.core.round import Fate, Source
from draftlens.ui.eliding_label import ElidingLabel
from draftlens.ui.inspector.bars import Swatch
from draftlens.ui.shapes import MarkWidget
from draftlens.ui.theme import Theme


class TokenName(QWidget):
    """A mark, a token, and a word for what it is."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._mark: MarkWidget | None = None
        self.text, self.word = QLabel(), QLabel()
        self.text.setFont(theme.font("code"))
        self.text.setTextFormat(Qt.TextFormat.PlainText)
        self.word.setProperty("tone", "2")
        self.word.setProperty("scale", "small")
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(6)
        self._row.addWidget(self.text)
        self._row.addWidget(self.word)

    def show_token(self, mark: Fate | Source, text: str, word: str) -> None:
        """Show a token."""
        if self._mark is not None:
            self._mark.hide()
            self._mark.deleteLater()
        self._mark = MarkWidget(mark, self._theme)
        self._row.insertWidget(0, self._mark)
        self.text.setText(text)
        self.text.setFont(self._theme.font("code"))
        self.word.setText(word)


class Figure(QFrame):
    """A small tile: name above, value below."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setProperty("kind", "tile")
        self.name, self.value = QLabel(), QLabel()
        self.name.setProperty("tone", "2")
        self.name.setProperty("scale", "caption")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 5, 4, 5)
        layout.setSpacing(2)
        layout.addWidget(self.name)
        layout.addWidget(self.value)

    def show_value(self, name: str, value: str, meaning: str) -> None:
        """Show a figure."""
        self.name.setText(name)
        self.value.setFont(self._theme.font("code"))
        self.value.setText(value)
        self.setToolTip(meaning)
        self.setAccessibleName(f"{name} {'not measured' if value == figures.DASH else value}")


class BarLegend(QWidget):
    """What the two kinds of bar and the hatching mean."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(4)
        for name, words in (("target", "p target"), ("drafter", "q drafter"), ("overlap", "min(p, q)")):
            row.addWidget(Swatch(theme, name))
            label = QLabel(words)
            label.setProperty("tone", "2")
            label.setProperty("scale", "caption")
            row.addWidget(label)
            row.addSpacing(4)


def heading(text: str | QLabel, *right: QWidget) -> QHBoxLayout:
    """A section's name, which gives way where there is no room, and what stands at its right, which does not."""
    row = QHBoxLayout()
    label = text if isinstance(text, QLabel) else ElidingLabel()
    if isinstance(label, ElidingLabel) and isinstance(text, str):
        label.show_text(text)
    label.setProperty("scale", "heading")
    row.addWidget(label)
    row.addStretch(1)
    for part in right:
        row.addWidget(part)
    return row


def section(*parts: QWidget | QLayout) -> QVBoxLayout:
    """Parts below each other that belong together."""
    column = QVBoxLayout()
    column.setSpacing(6)
    for part in parts:
        if isinstance(part, QWidget):
            column.addWidget(part)
        else:
            column.addLayout(part)
    return column
