"""The Models screen: its header, three tabs, and the details beside them."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent, QShowEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.bridge.loading import Loading
from draftlens.core.errors import UserError
from draftlens.library import memory
from draftlens.library.catalog import Installed
from draftlens.library.hub import Found
from draftlens.library.preflight import Preflight
from draftlens.ui.banner import Banner
from draftlens.ui.dialogs.link import ask_link
from draftlens.ui.models import questions
from draftlens.ui.models.details import Details
from draftlens.ui.models.discover import Discover
from draftlens.ui.models.head import Head
from draftlens.ui.models.installed import InstalledPage
from draftlens.ui.models.rows import FITS
from draftlens.ui.models.shelf import Shelf
from draftlens.ui.revealing import SHOW, reveal
from draftlens.ui.sidebar.toast import Toast
from draftlens.ui.theme import Theme, tokens

INSTALLED, DISCOVER, DOWNLOADS = range(3)
_DETAILS_SHARE, _DETAILS_LEAST = 0.42, 300


class ModelsScreen(QWidget):
    """Puts the parts together. `wanted` asks for it to be brought into view."""

    wanted = Signal()
    sidebarAsked = Signal()

    def __init__(self, theme: Theme, bridge: EngineBridge, loading: Loading, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        models = loading.models
        self._theme, self._bridge, self._loading, self.models = theme, bridge, loading, models
        self.installed = InstalledPage(theme, models)
        self.discover = Discover(theme, models)
        self.downloads = Shelf(theme, models, alone=True)
        self.details = Details(theme, models.checking)
        self.toast = Toast(theme)
        self.banner = Banner(theme)
        self._found: Found | None = None
        self._taken: Path | None = None
        self._lay_out()
        self._join()
        self.show_tab(INSTALLED)

    def show_tab(self, tab: int) -> None:
        """Bring a tab into view."""
        if any(button.hasFocus() for button in self.tabs.buttons()):
            self.tabs.button(tab).setFocus()
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
        self.show_tab(DISCOVER)
        self.wanted.emit()

    def show_fitting(self) -> None:
        """List what fits into memory."""
        self.show_tab(INSTALLED)
        self.filter.setText(FITS)
        self.wanted.emit()

    def show_taken(self) -> None:
        """Show what was just taken in, once it is listed."""
        self.show_tab(INSTALLED)
        self.filter.clear()
        self.wanted.emit()

    def look_at(self, repo: str) -> None:
        """Judge a repository and show it under Discover."""
        self._found = Found(repo)
        self._look_anew()
        self.show_tab(DISCOVER)

    def take(self, path: Path) -> None:
        """Take what was dropped or chosen: a GGUF file is imported, a folder is listed."""
        if path.is_dir():
            self.models.take_folder(path)
        else:
            self.models.take_gguf(path)

    def _lay_out(self) -> None:
        head = self._head = Head(self._theme, ("Installed", "Discover", "Downloads"))
        self.tabs, self.filter = head.tabs, head.filter
        self.add_button, self.sidebar = head.add_button, head.sidebar
        head.sidebarAsked.connect(self.sidebarAsked)
        self.pages = QStackedWidget()
        for page in (self.installed, self.discover, self.downloads):
            self.pages.addWidget(page)
        middle = QVBoxLayout()
        middle.setSpacing(0)
        middle.addWidget(self.banner)
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
        self.filter.escaped.connect(self._leave_filter)
        self.add_button.given.connect(self.take)
        self.installed.chosen.connect(self._show_item)
        for part in (self.installed, self.downloads):
            part.discoverAsked.connect(lambda: self.show_tab(DISCOVER))
        self.installed.bar.pairAsked.connect(self._loading.load)
        self.discover.chosen.connect(self._on_found)
        self.discover.pairAsked.connect(self.look_at)
        details.useAsked.connect(lambda item: self._loading.load(item, None))
        details.searchAsked.connect(self._search)
        details.getRepo.connect(self.look_at)
        details.importAsked.connect(lambda item: models.take_gguf(item.path))
        details.resumeAsked.connect(self._resume)
        details.revealAsked.connect(self._reveal)
        details.trashAsked.connect(self._trash)
        details.fetchAsked.connect(self._fetch)
        details.againLookAsked.connect(models.look)
        details.pageAsked.connect(lambda repo: ask_link(self, models.hub.page(repo)))
        details.tokenAsked.connect(self.discover.token.give)
        details.checkAsked.connect(models.checking.begin)
        details.againAsked.connect(self._fetch_again)
        models.checking.changed.connect(lambda: self.show_tab(self.pages.currentIndex()))
        models.lookedChanged.connect(self._show_found)
        models.downloadsChanged.connect(self._count)
        models.taken.connect(self._on_taken)
        models.changed.connect(self._select_taken)
        models.changed.connect(self._pair_loaded)
        self._bridge.modelChanged.connect(self._pair_loaded)
        self.discover.token.troubled.connect(self._loading.tell)
        self.discover.token.changed.connect(self._on_token)
        self.banner.follow(self._bridge)
        self.toast.undoAsked.connect(models.trash.undo)
        self._theme.changed.connect(self._on_theme)

    def _on_theme(self) -> None:
        self._fit()
        self.show_tab(self.pages.currentIndex())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The list keeps more than half of the room, however large the text is."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        self._head.fit(self.width())
        wide = self._theme.px(tokens()["dimensions"]["details"]["width"])
        self.details.setFixedWidth(max(_DETAILS_LEAST, min(wide, round(self.width() * _DETAILS_SHARE))))

    def _leave_filter(self) -> None:
        self.filter.clear()
        self.installed.table.setFocus()

    def _pair_loaded(self) -> None:
        """Until a pair is chosen, the one that is loaded is in view."""
        pairing, target = self.models.pairing, self._loading.target
        if pairing.target is None and target is not None and self.models.scanned:
            pairing.choose(target, self._loading.drafter, suggest=self._loading.drafter is not None)

    def _show_item(self, item: Installed | None) -> None:
        if item is None:
            self.details.show_nothing("Choose a model to see what it is.")
        else:
            self.details.context = self.models.context
            self.details.show_item(item, self.models.estimate(item), SHOW)

    def _on_found(self, found: Found | None) -> None:
        self._found = found
        self._look_anew()
        self._show_found()

    def _on_token(self) -> None:
        """What the hub said of the token before no longer counts."""
        self.models.hub.token_refused = False
        self.discover.say()
        self._look_anew()

    def _look_anew(self) -> None:
        """What failed once, offline or without a token, may work now: choosing the model again asks again."""
        found = self._found
        if found is not None and isinstance(self.models.looked.get(found.repo), UserError):
            self.models.look(found.repo)

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

    def _search(self, words: str) -> None:
        self._found = None
        self.show_tab(DISCOVER)
        self.discover.search_for(words)

    def _fetch(self, repo: str, file: str | None) -> None:
        self.models.fetch(repo, file)
        if any(item.repo == repo for item in self.models.downloads.items):
            self.show_tab(DOWNLOADS)

    def _resume(self, item: Installed) -> None:
        for download in self.models.downloads.items:
            if download.repo == item.repo:
                self.models.resume(download)
                self.show_tab(DOWNLOADS)
                return
        if item.repo:
            self.look_at(item.repo)

    def _reveal(self, item: Installed) -> None:
        try:
            reveal(item.path)
        except UserError as error:
            self._loading.tell(f"{item.name} was not shown", error)

    def _fetch_again(self, item: Installed, names: tuple[str, ...]) -> None:
        # The button goes with what was found.
        self.installed.table.setFocus()
        self.models.fetch_again(item, names)

    def _trash(self, item: Installed) -> None:
        loaded = self._bridge.loaded
        used = loaded is not None and item.path in (
            loaded.target.path,
            None if loaded.drafter is None else loaded.drafter.path,
        )
        if used and not questions.trash_loaded(self, item):
            return
        # The button that was pressed goes with its model; the keys stay in the list.
        self.installed.table.setFocus()
        if self.models.trash.move(item):
            self.toast.show_text(f"“{item.name}” was moved to the trash.")

    def _count(self) -> None:
        count = len(self.models.downloads.unfinished)
        self.tabs.button(DOWNLOADS).setText(f"Downloads · {count}" if count else "Downloads")

    def _on_taken(self, path: Path) -> None:
        self._taken = path
        self._select_taken()

    def _select_taken(self) -> None:
        path = self._taken
        found = next((item for item in self.models.items if path is not None and item.path.is_relative_to(path)), None)
        if found is not None:
            self._taken = None
            self.installed.select(found)
