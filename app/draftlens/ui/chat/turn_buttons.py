"""Small buttons beside a turn: icons named by what they do, and the switcher between versions."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QSize, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QToolButton, QWidget

from draftlens.core.chat import Version
from draftlens.ui.theme import Theme

COPIED_MS = 1500
"""How long a button says that it has copied."""


def icon_button(theme: Theme, icon: str, name: str, parent: QWidget | None = None) -> QToolButton:
    """A button without words, named for everyone who cannot see it."""
    made = QToolButton(parent)
    dress_icon_button(made, theme, icon, name)
    return made


def dress_icon_button(button: QToolButton, theme: Theme, icon: str, name: str) -> None:
    """Give a button its icon, its size and its name."""
    button.setFixedSize(24, 24)
    button.setIconSize(QSize(14, 14))
    button.setIcon(theme.icon(icon, "text3", 14))
    button.setAccessibleName(name)
    button.setToolTip(name)
    button.setFocusPolicy(Qt.FocusPolicy.TabFocus)


class CopyButton(QToolButton):
    """Copies a text and says for a moment that it did: a clipboard is not seen."""

    def __init__(self, theme: Theme, name: str, text: Callable[[], str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        dress_icon_button(self, theme, "copy", name)
        self._theme, self._name, self._text = theme, name, text
        self.clicked.connect(self._copy)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self._text())
        self._show(done=True)
        QTimer.singleShot(COPIED_MS, self, lambda: self._show(done=False))

    def _show(self, *, done: bool) -> None:
        self.setIcon(self._theme.icon(*(("check", "acceptedText") if done else ("copy", "text3")), 14))
        self.setAccessibleDescription("Copied" if done else "")
        self.setToolTip("Copied" if done else self._name)


def continue_button(parent: QWidget) -> QPushButton:
    """Takes no focus by a click: it goes once pressed, and Qt would hand its focus to the first chip of the toolbar."""
    made = QPushButton("Continue", parent)
    made.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return made


class VersionSwitch(QWidget):
    """`‹ 2 / 3 ›`, hidden where there is one version only."""

    stepAsked = Signal(int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.previous: QToolButton | None = None
        self.next: QToolButton | None = None
        self.label: QLabel | None = None
        self.hide()

    @property
    def stops(self) -> list[QWidget]:
        """What Tab comes to."""
        return [button for button in (self.previous, self.next) if button is not None]

    def show_version(self, version: Version) -> None:
        """Show which version is shown."""
        self.setVisible(version.count > 1)
        if version.count < 2:
            return
        if self.label is None:
            self._build()
        assert self.label is not None and self.previous is not None and self.next is not None
        self.label.setText(f"{version.number} / {version.count}")
        self.label.setAccessibleName(f"Version {version}")
        self.previous.setEnabled(version.number > 1)
        self.next.setEnabled(version.number < version.count)

    def _build(self) -> None:
        """Most turns have one version: nothing is made for them."""
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(2)
        self.previous = icon_button(self._theme, "chevron-left", "Previous version")
        self.next = icon_button(self._theme, "chevron-right", "Next version")
        self.label = QLabel()
        self.label.setProperty("tone", "3")
        self.label.setProperty("scale", "small")
        self.previous.clicked.connect(lambda: self.stepAsked.emit(-1))
        self.next.clicked.connect(lambda: self.stepAsked.emit(1))
        for part in (self.previous, self.label, self.next):
            layout.addWidget(part)
