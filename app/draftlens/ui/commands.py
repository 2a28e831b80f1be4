"""What the menus do, and the dialogs they open."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QApplication, QDialog, QMessageBox

from draftlens import __version__
from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.bridge.state import Problem
from draftlens.core.errors import UserError
from draftlens.ui.dialogs import exchange
from draftlens.ui.dialogs.log import LogDialog
from draftlens.ui.dialogs.shortcuts import ShortcutsDialog
from draftlens.ui.menus import Command, Menus, Role
from draftlens.ui.screens import CHAT, COMPARE, MODELS

if TYPE_CHECKING:
    from draftlens.ui.main_window import MainWindow

Standard = QKeySequence.StandardKey
_NOT_IMPORTED = "The chat was not imported"


class Commands:
    """Owns the menu bar of a window and its dialogs, none of which is modal."""

    def __init__(self, window: MainWindow, bridge: EngineBridge) -> None:
        self._window, self._bridge = window, bridge
        self._dialogs: dict[str, QDialog] = {}
        self.menus = Menus(window)
        self._build()

    def refresh(self) -> None:
        """Enable what can be done now."""
        bridge, actions = self._bridge, self.menus.actions
        last, screen = bridge.chat.last, self._window.screens.current
        # What changes the chat is done where its outcome is seen.
        free = bridge.loaded is not None and bridge.can_load and screen == CHAT
        actions["Stop"].setEnabled(bridge.running or bridge.loading is not None)
        actions["Regenerate"].setEnabled(free and last is not None)
        actions["Edit last message"].setEnabled(free and bool(bridge.chat.path))
        actions["Continue reply"].setEnabled(free and last is not None and last.can_continue)
        begun = bridge.loaded is not None or bridge.loading is not None
        actions["Attach file…"].setEnabled(begun and screen == CHAT)
        actions["Find in view"].setEnabled(screen == MODELS or (screen == CHAT and bool(bridge.chat.path)))
        actions["Open model folder…"].setEnabled(bridge.can_load)
        compared = screen == COMPARE and self._window.compare.comparing.comparison is not None
        actions["Export chat…"].setEnabled(bridge.chat.saved or compared)
        reply = bridge.reply
        actions["Measure plain decoding"].setEnabled(self._window.inspector_actions.measuring.can_measure(reply))
        actions["Export run record…"].setEnabled(reply is not None and bool(reply.rounds) and not reply.phase.running)
        percent = self._window.preferences.settings.text_size
        for size, action in self.menus.sizes.items():
            action.setChecked(size == percent)

    def export(self, conversation: str | None = None) -> None:
        """Write a conversation to a file, the one in view if none is named; on the Compare screen, the comparison."""
        if conversation is None and self._window.screens.current == COMPARE:
            self._window.compare.export(".json")
            return
        id = conversation or self._bridge.chat.id
        title = next((row.title for row in self._window.shelf.rows() if row.id == id), "chat")
        try:
            exchange.export(self._window, self._bridge.archive, id, title)
        except UserError as error:
            self._report("The chat was not exported", error)

    def take(self) -> None:
        """Add a conversation from a file."""
        try:
            id = exchange.read(self._window, self._bridge.archive)
        except UserError as error:
            self._report(_NOT_IMPORTED, error)
            return
        if id is not None:
            if self._bridge.problem is not None and self._bridge.problem.title == _NOT_IMPORTED:
                self._bridge.dismiss()
            self._window.shelf.refresh()
            self._bridge.open(id)

    def show_settings(self) -> None:
        """Open the settings."""
        from draftlens.ui.dialogs.settings import SettingsDialog

        self._show("settings", lambda: SettingsDialog(self._window.theme, self._window.preferences, self._window))

    def show_chat_settings(self) -> None:
        """Open the settings of the chat in view."""
        from draftlens.ui.dialogs.chat_settings import ChatSettingsDialog

        self._show("chat", lambda: ChatSettingsDialog(self._window.theme, self._bridge, self._window))

    def show_log(self) -> None:
        """Show the end of the log."""
        self._show("log", lambda: LogDialog(self._window), fresh=True)

    def show_shortcuts(self) -> None:
        """Show every shortcut."""
        self._show("shortcuts", lambda: ShortcutsDialog(self.menus.shortcuts(), self._window))

    def show_about(self) -> None:
        """Say what this is."""
        box = QMessageBox(self._window)
        box.setWindowTitle("About Draftlens")
        box.setText(f"Draftlens {__version__}")
        box.setInformativeText(
            "Chat with local language models and see what speculative decoding does, round by round."
        )
        box.open()

    def close_dialogs(self) -> None:
        """The window closes."""
        for dialog in self._dialogs.values():
            dialog.close()

    def dialog(self, name: str) -> QDialog | None:
        """An open dialog."""
        return self._dialogs.get(name)

    def _show(self, name: str, make: Callable[[], QDialog], *, fresh: bool = False) -> None:
        dialog = self._dialogs.get(name)
        if dialog is None or fresh:
            dialog = self._dialogs[name] = make()
        dialog.show()
        dialog.raise_()
        dialog.activateWindow()

    def _report(self, title: str, error: UserError) -> None:
        words = error.sentence if error.next_step is None else f"{error.sentence} {error.next_step}"
        self._bridge.report(Problem(title, words, warning=True))

    def _set_size(self, percent: int) -> None:
        self._window.preferences.set(text_size=percent)

    def _toggle_provenance(self) -> None:
        on = not self._window.preferences.settings.provenance
        self._window.preferences.set(provenance=on)

    def _build(self) -> None:
        window, bridge = self._window, self._bridge
        chat, inspector = window.chat, window.inspector
        self.menus.add(
            "File",
            (
                Command("New chat", self._new_chat, (Standard.New,)),
                Command("Open model folder…", window.open_target, (Standard.Open,)),
                Command("Import GGUF file…", window.open_gguf, ("Ctrl+Shift+O",)),
                Command("Attach file…", chat.attach, ("Ctrl+Shift+A",)),
                None,
                Command("Import chat…", self.take),
                Command("Export chat…", self.export, ("Ctrl+Shift+E",)),
                Command("Open run record…", window.inspector_actions.open),
                Command("Export run record…", window.inspector_actions.export),
                None,
                Command("Close", window.close, (Standard.Close,)),
                Command("Quit Draftlens", window.close, ("Ctrl+Q",), Role.QuitRole),
            ),
        )
        self.menus.add(
            "Edit",
            (
                Command("Find in view", self._find, (Standard.Find,)),
                Command("Search chats", self._search, ("Ctrl+Shift+F",)),
                Command("Copy log line", inspector.run.log.copy, ("Ctrl+Shift+C",)),
                None,
                Command("Settings…", self.show_settings, ("Ctrl+,",), Role.PreferencesRole),
            ),
        )
        self.menus.add(
            "Chat",
            (
                Command("Stop", bridge.stop, ("Ctrl+.", "Esc")),
                Command("Regenerate", bridge.regenerate, ("Ctrl+R",)),
                Command("Continue reply", bridge.resume),
                Command("Edit last message", chat.edit_message, ("Ctrl+E",)),
                Command("Write a prompt", window.show_chat, ("Ctrl+L",)),
                None,
                Command("Prove the rule…", window.inspector_actions.prove),
                Command("Measure plain decoding", window.inspector_actions.measure),
                None,
                Command("Chat settings…", self.show_chat_settings, ("Ctrl+Shift+,",)),
            ),
        )
        view = self.menus.add(
            "View",
            (
                *(Command(s.title, self._shows(s.name), (s.keys,)) for s in window.screens.entries),
                None,
                Command("Sidebar", window.toggle_sidebar, ("Ctrl+Alt+S",)),
                Command("Inspector", window.toolbar.inspector.toggle, ("Ctrl+Alt+I",)),
                Command("Provenance tint", self._toggle_provenance, ("Ctrl+Shift+P",)),
                None,
                Command("Previous round", lambda: bridge.selection.step_round(-1), ("Alt+Up",)),
                Command("Next round", lambda: bridge.selection.step_round(1), ("Alt+Down",)),
                Command("Charts as tables", self._toggle_tables),
                None,
            ),
        )
        self.menus.actions["Charts as tables"].setCheckable(True)
        self.menus.add_sizes(view, self._set_size, window.preferences.settings.text_size)
        chat.provenance.switch.clicked.connect(lambda on: window.preferences.set(provenance=on))
        self.menus.add("Window", (Command("Minimise", window.showMinimized, ("Ctrl+M",)),))
        self.menus.add(
            "Help",
            (
                Command("Keyboard shortcuts", self.show_shortcuts, ("Ctrl+/",)),
                Command("Show log", self.show_log),
                Command("About Draftlens", self.show_about, (), Role.AboutRole),
            ),
        )
        if QApplication.platformName() != "cocoa":
            # Where menus do not live at the screen's edge, the bar would stand above the design: keys reach all of it.
            window.menuBar().setNativeMenuBar(False)

    def _toggle_tables(self) -> None:
        action = self.menus.actions["Charts as tables"]
        self._window.inspector.show_tables(action.isChecked())

    def _find(self) -> None:
        window = self._window
        if window.screens.current == MODELS:
            window.models.begin_find()
        else:
            window.chat.find_bar.begin()

    def _new_chat(self) -> None:
        self._bridge.new_chat()
        self._window.show_chat()

    def _shows(self, name: str) -> Callable[[], None]:
        return self._window.show_chat if name == CHAT else lambda: self._window.screens.show_screen(name)

    def _search(self) -> None:
        if self._window.sidebar.isHidden():
            self._window.toggle_sidebar()
        self._window.sidebar.focus_search()
