"""Text files that go with a prompt: read, refused in a sentence where they are no text, shown as chips."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QWidget

from draftlens.core.chat import Attachment
from draftlens.core.errors import UserError
from draftlens.ui.chat.turn_buttons import icon_button
from draftlens.ui.eliding_label import ElidingLabel
from draftlens.ui.theme import Theme

LONGEST = 4_000_000
PASTED = 20_000
"""A paste of more characters becomes an attachment."""


def read_file(path: Path) -> Attachment:
    """Read a text file.

    Raises:
        UserError: it is too large, no UTF-8 text, or cannot be read.
    """
    try:
        if path.stat().st_size > LONGEST:
            size = path.stat().st_size / 1e6
            raise UserError(f"{path.name} has {size:.1f} MB; at most 4 MB of text can be attached.", "Attach a part.")
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise UserError(f"{path.name} cannot be attached: it is not UTF-8 text.", "Only text files can.") from error
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise UserError(f"{path.name} cannot be attached: {reason}.", "Check the file.") from error
    if "\0" in text:
        raise UserError(f"{path.name} cannot be attached: it is not a text file.", "Only text files can.")
    return Attachment(path.name, text)


class Attachments(QWidget):
    """The chips, each with a button that takes it away."""

    changed = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._files: list[Attachment] = []
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._row.setSpacing(6)
        self._row.addStretch(1)
        self.hide()

    @property
    def files(self) -> tuple[Attachment, ...]:
        """What is attached."""
        return tuple(self._files)

    def add(self, file: Attachment) -> None:
        """Attach a file; a name that is there already gets a number."""
        names = {f.name for f in self._files}
        name, number = file.name, 2
        while name in names:
            name, number = f"{file.name} ({number})", number + 1
        self.show_files([*self._files, Attachment(name, file.text)])
        self.changed.emit()

    def remove(self, name: str) -> None:
        """Take one away."""
        self.show_files([f for f in self._files if f.name != name])
        self.changed.emit()

    def show_files(self, files: Iterable[Attachment]) -> None:
        """Show these and no others."""
        self._files = list(files)
        while self._row.count() > 1:
            item = self._row.takeAt(0)
            widget = None if item is None else item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        for number, file in enumerate(self._files):
            self._row.insertWidget(number, self._chip(file))
        self.setVisible(bool(self._files))

    def _chip(self, file: Attachment) -> QFrame:
        chip = QFrame()
        chip.setProperty("kind", "file")
        icon = QLabel()
        icon.setPixmap(self._theme.pixmap("file", "text2", 14))
        name = ElidingLabel()
        name.show_text(file.name)
        size = QLabel(_size(len(file.text.encode())))
        size.setProperty("tone", "3")
        close = icon_button(self._theme, "close", f"Remove {file.name}")
        close.clicked.connect(lambda: self.remove(file.name))
        layout = QHBoxLayout(chip)
        layout.setContentsMargins(8, 0, 2, 0)
        layout.setSpacing(6)
        for part in (icon, name, size, close):
            layout.addWidget(part)
        return chip


def _size(length: int) -> str:
    return f"{length} B" if length < 1000 else f"{length / 1000:.1f} KB" if length < 1e6 else f"{length / 1e6:.1f} MB"
