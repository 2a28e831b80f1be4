"""The turns in a column of readable width; it follows the newest text only while its end is in view."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QPushButton, QScrollArea, QVBoxLayout, QWidget

from draftlens.bridge.state import Turn
from draftlens.ui.chat.turn_view import TurnView
from draftlens.ui.column import Column
from draftlens.ui.theme import Theme

_SLACK = 8


class Transcript(QScrollArea):
    """Shows the turns it is given."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._turns: list[TurnView] = []
        self._tinted = True
        self._following = True
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName("Conversation")
        column = QWidget()
        self._column = QVBoxLayout(column)
        self._column.setContentsMargins(0, 20, 0, 24)
        self._column.setSpacing(28)
        self._column.addStretch(1)
        body = Column(column)
        body.setObjectName("transcript")
        self.setWidget(body)

        self.pill = QPushButton("Jump to latest", self)
        self.pill.setProperty("kind", "pill")
        self.pill.clicked.connect(self.follow)
        self.pill.hide()
        theme.changed.connect(self._show_icons)
        self._show_icons()
        bar = self.verticalScrollBar()
        bar.valueChanged.connect(self._on_scrolled)
        bar.rangeChanged.connect(self._on_grown)

    @property
    def turns(self) -> list[TurnView]:
        """The turns shown, oldest first."""
        return self._turns

    def add(self, turn: Turn) -> None:
        """Show one more turn at the end, and go there: the user has just written it."""
        view = TurnView(self._theme, turn, tinted=self._tinted)
        self._turns.append(view)
        self._column.insertWidget(self._column.count() - 1, view)
        self.follow()

    def refresh(self) -> None:
        """Take over what the newest reply gained."""
        if self._turns:
            self._turns[-1].refresh()

    def refresh_header(self) -> None:
        """Show the newest reply's figures."""
        if self._turns:
            self._turns[-1].refresh_header()

    def set_tinted(self, on: bool) -> None:
        """Show or hide where the tokens came from, in every turn."""
        self._tinted = on
        for view in self._turns:
            view.set_tinted(on)

    def follow(self) -> None:
        """Go to the end and stay with it."""
        self._following = True
        bar = self.verticalScrollBar()
        bar.setValue(bar.maximum())
        self.pill.hide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the pill at the lower edge."""
        super().resizeEvent(event)
        size = self.pill.sizeHint()
        self.pill.setGeometry((self.width() - size.width()) // 2, self.height() - 40, size.width(), 28)

    def _on_scrolled(self, value: int) -> None:
        self._following = value >= self.verticalScrollBar().maximum() - _SLACK
        self.pill.setVisible(not self._following)

    def _on_grown(self) -> None:
        bar = self.verticalScrollBar()
        if self._following:
            bar.setValue(bar.maximum())
        self.pill.setVisible(not self._following and bar.maximum() > 0)

    def _show_icons(self) -> None:
        self.pill.setIcon(self._theme.icon("arrow-down", "text2", 14))
