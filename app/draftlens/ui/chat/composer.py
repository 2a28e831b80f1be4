"""Where prompts are written: the editor, what is attached, what will run, how full the context is, Stop and Send."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from draftlens.core.chat import Attachment
from draftlens.core.errors import UserError
from draftlens.ui.chat.attachments import Attachments, read_file
from draftlens.ui.chat.context_meter import ContextMeter
from draftlens.ui.chat.prompt_edit import PromptEdit
from draftlens.ui.chat.turn_buttons import icon_button
from draftlens.ui.dropping import parted
from draftlens.ui.eliding_label import ElidingLabel
from draftlens.ui.theme import Theme


class Composer(QFrame):
    """Stop and Send keep their places; Send waits until something can be sent."""

    sendAsked = Signal()
    stopAsked = Signal()
    attachAsked = Signal()
    changed = Signal()
    refused = Signal(str, str)
    modelsGiven = Signal(list)
    editingEnded = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("composer")
        self._theme = theme
        self._ready = False
        self._speculation = ""
        self.edit = PromptEdit(theme)
        self.edit.setObjectName("prompt")
        self.edit.setAccessibleName("Prompt")
        self.editing = QLabel("Editing a message: a new version is made beside the old one. Esc cancels.")
        self.editing.setProperty("tone", "2")
        self.editing.setProperty("scale", "small")
        self.editing.hide()
        self.attach = icon_button(theme, "attach", "Attach file")
        self.attach.clicked.connect(self.attachAsked)
        self.attachments = Attachments(theme)
        self.chip = QLabel()
        self.chip.setProperty("kind", "speculation")
        self.chip.setObjectName("chipSpeculation")
        self.chip.setIndent(0)
        self.hint = ElidingLabel()
        self.hint.setProperty("tone", "3")
        self.hint.setProperty("scale", "small")
        self.meter = ContextMeter(theme)
        self.meter.hide()
        self.stop = QPushButton("Stop")
        self.stop.setObjectName("buttonStop")
        self.stop.setAccessibleName("Stop")
        self.send = QPushButton("Send ⏎")
        self.send.setObjectName("buttonSend")
        self.send.setAccessibleName("Send")
        self.send.setProperty("kind", "primary")
        for button in (self.stop, self.send):
            button.setMinimumWidth(84)
            # A click leaves the focus where it is: one writes on, also after a reply was stopped.
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self.attach)
        row.addWidget(self.chip, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.hint, 1)
        row.addStretch(0)
        row.addWidget(self.meter)
        row.addWidget(self.stop)
        row.addWidget(self.send)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(14, 12, 8, 8)
        layout.setSpacing(8)
        for part in (self.editing, self.edit, self.attachments):
            layout.addWidget(part)
        layout.addLayout(row)
        self.edit.sendAsked.connect(self._ask)
        self.edit.textChanged.connect(self._refresh)
        self.edit.textChanged.connect(self.changed)
        self.edit.focusChanged.connect(self._show_focus)
        self.edit.filesDropped.connect(self.attach_files)
        self.edit.textPasted.connect(self._attach_pasted)
        self.edit.cancelAsked.connect(self.end_editing)
        self.attachments.changed.connect(self._refresh)
        self.attachments.changed.connect(self.changed)
        self.send.clicked.connect(self._ask)
        self.stop.clicked.connect(self.stopAsked)
        theme.changed.connect(self._on_theme)
        self._on_theme()
        self.show_state(ready=False, can_stop=False, usable=False, hint="")

    @property
    def text(self) -> str:
        """What is written."""
        return self.edit.toPlainText()

    @property
    def files(self) -> tuple[Attachment, ...]:
        """What is attached."""
        return self.attachments.files

    def take(self) -> str:
        """Return what is written and empty the composer."""
        text = self.text
        self.edit.clear()
        self.attachments.show_files(())
        return text

    def put(self, text: str, files: Iterable[Attachment] = ()) -> None:
        """Write into an empty composer; what the person has begun to write is left alone."""
        if not self.text and not self.files:
            self.edit.show_text(text)
            self.attachments.show_files(files)
            self._refresh()

    def replace(self, text: str, files: Iterable[Attachment] = ()) -> None:
        """Show another text, as when another chat is shown."""
        self.attachments.show_files(files)
        self.edit.show_text(text)

    def begin_editing(self) -> None:
        """Say that a message is being edited."""
        self.edit.cancels = True
        self.editing.show()
        self.edit.setFocus()

    def end_editing(self) -> None:
        """Back to writing a new message."""
        if self.edit.cancels:
            self.edit.cancels = False
            self.editing.hide()
            self.editingEnded.emit()

    def attach_files(self, paths: Iterable[Path]) -> None:
        """Attach text files; models are passed on, what is neither is refused in a sentence."""
        models, others = parted(list(paths))
        if models:
            self.modelsGiven.emit(models)
        for path in others:
            try:
                self.attachments.add(read_file(path))
            except UserError as error:
                self.refused.emit(error.sentence, error.next_step or "")

    def show_state(self, *, ready: bool, can_stop: bool, usable: bool, hint: str) -> None:
        """Enable what can be done now."""
        self._ready = ready
        self.edit.setEnabled(usable)
        self.attach.setEnabled(usable)
        self.edit.setPlaceholderText("Ask something" if usable else "Load a model to start")
        self.stop.setEnabled(can_stop)
        self.hint.show_text(hint)
        self._refresh()

    def show_speculation(self, text: str, *, on: bool) -> None:
        """Say whether the next reply drafts, and why not."""
        self._speculation = text
        self._fit()
        self.chip.setToolTip(f"Speculation: {text}")
        self.chip.setAccessibleName(f"Speculation: {text}")
        kind = "speculation" if on else "speculationOff"
        if self.chip.property("kind") != kind:
            self.chip.setProperty("kind", kind)
            self.chip.style().unpolish(self.chip)
            self.chip.style().polish(self.chip)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Nothing is cut: where room is scarce the chip says On or Off and the meter loses its bar."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        parts = (self.attach, self.meter, self.stop, self.send)
        for compact in (False, True):
            self.chip.setText(self._speculation.split(" ")[0] if compact else self._speculation)
            self.meter.set_compact(compact)
            room = self.chip.sizeHint().width() + sum(max(p.sizeHint().width(), p.minimumWidth()) for p in parts) + 90
            if room <= self.width():
                return

    def _attach_pasted(self, text: str) -> None:
        self.attachments.add(Attachment("pasted text", text))

    def _ask(self) -> None:
        if self.send.isEnabled():
            self.sendAsked.emit()

    def _refresh(self) -> None:
        written = not self.edit.document().isEmpty() and bool(self.text.strip())
        self.send.setEnabled(self._ready and (written or bool(self.files)))

    def _show_focus(self) -> None:
        self.setProperty("active", "true" if self.edit.hasFocus() else "false")
        self.style().unpolish(self)
        self.style().polish(self)

    def _on_theme(self) -> None:
        self.edit.setFont(self._theme.font("body"))
        self.edit.fit()
        size = self._theme.px(14)
        for button in (self.stop, self.send):
            button.setIconSize(QSize(size, size))
        self.stop.setIcon(self._theme.icon("stop", "text2", size))
        self.send.setIcon(self._theme.icon("send", "onAccent", size))
        self.attach.setIcon(self._theme.icon("attach", "text2", 16))
        self.attachments.show_files(self.attachments.files)
