"""A choice of one of a few pages, all in view: the inspector's tabs, and what stands below the round strip."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QFrame, QHBoxLayout, QSizePolicy, QToolButton, QWidget


class Segments(QFrame):
    """Buttons side by side, exactly one of them down; `quiet` is the small kind within a heading."""

    chosen = Signal(int)

    def __init__(self, names: Sequence[str], *, quiet: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "segmentsQuiet" if quiet else "segments")
        self._group = QButtonGroup(self)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(*((0, 0, 0, 0) if quiet else (2, 2, 2, 2)))
        layout.setSpacing(2)
        self.buttons: list[QToolButton] = []
        for number, name in enumerate(names):
            button = QToolButton()
            button.setText(name)
            button.setCheckable(True)
            button.setProperty("kind", "segmentQuiet" if quiet else "segment")
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            if not quiet:
                button.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
            self._group.addButton(button, number)
            self.buttons.append(button)
            layout.addWidget(button)
        self._group.idToggled.connect(self._on_toggled)
        self.buttons[0].setChecked(True)

    @property
    def current(self) -> int:
        """The button that is down."""
        return self._group.checkedId()

    def choose(self, number: int) -> None:
        """Put a button down."""
        self.buttons[number].setChecked(True)

    def _on_toggled(self, number: int, on: bool) -> None:
        # Tab stops at the one that is down, arrows go to the others; Qt sees to it only after a click.
        self.buttons[number].setFocusPolicy(Qt.FocusPolicy.TabFocus if on else Qt.FocusPolicy.NoFocus)
        if on:
            self.chosen.emit(number)
