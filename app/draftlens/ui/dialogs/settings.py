"""The settings of all chats: not modal, applied at once, nothing to confirm."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import (
    QButtonGroup,
    QDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from draftlens.bridge.preferences import Preferences
from draftlens.settings.settings import Settings
from draftlens.ui.dialogs.memory_page import MemoryPage
from draftlens.ui.dialogs.room import make_room
from draftlens.ui.dialogs.settings_pages import AdvancedPage, GeneralPage, Page, SpeculationPage
from draftlens.ui.dialogs.storage_page import StoragePage
from draftlens.ui.theme import Theme

_TABS: tuple[tuple[str, str, type[Page]], ...] = (
    ("General", "gear", GeneralPage),
    ("Speculation", "chart", SpeculationPage),
    ("Storage", "folder", StoragePage),
    ("Memory", "models", MemoryPage),
    ("Advanced", "info", AdvancedPage),
)


class SettingsDialog(QDialog):
    """Tabs above, the page, and below a way back to the defaults."""

    def __init__(self, theme: Theme, preferences: Preferences, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._preferences = theme, preferences
        # What the defaults took the place of; until another change it can be had back.
        self._before: Settings | None = None
        self.setWindowTitle("Settings")
        bar = QFrame()
        bar.setObjectName("tabs")
        row = QHBoxLayout(bar)
        row.setContentsMargins(0, 10, 0, 8)
        row.setSpacing(8)
        row.addStretch(1)
        self.stack = QStackedWidget()
        self._group = QButtonGroup(self)
        self.tabs: dict[str, QToolButton] = {}
        self.pages: dict[str, Page] = {}
        for number, (name, _, make) in enumerate(_TABS):
            button = QToolButton()
            button.setText(name)
            button.setAccessibleName(name)
            button.setProperty("kind", "tab")
            button.setCheckable(True)
            button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextUnderIcon)
            button.setIconSize(QSize(18, 18))
            # By a click too: the ring would stay around the tab that was left.
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
            self._group.addButton(button, number)
            row.addWidget(button)
            self.tabs[name] = button
            page = self.pages[name] = make(theme, preferences)
            self.stack.addWidget(page)
        row.addStretch(1)
        self.restore = QPushButton("Restore defaults")
        self.restore.setProperty("kind", "flat")
        self.restore.clicked.connect(self._restore)
        note = QLabel("Changes apply to the next reply")
        note.setProperty("tone", "3")
        foot = QFrame()
        foot.setObjectName("dialogFoot")
        under = QHBoxLayout(foot)
        under.setContentsMargins(8, 8, 20, 8)
        under.addWidget(self.restore)
        under.addStretch(1)
        under.addWidget(note)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(bar)
        layout.addWidget(self.stack, 1)
        layout.addWidget(foot)
        self._group.idClicked.connect(lambda number: self.show_tab(_TABS[number][0]))
        preferences.changed.connect(self._refresh)
        theme.changed.connect(self._dress)
        self._refresh()
        self.show_tab("General")
        self._dress()

    def show_tab(self, name: str) -> None:
        """Show a page."""
        self.tabs[name].setChecked(True)
        self.stack.setCurrentWidget(self.pages[name])
        # A page that was not in view yet is only now as high as the style wants its fields.
        make_room(self, self._theme.px(600))

    def _restore(self) -> None:
        before, now = self._before, self._preferences.settings
        if before is not None:
            self._preferences.put(before)
            return
        self._preferences.restore()
        if self._preferences.settings != now:
            self._before = now
            self.restore.setText("Undo “Restore defaults”")

    def _refresh(self) -> None:
        self._before = None
        self.restore.setText("Restore defaults")
        for page in self.pages.values():
            page.refresh()

    def _dress(self) -> None:
        px = self._theme.px
        for name, icon, _ in _TABS:
            self.tabs[name].setIcon(self._theme.icon(icon, "text2", 18))
            self.tabs[name].setMinimumSize(px(88), px(46))
        make_room(self, px(600))
