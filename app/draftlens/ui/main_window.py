"""The window: toolbar, banner, and either the first-run view or chat and inspector side by side."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QByteArray, QSettings, QSignalBlocker, Qt
from PySide6.QtGui import QAction, QCloseEvent, QKeySequence, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFileDialog, QMainWindow, QSplitter, QStackedWidget, QVBoxLayout, QWidget

from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.ui.banner import Banner
from draftlens.ui.chat.chat_pane import ChatPane
from draftlens.ui.column import SIDE
from draftlens.ui.first_run import FirstRun
from draftlens.ui.inspector.inspector import Inspector
from draftlens.ui.theme import Theme, tokens
from draftlens.ui.toolbar.toolbar import Toolbar

NARROW = 1180
"""Below this width the inspector gives its room to the chat, unless it was asked for."""

_PROVENANCE_KEYS = "Ctrl+Shift+P"


class MainWindow(QMainWindow):
    """Puts the parts together and gives them their keys.

    Args:
        settings_file: where position and sizes are kept; None keeps nothing.
        first_prompt: sent as soon as a model is ready.
    """

    def __init__(
        self, theme: Theme, bridge: EngineBridge, settings_file: Path | None = None, first_prompt: str | None = None
    ) -> None:
        super().__init__()
        size = tokens()["dimensions"]
        self._theme, self._bridge, self._first_prompt = theme, bridge, first_prompt
        self._asked_inspector: bool | None = None
        self.setWindowTitle("Draftlens")
        self.setMinimumSize(*size["window"]["minimum"])
        self.resize(*size["window"]["default"])
        self.toolbar = Toolbar(theme, bridge)
        self.banner = Banner(theme)
        self.first_run = FirstRun(theme)
        keys = QKeySequence(_PROVENANCE_KEYS).toString(QKeySequence.SequenceFormat.NativeText)
        self.chat = ChatPane(theme, bridge, keys)
        self.inspector = Inspector(theme)
        self.inspector.setMinimumWidth(size["inspector"]["min"])
        self.inspector.setMaximumWidth(size["inspector"]["max"])
        self.splitter = QSplitter(Qt.Orientation.Horizontal)
        self.splitter.setChildrenCollapsible(False)
        self.splitter.setHandleWidth(1)
        self.splitter.addWidget(self.chat)
        self.splitter.addWidget(self.inspector)
        self.splitter.setStretchFactor(0, 1)
        self.splitter.setStretchFactor(1, 0)
        self.splitter.setSizes([10_000, size["inspector"]["width"]])
        self.pages = QStackedWidget()
        self.pages.addWidget(self.first_run)
        self.pages.addWidget(self.splitter)
        above = QWidget()
        above.setObjectName("page")
        above.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        around = QVBoxLayout(above)
        around.setContentsMargins(SIDE - 8, 12, SIDE - 8, 0)
        around.addWidget(self.banner)
        self._above = above
        above.hide()
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for part in (self.toolbar, above, self.pages):
            column.addWidget(part)
        self.setCentralWidget(body)

        self.first_run.startDemo.connect(self.start_demo)
        self.first_run.openFolder.connect(self._open_target)
        self.toolbar.startDemo.connect(self.start_demo)
        self.toolbar.openTarget.connect(self._open_target)
        self.toolbar.openDrafter.connect(self._open_drafter)
        self.toolbar.inspector.toggled.connect(self._ask_inspector)
        self.banner.retryAsked.connect(bridge.retry)
        self.banner.closed.connect(bridge.dismiss)
        bridge.problemChanged.connect(self._show_problem)
        bridge.stateChanged.connect(self.refresh)
        bridge.modelChanged.connect(self._on_model)
        bridge.figuresChanged.connect(self._show_reply)
        bridge.next_reply.changed.connect(self._show_reply)
        self._show_reply()
        self._add_actions()
        self._settings = None if settings_file is None else QSettings(str(settings_file), QSettings.Format.IniFormat)
        self._restore()
        self.refresh()

    def start_demo(self) -> None:
        """Load the demo pair, fetching it if it is not here yet."""
        self._bridge.load(None)

    def refresh(self) -> None:
        """Show the page that fits the state."""
        bridge = self._bridge
        begun = bridge.loaded is not None or bridge.loading is not None or bool(bridge.turns)
        was = self.pages.currentWidget()
        self.pages.setCurrentWidget(self.splitter if begun else self.first_run)
        self.toolbar.inspector.setVisible(begun)
        self._show_inspector()
        if begun and was is self.first_run:
            self.chat.composer.edit.setFocus()
        elif not begun and self.isVisible():
            self.first_run.demo.setFocus()

    def closeEvent(self, event: QCloseEvent) -> None:
        """Whatever runs is told to end; the window does not wait for it."""
        if self._settings is not None:
            self._settings.setValue("geometry", self.saveGeometry())
            self._settings.setValue("splitter", self.splitter.saveState())
        self._bridge.quit()
        super().closeEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The inspector is the first to give way."""
        super().resizeEvent(event)
        self._show_inspector()

    def showEvent(self, event: QShowEvent) -> None:
        """Begin where the next step is."""
        super().showEvent(event)
        self.refresh()

    def _on_model(self) -> None:
        self.refresh()
        if self._first_prompt is not None and self._bridge.loaded is not None:
            prompt, self._first_prompt = self._first_prompt, None
            self._bridge.send(prompt)

    def _show_reply(self) -> None:
        self.inspector.show_reply(self._bridge.reply, self._bridge.next_reply.rule)

    def _show_problem(self) -> None:
        self.banner.show_problem(self._bridge.problem)
        self._above.setVisible(self._bridge.problem is not None)

    def _ask_inspector(self, on: bool) -> None:
        self._asked_inspector = on
        self._show_inspector()

    def _show_inspector(self) -> None:
        asked = self._asked_inspector
        on = self.width() >= NARROW if asked is None else asked
        self.inspector.setVisible(on)
        button = self.toolbar.inspector
        with QSignalBlocker(button):
            button.setChecked(on)
        name = "Hide the inspector" if on else "Show the inspector"
        button.setAccessibleName(name)
        button.setToolTip(name)

    def _open_target(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, "Open a model folder")
        if folder:
            self._bridge.load(Path(folder))

    def _open_drafter(self) -> None:
        folder = QFileDialog.getExistingDirectory(self, "Open a draft model folder")
        if folder:
            self._bridge.load_drafter(Path(folder))

    def _add_actions(self) -> None:
        chat, inspector = self.chat, self.inspector
        # Qt's Ctrl is the Command key on a Mac.
        for name, keys, run in (
            ("Stop", ("Ctrl+.", "Esc"), self._bridge.stop),
            ("Write a prompt", ("Ctrl+L",), chat.composer.edit.setFocus),
            ("Inspector", ("Ctrl+Alt+I",), self.toolbar.inspector.toggle),
            ("Provenance", (_PROVENANCE_KEYS,), chat.provenance.switch.toggle),
            ("Previous round", ("Alt+Up",), lambda: inspector.step(-1)),
            ("Next round", ("Alt+Down",), lambda: inspector.step(1)),
            ("Copy log line", ("Ctrl+Shift+C",), inspector.log.copy),
            ("Open folder", (QKeySequence.StandardKey.Open,), self._open_target),
        ):
            action = QAction(name, self)
            action.setShortcuts([QKeySequence(key) for key in keys])
            action.triggered.connect(lambda _checked=False, run=run: run())
            self.addAction(action)

    def _restore(self) -> None:
        if self._settings is None:
            return
        geometry, splitter = self._settings.value("geometry"), self._settings.value("splitter")
        if isinstance(geometry, QByteArray):
            self.restoreGeometry(geometry)
        if isinstance(splitter, QByteArray):
            self.splitter.restoreState(splitter)
