"""New chat, search, the list, what was deleted, and below whether a model is ready."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.bridge.shelf import Shelf
from draftlens.ui.chat.turn_buttons import icon_button
from draftlens.ui.eliding_label import ElidingLabel
from draftlens.ui.screens import CHAT, ScreenLinks, Screens
from draftlens.ui.sidebar.keys import KeyButton, SearchField
from draftlens.ui.sidebar.list import ChatList
from draftlens.ui.sidebar.question import ask_purge
from draftlens.ui.sidebar.toast import Toast
from draftlens.ui.theme import Theme
from draftlens.ui.toolbar.toolbar import HEIGHT

SEARCH_MS = 150
SEARCH_KEYS = "Ctrl+Shift+F"


class Sidebar(QWidget):
    """Shows the shelf and does what is asked of it."""

    hideAsked = Signal()
    settingsAsked = Signal()
    exportAsked = Signal(str)
    chatChosen = Signal()
    searchLeft = Signal()

    def __init__(
        self, theme: Theme, bridge: EngineBridge, shelf: Shelf, screens: Screens, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("sidebar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._theme, self._bridge, self._shelf, self._screens = theme, bridge, shelf, screens
        self.hide_button = icon_button(theme, "panel-left", "Hide the sidebar")
        self.hide_button.clicked.connect(self.hideAsked)
        self.new = KeyButton(theme, "New chat", _keys(QKeySequence.StandardKey.New))
        self.new.setToolTip(f"New chat ({_keys(QKeySequence.StandardKey.New)})")
        self.new.clicked.connect(self._begin)
        self.search = SearchField(theme, "Search chats", _keys(SEARCH_KEYS))
        self.search.setProperty("kind", "search")
        self.search.setAccessibleName("Search chats")
        self.search.setClearButtonEnabled(True)
        self._glass = self.search.addAction(theme.icon("search", "text3", 14), QLineEdit.ActionPosition.LeadingPosition)
        for part in self.search.findChildren(QToolButton):
            part.setAccessibleName("Search chats")
        self.screens = ScreenLinks(theme, screens)
        self.list = ChatList(theme)
        self.empty = QLabel()
        self.empty.setWordWrap(True)
        self.empty.setProperty("tone", "3")
        self.empty.setProperty("scale", "small")
        self.empty.setContentsMargins(16, 12, 16, 0)
        self.deleted = QPushButton()
        self.deleted.setProperty("kind", "flat")
        self.deleted.clicked.connect(lambda: shelf.show_deleted(not shelf.deleted_shown))
        self.toast = Toast(theme)
        self.toast.undoAsked.connect(shelf.undo)
        self.dot, self.status = QLabel(), ElidingLabel(Qt.TextElideMode.ElideMiddle)
        self.dot.setFixedSize(10, 10)
        self.status.setProperty("tone", "2")
        self.gear = icon_button(theme, "gear", "Settings")
        self.gear.clicked.connect(self.settingsAsked)
        self._debounce = QTimer(self)
        self._debounce.setSingleShot(True)
        self._debounce.setInterval(SEARCH_MS)
        self._debounce.timeout.connect(lambda: shelf.search(self.search.text()))
        self._lay_out()
        self.search.textChanged.connect(self._debounce.start)
        self.search.returnPressed.connect(self._open_first)
        self.search.escaped.connect(self._leave_search)
        self.list.chosen.connect(self._choose)
        self.list.renamed.connect(shelf.rename)
        self.list.deleteAsked.connect(self._delete)
        self.list.customContextMenuRequested.connect(self._show_menu)
        shelf.changed.connect(self.refresh)
        screens.changed.connect(self.refresh)
        bridge.modelChanged.connect(self._show_status)
        bridge.stateChanged.connect(self._show_status)
        theme.changed.connect(self._show_icons)
        self._show_icons()
        self.refresh()
        self._show_status()

    def refresh(self) -> None:
        """Show the list as it is."""
        shelf = self._shelf
        rows = shelf.rows()
        # What is in view is lit, and nothing else is.
        shown = self._bridge.chat.id if self._screens.current == CHAT else None
        self.list.show_rows(rows, shown, editable=not shelf.deleted_shown)
        self.list.setVisible(bool(rows))
        self.empty.setVisible(not rows)
        if shelf.query:
            self.empty.setText(f"No chat holds “{shelf.query.strip()}”.")
        else:
            self.empty.setText("Chats are kept on this computer and appear here as you start them.")
        self.deleted.setVisible(shelf.deleted_shown or shelf.has_deleted())
        self.deleted.setText("Back to chats" if shelf.deleted_shown else "Recently Deleted")

    def focus_search(self) -> None:
        """Begin a search."""
        self.search.setFocus()
        self.search.selectAll()

    def _leave_search(self) -> None:
        """Escape takes the words away, then leaves."""
        if self.search.text():
            self.search.clear()
        else:
            self.searchLeft.emit()

    def _lay_out(self) -> None:
        top = QHBoxLayout()
        top.setContentsMargins(12, 0, 10, 0)
        name = QLabel("Draftlens")
        name.setProperty("scale", "heading")
        top.addWidget(name)
        top.addStretch(1)
        top.addWidget(self.hide_button)
        above = self._above = QWidget()
        above.setLayout(top)
        middle = QVBoxLayout()
        middle.setContentsMargins(12, 6, 12, 4)
        middle.setSpacing(8)
        middle.addWidget(self.new)
        middle.addWidget(self.search)
        bottom = QFrame()
        bottom.setObjectName("sidebarFoot")
        row = QHBoxLayout(bottom)
        row.setContentsMargins(16, 8, 12, 8)
        row.setSpacing(8)
        row.addWidget(self.dot)
        row.addWidget(self.status)
        row.addStretch(1)
        row.addWidget(self.gear)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(above)
        layout.addLayout(middle)
        layout.addWidget(self.screens)
        layout.addWidget(self.empty)
        layout.addWidget(self.list, 1)
        layout.addStretch(0)
        layout.addWidget(self.toast)
        layout.addWidget(self.deleted)
        layout.addWidget(bottom)

    def _begin(self) -> None:
        self._bridge.new_chat()
        self.chatChosen.emit()

    def _choose(self, id: str) -> None:
        if self._shelf.deleted_shown:
            # It cannot be read there; what can be done with it is said instead of nothing.
            self._show_menu(self.list.place_of(id))
        elif self._bridge.open(id):
            self.chatChosen.emit()

    def _open_first(self) -> None:
        self._debounce.stop()
        self._shelf.search(self.search.text())
        first = next((row.id for row in self._shelf.rows() if row.id), None)
        if first is not None:
            self._choose(first)

    def _delete(self, id: str, title: str) -> None:
        if self._shelf.deleted_shown:
            return
        self._shelf.delete(id, title)
        self.toast.show_text(f"“{title}” was deleted.")

    def _show_menu(self, place: QPoint) -> None:
        found = self.list.at(place)
        if found is None:
            return
        menu = self.menu_for(*found)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        menu.popup(self.list.viewport().mapToGlobal(place))

    def menu_for(self, id: str, title: str) -> QMenu:
        """What can be done with a conversation."""
        menu = QMenu(self)
        if self._shelf.deleted_shown:
            steps: tuple[tuple[str, Callable[[], object]], ...] = (
                ("Restore", lambda: self._shelf.restore(id)),
                ("Delete for good", lambda: ask_purge(self, title, lambda: self._shelf.purge(id))),
            )
        else:
            steps = (
                ("Rename", lambda: self.list.rename(id)),
                ("Export…", lambda: self.exportAsked.emit(id)),
                ("Delete", lambda: self._delete(id, title)),
            )
        for name, run in steps:
            action = QAction(name, menu)
            action.triggered.connect(lambda _checked=False, run=run: run())
            menu.addAction(action)
        return menu

    def _show_status(self) -> None:
        bridge = self._bridge
        if bridge.loading is not None:
            text, color = f"{bridge.loading.stage}…", "residual"
        elif bridge.loaded is None:
            text, color = "No model loaded", "untested"
        elif bridge.comparing or bridge.aside:
            text, color = bridge.comparing or bridge.aside, "accepted"
        else:
            size = bridge.loaded.target.weights_bytes
            if bridge.loaded.drafter is not None:
                size += bridge.loaded.drafter.weights_bytes
            text, color = f"MLX ready · {size / 1e9:.1f} GB", "accepted"
            self.status.setToolTip("Size of the weights that are loaded")
        self.status.show_text(text)
        self.dot.setStyleSheet(f"background: {self._theme.color(color).name()}; border-radius: 5px;")

    def _show_icons(self) -> None:
        theme = self._theme
        # As high as the toolbar beside it.
        self._above.setFixedHeight(theme.px(HEIGHT))
        self.new.setIcon(theme.icon("plus", "text", 14))
        self.new.setIconSize(QSize(14, 14))
        self._glass.setIcon(theme.icon("search", "text3", 14))
        self.hide_button.setIcon(theme.icon("panel-left", "text2", 16))
        self.gear.setIcon(theme.icon("gear", "text2", 16))
        self.deleted.setIcon(theme.icon("trash", "text3", 14))
        self._show_status()


def _keys(key: QKeySequence.StandardKey | str) -> str:
    return QKeySequence(key).toString(QKeySequence.SequenceFormat.NativeText)
