"""The header of the Models screen: its tabs, the filter of the list, and what is added."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import (
    QButtonGroup,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QSizePolicy,
    QToolButton,
    QWidget,
)

from draftlens.ui.chat.turn_buttons import icon_button
from draftlens.ui.models.add_button import AddButton
from draftlens.ui.sidebar.keys import SearchField
from draftlens.ui.theme import Theme

_NARROW = 760


class Head(QFrame):
    """One button a tab, numbered as they stand."""

    sidebarAsked = Signal()

    def __init__(self, theme: Theme, names: tuple[str, ...], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("toolbar")
        self._theme = theme
        self.tabs = QButtonGroup(self)
        find = QKeySequence(QKeySequence.StandardKey.Find).toString(QKeySequence.SequenceFormat.NativeText)
        self.filter = SearchField(theme, "Filter models", find)
        self.filter.setProperty("kind", "search")
        self.filter.setAccessibleName("Filter models")
        self.filter.setClearButtonEnabled(True)
        self._glass = self.filter.addAction(theme.icon("search", "text3", 14), QLineEdit.ActionPosition.LeadingPosition)
        self.add_button = AddButton(theme)
        self.sidebar = icon_button(theme, "panel-left", "Show the sidebar")
        self._title = QLabel("Models")
        self._title.setProperty("scale", "title")
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 0, 12, 0)
        row.setSpacing(14)
        row.addWidget(self.sidebar)
        row.addWidget(self._title)
        row.addWidget(self._segments(names))
        row.addStretch(1)
        row.addWidget(self.filter, 1000)
        row.addWidget(self.add_button)
        self.sidebar.clicked.connect(self.sidebarAsked)
        theme.changed.connect(self._on_theme)
        self._on_theme()

    def fit(self, width: int) -> None:
        """Give up the title and words where the window is narrow or its text large."""
        px = self._theme.px
        narrow = width < px(_NARROW)
        self._title.setVisible(not narrow)
        self.add_button.set_short(narrow)
        for button in self.tabs.buttons():
            button.setMinimumWidth(0 if narrow else px(104))
        self.filter.setMinimumWidth(px(100))
        self.filter.setMaximumWidth(px(196))

    def _segments(self, names: tuple[str, ...]) -> QFrame:
        segments = QFrame()
        segments.setProperty("kind", "segments")
        segments.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        inner = QHBoxLayout(segments)
        inner.setContentsMargins(2, 2, 2, 2)
        inner.setSpacing(2)
        for number, name in enumerate(names):
            button = QToolButton()
            button.setText(name)
            button.setCheckable(True)
            button.setProperty("kind", "segment")
            self.tabs.addButton(button, number)
            inner.addWidget(button)
        return segments

    def _on_theme(self) -> None:
        self._glass.setIcon(self._theme.icon("search", "text3", 14))
        self.setFixedHeight(self._theme.px(52))
