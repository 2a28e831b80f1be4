"""The window: sidebar, toolbar, banner, and either the first-run view or chat and inspector side by side."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QKeySequence, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFileDialog, QMainWindow, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.bridge.preferences import Preferences
from draftlens.bridge.shelf import Shelf
from draftlens.ui.banner import Banner
from draftlens.ui.chat.chat_pane import ChatPane
from draftlens.ui.commands import Commands
from draftlens.ui.dropping import Dropping, parted, refused
from draftlens.ui.first_run import FirstRun
from draftlens.ui.focus_order import focus_order, set_order
from draftlens.ui.inspector.actions import InspectorActions
from draftlens.ui.inspector.inspector import Inspector
from draftlens.ui.models.place import ModelsPlace
from draftlens.ui.panes import Panes
from draftlens.ui.screens import CHAT, COMPARE, MODELS, Screens
from draftlens.ui.sidebar.sidebar import Sidebar
from draftlens.ui.tabbing import follow_tab
from draftlens.ui.theme import Theme, tokens
from draftlens.ui.toolbar.toolbar import Toolbar

if TYPE_CHECKING:
    from draftlens.ui.compare.screen import CompareScreen
    from draftlens.ui.models.screen import ModelsScreen

PROVENANCE_KEYS = "Ctrl+Shift+P"


class MainWindow(QMainWindow):
    """Puts the parts together.

    Args:
        settings_file: where position and sizes are kept; None keeps nothing.
        first_prompt: sent as soon as a model is ready.
    """

    def __init__(
        self,
        theme: Theme,
        bridge: EngineBridge,
        settings_file: Path | None = None,
        first_prompt: str | None = None,
        preferences: Preferences | None = None,
    ) -> None:
        super().__init__()
        size = tokens()["dimensions"]
        self._theme, self._bridge, self._first_prompt = theme, bridge, first_prompt
        self.preferences = preferences or Preferences()
        self._shown = False
        self.setWindowTitle("Draftlens")
        self.setMinimumSize(*size["window"]["minimum"])
        self.resize(*size["window"]["default"])
        self.shelf, self.screens = Shelf(bridge, self), Screens()
        self.sidebar = Sidebar(theme, bridge, self.shelf, self.screens)
        self.sidebar.setMinimumWidth(size["sidebar"]["min"])
        self.sidebar.setMaximumWidth(size["sidebar"]["max"])
        self._place = ModelsPlace(self, bridge)
        self.toolbar = Toolbar(theme, bridge, lambda: self._place.loading)
        self.banner = Banner(theme)
        self.first_run = FirstRun(theme)
        keys = QKeySequence(PROVENANCE_KEYS).toString(QKeySequence.SequenceFormat.NativeText)
        self.chat = ChatPane(theme, bridge, keys)
        self.inspector = Inspector(theme, bridge.selection)
        self.inspector_actions = InspectorActions(self, self.inspector, bridge)
        self._lay_out(size)
        self.panes = Panes(self, settings_file)
        Dropping(self, self.take, self.first_run.show_drag)
        self.commands = Commands(self, bridge)
        set_order(focus_order(self))
        self._join()
        self.panes.restore_place()
        self._apply_preferences()
        self.refresh()

    @property
    def theme(self) -> Theme:
        """The appearance in force."""
        return self._theme

    def start_demo(self) -> None:
        """Load the demo pair, fetching it if it is not here yet."""
        self._bridge.load(None)

    def open_target(self) -> None:
        """Choose a model folder and load it."""
        folder = QFileDialog.getExistingDirectory(self, "Open a model folder")
        # What is refused is refused by the engine, in its own words; what is too big for the memory is asked about.
        if folder and not self._place.loading.load_folder(Path(folder)):
            self._bridge.load(Path(folder))

    def open_gguf(self) -> None:
        """Choose a GGUF file and import it."""
        self._place.choose_gguf()

    def open_drafter(self) -> None:
        """Choose a draft model folder and pair it."""
        folder = QFileDialog.getExistingDirectory(self, "Open a draft model folder")
        if folder:
            self._bridge.load_drafter(Path(folder))

    def take(self, files: list[Path]) -> None:
        """Take what was dropped on the window."""
        composer = self.chat.composer
        models, others = parted(files)
        if self.screens.current == CHAT and composer.edit.isEnabled():
            composer.attach_files(files)
        else:
            if models:
                self._place.take(models)
            if others:
                self._bridge.report(refused(others[0], self.screens.current == CHAT))

    def toggle_sidebar(self) -> None:
        """Show or hide the sidebar, and keep to it."""
        self.panes.toggle_sidebar()

    def show_chat(self) -> None:
        """Bring the chat into view, ready for a prompt."""
        self.screens.show_screen(CHAT)
        self.chat.composer.edit.setFocus()

    def come_forward(self) -> None:
        """Another start of the program asked for this window."""
        self.setWindowState(self.windowState() & ~Qt.WindowState.WindowMinimized)
        self.show()
        self.raise_()
        self.activateWindow()

    def refresh(self) -> None:
        """Show the page that fits the state."""
        bridge = self._bridge
        begun = bridge.loaded is not None or bridge.loading is not None or bool(bridge.chat.path)
        was = self.pages.currentWidget()
        self.pages.setCurrentWidget(self.splitter if begun else self.first_run)
        self.toolbar.inspector.setVisible(begun)
        self.panes.fit()
        self.commands.refresh()
        if begun and was is self.first_run:
            self.chat.composer.edit.setFocus()
        elif not begun and was is not self.first_run and self.isVisible():
            self.first_run.demo.setFocus()

    def focusNextPrevChild(self, next: bool) -> bool:
        """Tab follows what stands in the window now, turns that came and went included."""
        return follow_tab(self, next) or super().focusNextPrevChild(next)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Whatever runs is told to end; the window does not wait for it."""
        self.panes.save()
        self.commands.close_dialogs()
        self._bridge.quit()
        super().closeEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The inspector is the first to give way."""
        super().resizeEvent(event)
        self.panes.fit()

    def showEvent(self, event: QShowEvent) -> None:
        """Begin where the next step is."""
        super().showEvent(event)
        self.refresh()
        if not self._shown:
            # Only now has the window its size: before, the panes would be squeezed and stay so.
            self._shown = True
            QTimer.singleShot(0, self, self.panes.restore_sizes)
        if self.pages.currentWidget() is self.first_run:
            self.first_run.demo.setFocus()
        else:
            self.chat.composer.edit.setFocus()

    def _lay_out(self, size: dict[str, dict[str, int]]) -> None:
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.addWidget(self.chat)
        self.splitter.addWidget(self.inspector)
        self.splitter.setStretchFactor(0, 1)
        self.splitter.setStretchFactor(1, 0)
        self.splitter.setSizes([10_000, size["inspector"]["width"]])
        self.pages = QStackedWidget()
        self.pages.addWidget(self.first_run)
        self.pages.addWidget(self.splitter)
        chat = QWidget()
        column = QVBoxLayout(chat)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for part in (self.toolbar, self.banner, self.pages):
            column.addWidget(part)
        self.outer = QSplitter(Qt.Orientation.Horizontal)
        self.screens.promise(CHAT, lambda: None, "Chat", "Ctrl+1")
        self.screens.put(CHAT, chat)
        self.screens.promise(COMPARE, lambda: self.compare, "Compare rules", "Ctrl+2", "columns")
        self.screens.promise(MODELS, lambda: self.models, "Models", "Ctrl+3", "models")
        self.screens.changed.connect(self.refresh)
        self.outer.addWidget(self.screens)
        self.outer.insertWidget(0, self.sidebar)
        self.outer.setStretchFactor(0, 0)
        self.outer.setStretchFactor(1, 1)
        self.outer.setSizes([size["sidebar"]["width"], 10_000])
        for splitter in (self.splitter, self.outer):
            splitter.setChildrenCollapsible(False)
            splitter.setHandleWidth(1)
        self.setCentralWidget(self.outer)

    # A window is on screen a third sooner without what these two bring with them.
    @cached_property
    def compare(self) -> CompareScreen:
        """The Compare screen, made when it is first wanted."""
        from draftlens.ui.compare.place import make_compare

        screen = make_compare(self, self._bridge)
        self.screens.put(COMPARE, screen)
        return screen

    @property
    def models(self) -> ModelsScreen:
        """The Models screen, made when it is first wanted."""
        return self._place.screen

    def _join(self) -> None:
        bridge, theme = self._bridge, self._theme
        self.first_run.startDemo.connect(self.start_demo)
        self.first_run.openFolder.connect(self.open_target)
        self.first_run.openDiscover.connect(lambda: self.models.open_discover())
        self.first_run.openGguf.connect(self.open_gguf)
        menus = self.toolbar.models
        menus.startDemo.connect(self.start_demo)
        menus.openTarget.connect(self.open_target)
        menus.openDrafter.connect(self.open_drafter)
        menus.openModels.connect(lambda: self.screens.show_screen(MODELS))
        self.chat.composer.modelsGiven.connect(self._place.take)
        self.toolbar.sidebarAsked.connect(self.toggle_sidebar)
        self.toolbar.inspector.toggled.connect(self.panes.ask_inspector)
        self.sidebar.hideAsked.connect(self.toggle_sidebar)
        self.sidebar.settingsAsked.connect(self.commands.show_settings)
        self.sidebar.exportAsked.connect(self.commands.export)
        self.chat.logAsked.connect(self.commands.show_log)
        self.banner.follow(bridge)
        bridge.stateChanged.connect(self.refresh)
        bridge.chatChanged.connect(self._on_chat)
        self.sidebar.chatChosen.connect(self.show_chat)
        self.sidebar.searchLeft.connect(self.chat.composer.edit.setFocus)
        bridge.modelChanged.connect(self._on_model)
        bridge.figuresChanged.connect(self._show_reply)
        bridge.next_reply.changed.connect(self._show_reply)
        self.preferences.changed.connect(self._apply_preferences)
        theme.changed.connect(self._show_reply)
        self._show_reply()

    def _on_model(self) -> None:
        self.refresh()
        if self._first_prompt is not None and self._bridge.loaded is not None:
            prompt, self._first_prompt = self._first_prompt, None
            self.chat.ask(prompt)

    def _on_chat(self) -> None:
        title = self._bridge.chat.conversation.title
        self.setWindowTitle(f"{title} – Draftlens" if self._bridge.chat.saved else "Draftlens")
        self.refresh()
        if self.isVisible() and self.pages.currentWidget() is self.splitter and not self.sidebar.search.hasFocus():
            self.chat.composer.edit.setFocus()

    def _show_reply(self) -> None:
        self.inspector_actions.show_reply()

    def _apply_preferences(self) -> None:
        settings = self.preferences.settings
        self._theme.set_override(None if settings.appearance == "system" else settings.appearance)
        self._theme.set_percent(settings.text_size)
        self.chat.transcript.set_tinted(settings.provenance, settings.underline)
        with QSignalBlocker(self.chat.provenance.switch):
            self.chat.provenance.switch.setChecked(settings.provenance)
        self.panes.widen()
        self.commands.refresh()
