"""The menu bar: every command with its keys, in the place a Mac user looks for it, with an explicit role."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtGui import QAction, QActionGroup, QKeySequence
from PySide6.QtWidgets import QMainWindow, QMenu

TEXT_SIZES = (85, 100, 115, 125, 150)
Keys = str | QKeySequence.StandardKey
Role = QAction.MenuRole


@dataclass(frozen=True)
class Command:
    """An entry: its words, what it does, its keys. Qt's Ctrl is the Command key on a Mac."""

    name: str
    run: Callable[[], object]
    keys: tuple[Keys, ...] = ()
    role: Role = Role.NoRole


class Menus:
    """Builds the menus once; `actions` holds every entry by its words."""

    def __init__(self, window: QMainWindow) -> None:
        self._window = window
        self.actions: dict[str, QAction] = {}
        self.sizes: dict[int, QAction] = {}

    def add(self, title: str, commands: Sequence[Command | None]) -> QMenu:
        """Append a menu; None is a line between entries."""
        menu = self._window.menuBar().addMenu(title)
        for command in commands:
            if command is None:
                menu.addSeparator()
                continue
            action = QAction(command.name, self._window)
            action.setShortcuts([QKeySequence(key) for key in command.keys])
            action.setMenuRole(command.role)
            action.triggered.connect(lambda _checked=False, run=command.run: run())
            menu.addAction(action)
            # Some window systems hide the bar: the keys must work all the same.
            self._window.addAction(action)
            self.actions[command.name] = action
        return menu

    def add_sizes(self, menu: QMenu, chosen: Callable[[int], object], current: int) -> None:
        """Append the text sizes to a menu."""
        sizes = menu.addMenu("Text size")
        group = QActionGroup(sizes)
        for percent in TEXT_SIZES:
            action = QAction(f"{percent} %", sizes)
            action.setMenuRole(Role.NoRole)
            action.setCheckable(True)
            action.setChecked(percent == current)
            action.triggered.connect(lambda _checked=False, percent=percent: chosen(percent))
            group.addAction(action)
            sizes.addAction(action)
            self.sizes[percent] = action

    def shortcuts(self) -> list[tuple[str, str]]:
        """Every command that has keys, with them as this system writes them."""
        native = QKeySequence.SequenceFormat.NativeText
        return [
            (name.rstrip("…"), "  ".join(keys.toString(native) for keys in action.shortcuts()))
            for name, action in self.actions.items()
            if action.shortcuts()
        ]
