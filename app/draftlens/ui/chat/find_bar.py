"""Find in the chat: every turn is searched, those not built too; what is found is scrolled to and selected."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QTextEdit, QWidget
from shiboken6 import isValid

from draftlens.ui.chat.reply_view import ReplyView
from draftlens.ui.chat.transcript import Transcript
from draftlens.ui.chat.turn_buttons import icon_button
from draftlens.ui.escape_field import EscapeField
from draftlens.ui.theme import Theme

_AIR = 24
"""Pixels that a match keeps from the edges of the page."""


class FindBar(QFrame):
    """Field, count, previous, next, close."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("findBar")
        self._transcript: Transcript | None = None
        self._hits: list[tuple[int, int]] = []
        self._at = -1
        self._lit: QTextEdit | None = None
        self.field = EscapeField()
        self.field.setProperty("kind", "find")
        self.field.setPlaceholderText("Find in chat")
        self.field.setAccessibleName("Find in chat")
        self.label = QLabel()
        self.label.setProperty("tone", "3")
        self.label.setProperty("scale", "small")
        self.previous = icon_button(theme, "chevron-left", "Previous match")
        self.next = icon_button(theme, "chevron-right", "Next match")
        self.close_button = icon_button(theme, "close", "Close find")
        layout = QHBoxLayout(self)
        layout.setContentsMargins(32, 6, 24, 6)
        layout.addWidget(self.field, 1)
        for part in (self.label, self.previous, self.next, self.close_button):
            layout.addWidget(part)
        self.field.textChanged.connect(self._search)
        self.field.escaped.connect(self.end)
        self.field.returnPressed.connect(lambda: self.step(1))
        self.previous.clicked.connect(lambda: self.step(-1))
        self.next.clicked.connect(lambda: self.step(1))
        self.close_button.clicked.connect(self.end)
        self.hide()

    @property
    def stops(self) -> list[QWidget]:
        """What Tab comes to, in order."""
        return [self.field, self.previous, self.next, self.close_button]

    def attach(self, transcript: Transcript) -> None:
        """Search this transcript."""
        self._transcript = transcript

    def begin(self) -> None:
        """Show the field and write into it."""
        self.show()
        self.field.setFocus()
        self.field.selectAll()
        self._search()

    def end(self) -> None:
        """Hide it."""
        self.hide()
        if self._transcript is not None:
            self._transcript.setFocus()

    def restart(self) -> None:
        """The turns changed: a chat without any has nothing to search."""
        if self._transcript is not None and not self._transcript.items:
            self.hide()
        elif not self.isHidden():
            self._search()

    def step(self, by: int) -> None:
        """Go to the next or the previous match."""
        if self._hits:
            self._at = (self._at + by) % len(self._hits)
            self._show()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Escape closes."""
        if event.key() == Qt.Key.Key_Escape:
            self.end()
        else:
            super().keyPressEvent(event)

    def _search(self) -> None:
        words = self.field.text().casefold()
        self._hits, self._at = [], -1
        self._unlight()
        if words and self._transcript is not None:
            for number, item in enumerate(self._transcript.items):
                found = item.message.content.casefold().count(words)
                self._hits += [(number, n) for n in range(found)]
        self.label.setText("" if not words else "no match" if not self._hits else f"{len(self._hits):,} found")
        if self._hits:
            self._at = len(self._hits) - 1
            self._show()

    def _show(self) -> None:
        assert self._transcript is not None
        number, nth = self._hits[self._at]
        self._unlight()
        self.label.setText(f"{self._at + 1:,} of {len(self._hits):,}")
        transcript = self._transcript
        view = transcript.reveal(number).view
        if view is None:
            return
        edits: list[QTextEdit] = view.findChildren(QTextEdit) if isinstance(view, ReplyView) else [view.text]
        for edit in edits:
            cursor = QTextCursor(edit.document())
            while not (found := edit.document().find(self.field.text(), cursor)).isNull():
                cursor = found
                if nth == 0:
                    edit.setTextCursor(found)
                    self._lit = edit
                    box = edit.cursorRect(found).adjusted(0, -_AIR, 0, _AIR)
                    top = edit.viewport().mapTo(transcript.viewport(), box.topLeft()).y()
                    transcript.bring(top, box.height())
                    return
                nth -= 1

    def _unlight(self) -> None:
        """Of all texts only the one with the match in view shows a selection."""
        lit, self._lit = self._lit, None
        # A turn far from the view gives up its texts.
        if lit is not None and isValid(lit):
            cursor = lit.textCursor()
            cursor.clearSelection()
            lit.setTextCursor(cursor)
