"""The editor of a prompt: Return sends, Shift+Return breaks the line, files and long pastes become attachments."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, Qt, Signal
from PySide6.QtGui import QFocusEvent, QInputMethodEvent, QKeyEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QWidget

from draftlens.ui.chat.attachments import PASTED
from draftlens.ui.chat.text_block import WRAP_LIMIT
from draftlens.ui.dropping import files_of
from draftlens.ui.theme import Theme

_MIN_LINES, _MAX_LINES = 2, 8


class PromptEdit(QPlainTextEdit):
    """A plain editor that knows when Return means send."""

    sendAsked = Signal()
    focusChanged = Signal()
    filesDropped = Signal(list)
    textPasted = Signal(str)
    cancelAsked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.cancels = False
        """Whether Escape means something here, before it means stop."""
        self._composing = False
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.document().setDocumentMargin(0)
        self.textChanged.connect(self.fit)
        self.fit()

    def inputMethodEvent(self, event: QInputMethodEvent) -> None:
        """Remember whether an input method is still composing."""
        self._composing = bool(event.preeditString())
        super().inputMethodEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return sends, unless it confirms a candidate of the input method."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if self._composing:
                event.accept()
            elif event.modifiers() & Qt.KeyboardModifier.ShiftModifier:
                self.textCursor().insertText("\n")
                self.ensureCursorVisible()
            else:
                self.sendAsked.emit()
            return
        if event.key() == Qt.Key.Key_Escape and self.cancels:
            self.cancelAsked.emit()
            return
        super().keyPressEvent(event)

    def canInsertFromMimeData(self, source: QMimeData) -> bool:
        """Files can be dropped."""
        return bool(files_of(source)) or super().canInsertFromMimeData(source)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste text; one enormous word is not wrapped, because that takes quadratic time."""
        files = files_of(source)
        if files:
            self.filesDropped.emit(files)
            return
        text = source.text()
        if len(text) > PASTED:
            self.textPasted.emit(text)
            return
        self._guard(text)
        super().insertFromMimeData(source)

    def show_text(self, text: str) -> None:
        """Show a text, with the cursor behind it."""
        self._guard(text)
        self.setPlainText(text)
        self.moveCursor(QTextCursor.MoveOperation.End)

    def _guard(self, text: str) -> None:
        if len(text) >= WRAP_LIMIT and max(map(len, text.split()), default=0) >= WRAP_LIMIT:
            self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Tell the frame."""
        super().focusInEvent(event)
        self.focusChanged.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Tell the frame."""
        super().focusOutEvent(event)
        self.focusChanged.emit()

    def fit(self) -> None:
        """As high as the text, within limits."""
        if self.document().isEmpty():
            self.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        # In a plain text document the height is counted in lines.
        lines = max(_MIN_LINES, min(_MAX_LINES, round(self.document().size().height())))
        self.setFixedHeight(lines * max(self._theme.px(20), self.fontMetrics().lineSpacing()) + 4)
