"""One chat's own system prompt and parameters, and presets to take them from."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QComboBox,
    QDialog,
    QHBoxLayout,
    QInputDialog,
    QLabel,
    QMessageBox,
    QPlainTextEdit,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.store.presets import Preset
from draftlens.ui.dialogs.params_form import ParamsForm
from draftlens.ui.theme import Theme


class ChatSettingsDialog(QDialog):
    """Applies at once, to the next reply of the chat in view."""

    def __init__(self, theme: Theme, bridge: EngineBridge, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Chat settings")
        self._bridge = bridge
        self._showing = False
        self.system = QPlainTextEdit()
        self.system.setAccessibleName("System prompt")
        self.system.setFixedHeight(96)
        self.system.setTabChangesFocus(True)
        self.form = ParamsForm(theme, bridge.next_reply.params)
        self.presets = QComboBox()
        self.presets.setAccessibleName("Preset")
        self.presets.setMinimumWidth(180)
        self.apply, self.save, self.delete = QPushButton("Apply"), QPushButton("Save as…"), QPushButton("Delete")
        self.reset = QPushButton("Follow the settings again")
        row = QHBoxLayout()
        row.addWidget(QLabel("Preset"))
        row.addWidget(self.presets, 1)
        for button in (self.apply, self.save, self.delete):
            row.addWidget(button)
        note = QLabel("Changes apply to the next reply of this chat.")
        note.setProperty("tone", "3")
        foot = QHBoxLayout()
        foot.addWidget(self.reset)
        foot.addStretch(1)
        foot.addWidget(note)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(24, 20, 24, 20)
        layout.setSpacing(10)
        heading = QLabel("System prompt")
        heading.setProperty("scale", "heading")
        sampling = QLabel("Sampling")
        sampling.setProperty("scale", "heading")
        for part in (heading, self.system, sampling, self.form):
            layout.addWidget(part)
        layout.addLayout(row)
        layout.addLayout(foot)
        self.system.textChanged.connect(self._on_system)
        self.form.changed.connect(lambda: bridge.next_reply.take(self.form.params))
        self.reset.clicked.connect(self._reset)
        self.apply.clicked.connect(self._apply)
        self.save.clicked.connect(self._ask_name)
        self.delete.clicked.connect(self._ask_delete)
        bridge.chatChanged.connect(self.refresh)
        bridge.next_reply.changed.connect(self._show_params)
        self.refresh()

    def refresh(self) -> None:
        """Show the chat in view."""
        conversation = self._bridge.chat.conversation
        text = self._bridge.system if conversation.system_prompt is None else conversation.system_prompt
        self._showing = True
        if text != self.system.toPlainText():
            self.system.setPlainText(text)
        self._showing = False
        self._show_params()
        self._fill()

    def save_as(self, name: str) -> None:
        """Keep what is shown under a name."""
        archive = self._bridge.archive
        archive.save_preset(Preset(name, self._bridge.next_reply.params, self.system.toPlainText()))
        archive.flush()
        self._fill(name)

    def delete_preset(self, name: str) -> None:
        """Forget a preset."""
        self._bridge.archive.delete_preset(name)
        self._bridge.archive.flush()
        self._fill()

    def _fill(self, chosen: str | None = None) -> None:
        chosen = chosen or self.presets.currentText()
        self._presets = {preset.name: preset for preset in self._bridge.archive.presets()}
        self.presets.clear()
        self.presets.addItems(list(self._presets))
        self.presets.setCurrentText(chosen)
        for button in (self.apply, self.delete):
            button.setEnabled(bool(self._presets))

    def _show_params(self) -> None:
        if self.form.params != self._bridge.next_reply.params:
            self.form.show_params(self._bridge.next_reply.params)

    def _on_system(self) -> None:
        if not self._showing:
            self._bridge.set_system(self.system.toPlainText())

    def _reset(self) -> None:
        self._bridge.set_system(None)
        self._bridge.reset_params()
        self.refresh()

    def _apply(self) -> None:
        preset = self._presets.get(self.presets.currentText())
        if preset is None:
            return
        self._bridge.next_reply.take(preset.params)
        if preset.system_prompt is not None:
            self._bridge.set_system(preset.system_prompt)
        self.refresh()

    def _ask_name(self) -> None:
        name, given = QInputDialog.getText(self, "Save preset", "Name")
        name = name.strip()
        if not given or not name:
            return
        if name in self._presets:
            self._confirm(f"Replace the preset “{name}”?", "Replace", lambda: self.save_as(name))
        else:
            self.save_as(name)

    def _ask_delete(self) -> None:
        name = self.presets.currentText()
        self._confirm(f"Delete the preset “{name}”?", "Delete", lambda: self.delete_preset(name))

    def _confirm(self, question: str, verb: str, act: Callable[[], None]) -> None:
        """A preset that is gone cannot be brought back."""
        box = QMessageBox(QMessageBox.Icon.NoIcon, "Preset", question, QMessageBox.StandardButton.Cancel, self)
        box.setTextFormat(Qt.TextFormat.PlainText)
        box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        box.addButton(verb, QMessageBox.ButtonRole.AcceptRole).clicked.connect(act)
        box.setDefaultButton(QMessageBox.StandardButton.Cancel)
        box.open()
