"""Where prompts are written: Return sends, Shift+Return breaks the line, Stop and Send keep their places."""

from __future__ import annotations

from PySide6.QtCore import QMimeData, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QInputMethodEvent, QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from draftlens.ui.chat.text_block import WRAP_LIMIT
from draftlens.ui.theme import Theme

_LINE, _MIN_LINES, _MAX_LINES = 20, 2, 8


class PromptEdit(QPlainTextEdit):
    """A plain editor that knows when Return means send."""

    sendAsked = Signal()
    focusChanged = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._composing = False
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setTabChangesFocus(True)
        self.document().setDocumentMargin(0)
        self.textChanged.connect(self._fit)
        self._fit()

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
        super().keyPressEvent(event)

    def insertFromMimeData(self, source: QMimeData) -> None:
        """Paste text; one enormous word is not wrapped, because that takes quadratic time."""
        text = source.text()
        if len(text) >= WRAP_LIMIT and max(map(len, text.split()), default=0) >= WRAP_LIMIT:
            self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        super().insertFromMimeData(source)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Tell the frame."""
        super().focusInEvent(event)
        self.focusChanged.emit()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Tell the frame."""
        super().focusOutEvent(event)
        self.focusChanged.emit()

    def _fit(self) -> None:
        if self.document().isEmpty():
            self.setLineWrapMode(QPlainTextEdit.LineWrapMode.WidgetWidth)
        # In a plain text document the height is counted in lines.
        lines = max(_MIN_LINES, min(_MAX_LINES, round(self.document().size().height())))
        self.setFixedHeight(lines * _LINE + 4)


class Composer(QFrame):
    """Editor, hint, Stop and Send."""

    sendAsked = Signal()
    stopAsked = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("composer")
        self._theme = theme
        self._ready = False
        self.edit = PromptEdit()
        self.edit.setObjectName("prompt")
        self.edit.setAccessibleName("Prompt")
        self.edit.setFont(theme.font("body"))
        self.hint = QLabel()
        self.hint.setProperty("tone", "3")
        self.hint.setProperty("scale", "small")
        self.stop = QPushButton("Stop")
        self.stop.setObjectName("buttonStop")
        self.stop.setAccessibleName("Stop")
        self.send = QPushButton("Send")
        self.send.setObjectName("buttonSend")
        self.send.setAccessibleName("Send")
        self.send.setProperty("kind", "primary")
        for button in (self.stop, self.send):
            button.setIconSize(QSize(14, 14))
            button.setMinimumWidth(84)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.hint, 1)
        row.addWidget(self.stop)
        row.addWidget(self.send)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 12, 8, 8)
        layout.setSpacing(8)
        layout.addWidget(self.edit)
        layout.addLayout(row)
        self.edit.sendAsked.connect(self._ask)
        self.edit.textChanged.connect(self._refresh)
        self.edit.focusChanged.connect(self._show_focus)
        self.send.clicked.connect(self._ask)
        self.stop.clicked.connect(self.stopAsked)
        self.setFocusProxy(self.edit)
        theme.changed.connect(self._show_icons)
        self._show_icons()
        self.show_state(ready=False, can_stop=False, usable=False, hint="")

    @property
    def text(self) -> str:
        """What is written."""
        return self.edit.toPlainText()

    def take(self) -> str:
        """Return what is written and empty the editor."""
        text = self.text
        self.edit.clear()
        return text

    def put(self, text: str) -> None:
        """Write into an empty editor; what the user has begun to write is left alone."""
        if not self.text:
            self.edit.setPlainText(text)

    def show_state(self, *, ready: bool, can_stop: bool, usable: bool, hint: str) -> None:
        """Enable what can be done now."""
        self._ready = ready
        self.edit.setEnabled(usable)
        self.edit.setPlaceholderText("Ask something" if usable else "Load a model to start")
        self.stop.setEnabled(can_stop)
        self.hint.setText(hint)
        self._refresh()

    def _ask(self) -> None:
        if self.send.isEnabled():
            self.sendAsked.emit()

    def _refresh(self) -> None:
        self.send.setEnabled(self._ready and bool(self.text.strip()))

    def _show_focus(self) -> None:
        self.setProperty("active", "true" if self.edit.hasFocus() else "false")
        self.style().unpolish(self)
        self.style().polish(self)

    def _show_icons(self) -> None:
        self.stop.setIcon(self._theme.icon("stop", "text2", 14))
        self.send.setIcon(self._theme.icon("send", "onAccent", 14))
