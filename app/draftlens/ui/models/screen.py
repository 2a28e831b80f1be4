"""The Models screen: its header, three tabs, and the details beside them."""

from __future__ import annotations

import sys
from pathlib import Path

from PySide6.QtCore import Qt, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QShowEvent
from PySide6.QtWidgets import (
    QButtonGroup,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.bridge.models import Models
from draftlens.core.errors import UserError
from draftlens.library import memory
from draftlens.library.catalog import Installed
from draftlens.library.hub import Found
from draftlens.library.memory import Fit
from draftlens.library.preflight import Preflight
from draftlens.ui.chat.turn_buttons import icon_button
from draftlens.ui.models import questions
from draftlens.ui.models.details import Details
from draftlens.ui.models.discover import Discover
from draftlens.ui.models.installed import InstalledPage
from draftlens.ui.models.shelf import Shelf
from draftlens.ui.sidebar.toast import Toast
from draftlens.ui.theme import Theme, tokens

INSTALLED, DISCOVER, DOWNLOADS = range(3)
FINDER = "Show in Finder" if sys.platform == "darwin" else "Show in file manager"


class ModelsScreen(QWidget):
    """Puts the parts together; loading is asked of the engine's bridge."""

    loadAsked = Signal(object, object)
    folderAdded = Signal(Path)
    openDiscover = Signal()
    sidebarAsked = Signal()

    def __init__(self, theme: Theme, bridge: EngineBridge, models: Models, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._theme, self._bridge, self.models = theme, bridge, models
        self.installed = InstalledPage(theme, models)
        self.discover = Discover(theme, models)
        self.downloads = Shelf(theme, models, alone=True)
        self.details = Details(theme)
        self.details.setFixedWidth(theme.px(tokens()["dimensions"]["details"]["width"]) - 20)
        self.toast = Toast(theme)
        self.notice = QLabel()
        self.notice.setProperty("kind", "notice")
        self.notice.setWordWrap(True)
        self.notice.setMargin(8)
        self.notice.hide()
        self._found: Found | None = None
        self._lay_out()
        self._join()
        self.show_tab(INSTALLED)

    def show_tab(self, tab: int) -> None:
        """Bring a tab into view."""
        self.tabs.button(tab).setChecked(True)
        self.pages.setCurrentIndex(tab)
        self.filter.setVisible(tab == INSTALLED)
        self.details.setVisible(tab != DOWNLOADS)
        if tab == INSTALLED:
            self._show_item(self.installed.current)
        elif tab == DISCOVER:
            self._show_found()

    def begin_find(self) -> None:
        """Begin to type what is looked for."""
        field = self.filter if self.pages.currentIndex() == INSTALLED else self.discover.field
        field.setFocus()
        field.selectAll()

    def showEvent(self, event: QShowEvent) -> None:
        """The disk is looked at when the list is first wanted."""
        super().showEvent(event)
        self.models.begin()

    def open_discover(self) -> None:
        """Somebody elsewhere wants to browse the hub."""
        self.openDiscover.emit()

    def look_at(self, repo: str) -> None:
        """Judge a repository and show it under Discover."""
        self._found = Found(repo)
        self.show_tab(DISCOVER)

    def add(self) -> None:
        """Add a folder of models, or take in a GGUF file."""
        menu = QMenu(self)
        menu.addAction("Add a folder of models…", self._add_folder)
        menu.addAction("Import a GGUF file…", self._choose_gguf)
        menu.exec(self.add_button.mapToGlobal(self.add_button.rect().bottomLeft()))
        menu.deleteLater()

    def take(self, path: Path) -> None:
        """Take what was dropped or chosen: a GGUF file is imported, a folder is listed."""
        if path.suffix == ".gguf":
            self.models.take_gguf(path)
        else:
            self.folderAdded.emit(path)

    def _lay_out(self) -> None:
        theme = self._theme
        title = QLabel("Models")
        title.setProperty("scale", "title")
        self.tabs = QButtonGroup(self)
        segments = QFrame()
        segments.setProperty("kind", "segments")
        segments.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        inner = QHBoxLayout(segments)
        inner.setContentsMargins(2, 2, 2, 2)
        inner.setSpacing(2)
        for number, name in enumerate(("Installed", "Discover", "Downloads")):
            button = QToolButton()
            button.setText(name)
            button.setCheckable(True)
            button.setProperty("kind", "segment")
            button.setMinimumWidth(theme.px(104))
            self.tabs.addButton(button, number)
            inner.addWidget(button)
        self.filter = QLineEdit()
        self.filter.setProperty("kind", "search")
        self.filter.setPlaceholderText("Filter models")
        self.filter.setAccessibleName("Filter models")
        self.filter.setClearButtonEnabled(True)
        self.filter.setFixedWidth(theme.px(196))
        self._glass = self.filter.addAction(theme.icon("search", "text3", 14), QLineEdit.ActionPosition.LeadingPosition)
        self.add_button = QPushButton("Add folder or GGUF…")
        self.add_button.setIcon(theme.icon("folder", "text", 14))
        head = QFrame()
        head.setObjectName("toolbar")
        head.setFixedHeight(theme.px(52))
        row = QHBoxLayout(head)
        row.setContentsMargins(16, 0, 12, 0)
        row.setSpacing(14)
        self.sidebar = icon_button(theme, "panel-left", "Show the sidebar")
        self.sidebar.clicked.connect(self.sidebarAsked)
        row.addWidget(self.sidebar)
        row.addWidget(title)
        row.addWidget(segments)
        row.addStretch(1)
        row.addWidget(self.filter)
        row.addWidget(self.add_button)
        self.pages = QStackedWidget()
        for page in (self.installed, self.discover, self.downloads):
            self.pages.addWidget(page)
        middle = QVBoxLayout()
        middle.setSpacing(0)
        middle.addWidget(self.notice)
        middle.addWidget(self.pages, 1)
        middle.addWidget(self.toast)
        below = QHBoxLayout()
        below.setSpacing(0)
        below.addLayout(middle, 1)
        below.addWidget(self.details)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(head)
        column.addLayout(below, 1)

    def _join(self) -> None:
        models, details = self.models, self.details
        self.tabs.idClicked.connect(self.show_tab)
        self.filter.textChanged.connect(self.installed.rows.filter)
        self.add_button.clicked.connect(self.add)
        self.installed.chosen.connect(self._show_item)
        self.installed.discoverAsked.connect(lambda: self.show_tab(DISCOVER))
        self.installed.bar.pairAsked.connect(self._load)
        self.discover.chosen.connect(self._on_found)
        self.discover.pairAsked.connect(self.look_at)
        details.useAsked.connect(lambda item: self._load(item, None))
        details.findDrafters.connect(self._find_drafters)
        details.getRepo.connect(self.look_at)
        details.importAsked.connect(lambda item: models.take_gguf(item.path))
        details.resumeAsked.connect(self._resume)
        details.revealAsked.connect(self._reveal)
        details.trashAsked.connect(self._trash)
        details.fetchAsked.connect(models.fetch)
        models.lookedChanged.connect(self._show_found)
        models.downloadsChanged.connect(self._count)
        models.troubled.connect(self._tell)
        self.discover.token.troubled.connect(self._tell)
        self.toast.undoAsked.connect(models.undo_trash)
        self._theme.changed.connect(self._on_theme)

    def _on_theme(self) -> None:
        self.add_button.setIcon(self._theme.icon("folder", "text", 14))
        self._glass.setIcon(self._theme.icon("search", "text3", 14))
        self.show_tab(self.pages.currentIndex())

    def _show_item(self, item: Installed | None) -> None:
        if item is None:
            self.details.show_nothing("Choose a model to see what it is.")
        else:
            self.details.show_item(item, self.models.estimate(item), FINDER)

    def _on_found(self, found: Found) -> None:
        self._found = found
        self._show_found()

    def _show_found(self) -> None:
        if self.pages.currentIndex() != DISCOVER:
            return
        found = self._found
        if found is None:
            self.details.show_nothing("Choose a model to see whether it can run here. Only its headers are read.")
            return
        looked = self.models.looked.get(found.repo)
        if looked is None:
            self.models.look(found.repo)
        need = looked.need if isinstance(looked, Preflight) else None
        self.details.show_found(found, looked, memory.estimate(need, limit=self.models.limit))

    def _find_drafters(self, family: str) -> None:
        self._found = None
        self.show_tab(DISCOVER)
        self.discover.search_for(family)

    def _load(self, target: Installed, drafter: Installed | None) -> None:
        if not self._bridge.can_load:
            self._tell("A reply or a load is going on", UserError("Stop it first, then load other models."))
            return
        estimate = self.models.estimate(target, drafter)
        if estimate.fit is Fit.TOO_BIG and not questions.load_anyway(self, target, estimate, self.models.context):
            return
        self.loadAsked.emit(target, drafter)

    def _resume(self, item: Installed) -> None:
        for download in self.models.downloads.items:
            if download.repo == item.repo:
                self.models.resume(download)
                self.show_tab(DOWNLOADS)
                return
        if item.repo:
            self.look_at(item.repo)

    def _reveal(self, item: Installed) -> None:
        place = item.path if item.path.is_dir() else item.path.parent
        QDesktopServices.openUrl(QUrl.fromLocalFile(str(place)))

    def _trash(self, item: Installed) -> None:
        loaded = self._bridge.loaded
        used = loaded is not None and item.path in (
            loaded.target.path,
            None if loaded.drafter is None else loaded.drafter.path,
        )
        if used and not questions.trash_loaded(self, item):
            return
        if self.models.trash(item):
            self.toast.show_text(f"“{item.name}” was moved to the trash.")

    def _add_folder(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, "Add a folder of models")
        if folder:
            self.folderAdded.emit(Path(folder))

    def _choose_gguf(self) -> None:
        name, _ = QFileDialog.getOpenFileName(self, "Import a GGUF file", "", "GGUF files (*.gguf)")
        if name:
            self.models.take_gguf(Path(name))

    def _count(self) -> None:
        count = len(self.models.downloads.unfinished)
        self.tabs.button(DOWNLOADS).setText(f"Downloads · {count}" if count else "Downloads")

    def _tell(self, title: str, error: UserError) -> None:
        self.notice.setText(f"{title}. {error}")
        self.notice.show()
