"""What a person wrote, in its bubble: attachments, copy, edit, and a switcher where there are versions."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from draftlens.core.chat import Message, Version
from draftlens.ui.chat.text_block import TextBlock
from draftlens.ui.chat.turn_buttons import CopyButton, VersionSwitch, icon_button
from draftlens.ui.theme import Theme

_SIDE, _TOP = 14, 10


class PromptView(QWidget):
    """`fit` lays it out at a width."""

    editAsked = Signal(str)
    switchAsked = Signal(str, int)

    def __init__(self, theme: Theme, message: Message, version: Version, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self.message = theme, message
        self.bubble = QFrame(self)
        self.bubble.setProperty("kind", "user")
        self.text = TextBlock(theme, "You wrote", self.bubble)
        self.text.show_text(message.content)
        self.files = QLabel(self.bubble)
        self.files.setProperty("tone", "2")
        self.files.setProperty("scale", "small")
        names = [f"{a.name} ({len(a.text):,} characters)" for a in message.attachments]
        self.files.setText("Attached: " + ", ".join(names) if names else "")
        self.files.setWordWrap(True)
        self.files.setVisible(bool(names))
        self.text.setHidden(bool(names) and not message.content.strip())
        self.copy = CopyButton(theme, "Copy message", lambda: message.content, self)
        self.edit = icon_button(theme, "edit", "Edit message", self)
        self.edit.clicked.connect(lambda: self.editAsked.emit(message.id))
        self.versions = VersionSwitch(theme, self)
        self.versions.stepAsked.connect(lambda step: self.switchAsked.emit(message.id, step))
        self.show_version(version)

    @property
    def stops(self) -> list[QWidget]:
        """What Tab comes to, in order."""
        return [self.text, self.copy, self.edit, *self.versions.stops]

    def show_version(self, version: Version) -> None:
        """Show which version it is."""
        self.versions.show_version(version)

    def set_busy(self, busy: bool) -> None:
        """While a reply runs nothing can be asked again."""
        self.edit.setEnabled(not busy)

    def fit(self, width: int) -> int:
        """Lay out and return the height: the buttons stand beside the text, the switcher below."""
        buttons = 56
        inner = width - 2 * _SIDE - buttons
        bottom = _TOP
        if not self.text.isHidden():
            height = self.text.fit(inner)
            self.text.setGeometry(_SIDE, _TOP, inner, height)
            bottom += height + 4
        if not self.files.isHidden():
            height = max(self.files.heightForWidth(inner), self._theme.line("body"))
            self.files.setGeometry(_SIDE, bottom, inner, height)
            bottom += height
        else:
            bottom -= 4
        self.bubble.setGeometry(0, 0, width, bottom + _TOP)
        line = _TOP + (self._theme.line("body") - 24) // 2
        self.copy.move(width - 62, line)
        self.edit.move(width - 34, line)
        bottom += _TOP
        if not self.versions.isHidden():
            wide = self.versions.sizeHint().width()
            self.versions.setGeometry(width - 8 - wide, bottom + 2, wide, 24)
            bottom += 26
        return bottom

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Laid out by `fit`."""
        super().resizeEvent(event)
        self.copy.raise_()
        self.edit.raise_()
