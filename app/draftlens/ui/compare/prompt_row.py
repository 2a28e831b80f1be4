"""The prompt of a comparison, and the buttons that run, stop and repeat it."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QKeySequence, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QLineEdit, QPushButton, QSpinBox, QWidget

from draftlens.bridge.compare_setup import CompareSetup
from draftlens.ui.theme import Theme

HEIGHT = 56


class PromptRow(QFrame):
    """Stop and Run keep their places; with a prompt set the field names the file."""

    runAsked = Signal(int)
    stopAsked = Signal()

    def __init__(self, theme: Theme, setup: CompareSetup, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "promptRow")
        self._theme, self._setup = theme, setup
        self._typed = ""
        self.label = QLabel("Prompt")
        self.label.setProperty("tone", "2")
        self.edit = QLineEdit()
        self.edit.setProperty("kind", "prompt")
        self.edit.setAccessibleName("Prompt")
        self.edit.setPlaceholderText("One prompt, answered by every arm")
        self.edit.setMinimumWidth(120)
        self.label.setBuddy(self.edit)
        # The space keeps the icon off the word.
        self.stop, self.run, self.again = (QPushButton(f" {words}") for words in ("Stop", "Run", "Repeat with"))
        for button in (self.stop, self.run, self.again):
            button.setAccessibleName(button.text().strip())
        keys = QKeySequence("Ctrl+.").toString(QKeySequence.SequenceFormat.NativeText)
        self.stop.setToolTip(f"Stop after the running round; what was run is kept ({keys})")
        keys = QKeySequence("Ctrl+Return").toString(QKeySequence.SequenceFormat.NativeText)
        self.run.setToolTip(f"Run every arm once ({keys})")
        self.again.setToolTip("Run every arm at so many seeds: intervals are then paired over seeds")
        self.seeds = QSpinBox()
        self.seeds.setRange(2, 1000)
        self.seeds.setValue(8)
        self.seeds.setFixedWidth(52)
        self.seeds.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.seeds.setAccessibleName("Number of seeds")
        self.words = QLabel("seeds")
        self.words.setProperty("tone", "2")
        row = QHBoxLayout(self)
        row.setContentsMargins(24, 0, 24, 0)
        row.setSpacing(10)
        row.addWidget(self.label)
        row.addWidget(self.edit, 1)
        for part in (self.stop, self.run, self.again, self.seeds, self.words):
            row.addWidget(part)
        self.edit.returnPressed.connect(self._run)
        self.run.clicked.connect(self._run)
        self.again.clicked.connect(lambda: self._run(self.seeds.value()))
        self.stop.clicked.connect(self.stopAsked)
        self.edit.textChanged.connect(self._on_text)
        setup.changed.connect(self._show_file)
        theme.changed.connect(self._dress)
        self._dress()
        self._ready = self._running = False
        self._show_file()

    @property
    def text(self) -> str:
        """The typed prompt."""
        return self._typed

    def show_state(self, *, ready: bool, running: bool) -> None:
        """Enable what can be done now."""
        self._ready, self._running = ready, running
        self.stop.setEnabled(running)
        has = bool(self._setup.prompts) or bool(self._typed.strip())
        for button in (self.run, self.again):
            button.setEnabled(ready and has)
        self.seeds.setEnabled(ready)
        self.edit.setReadOnly(running or self._setup.file is not None)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Words go before the field becomes too short to read."""
        super().resizeEvent(event)
        narrow = self.width() < self._theme.px(760)
        self.label.setVisible(not narrow)
        self.words.setVisible(not narrow)

    def _run(self, seeds: int | None = None) -> None:
        if self.run.isEnabled():
            self.runAsked.emit(1 if seeds is None or seeds is False else seeds)

    def _on_text(self, text: str) -> None:
        if self._setup.file is None:
            self._typed = text
            self.show_state(ready=self._ready, running=self._running)

    def _show_file(self) -> None:
        file = self._setup.file
        self.label.setText("Prompt" if file is None else "Prompts")
        shown = self._typed if file is None else f"{file.name}: {len(self._setup.prompts):,} prompts"
        if self.edit.text() != shown:
            self.edit.blockSignals(True)
            self.edit.setText(shown)
            self.edit.blockSignals(False)
        self.show_state(ready=self._ready, running=self._running)

    def show_prompt(self, text: str) -> None:
        """Show the prompt of a comparison that was opened."""
        self._typed = text
        self._show_file()

    def _dress(self) -> None:
        self.setFixedHeight(self._theme.px(HEIGHT))
        for button, icon in ((self.stop, "stop"), (self.run, "play"), (self.again, "refresh")):
            button.setIcon(self._theme.icon(icon, "text", 12))
            button.setIconSize(QSize(12, 12))
