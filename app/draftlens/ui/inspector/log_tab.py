"""The run as it is written down: its lines, its timings block, the selected round as JSON, and the whole as a file."""

from __future__ import annotations

import json
from collections.abc import Sequence

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QGuiApplication, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPlainTextEdit, QPushButton, QVBoxLayout, QWidget

from draftlens.bridge.reply import Reply
from draftlens.bridge.selection import Selection
from draftlens.core import report
from draftlens.ui.eliding_choice import ElidingChoice
from draftlens.ui.inspector.parts import heading, section
from draftlens.ui.inspector.run_tab import log_lines
from draftlens.ui.theme import Theme

NO_ROUND = "No round is selected."
NO_LINES = "No speculative round ran."


class LogTab(QWidget):
    """Written only while it is seen."""

    runAsked = Signal(str)
    shown = Signal()
    exportAsked = Signal()
    openAsked = Signal()

    def __init__(self, theme: Theme, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._selection = theme, selection
        self._reply: Reply | None = None
        self.runs = ElidingChoice()
        self.runs.setAccessibleName("Run of this chat")
        self.runs.activated.connect(lambda number: self.runAsked.emit(self.runs.itemData(number)))
        self.lines, self.timings, self.round = (_record(n) for n in ("Log lines", "Timings block", "Selected round"))
        self.copy = QPushButton("Copy as JSON")
        self.export = QPushButton("Export run record…")
        self.open = QPushButton("Open run record…")
        self.copy.clicked.connect(self.copy_round)
        self.export.clicked.connect(self.exportAsked)
        self.open.clicked.connect(self.openAsked)
        self._which = QLabel()
        self._which.setProperty("tone", "3")
        self._which.setProperty("scale", "small")
        foot = QHBoxLayout()
        foot.setSpacing(6)
        for button in (self.export, self.open):
            foot.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(12)
        layout.addWidget(self.runs)
        layout.addLayout(section(heading("Log lines"), self.lines), 3)
        layout.addLayout(section(heading("Timings"), self.timings), 3)
        layout.addLayout(section(heading("Round as JSON", self._which, self.copy), self.round), 6)
        layout.addLayout(foot)
        self.runs.hide()

    def show_runs(self, runs: Sequence[tuple[str, str]], current: str) -> None:
        """Offer the replies of the chat, as (message, label)."""
        with QSignalBlocker(self.runs):
            self.runs.clear()
            for message, label in runs:
                self.runs.addItem(label, message)
            self.runs.setCurrentIndex(max(0, self.runs.findData(current)))
        self.runs.setEnabled(len(runs) > 1)
        # A choice of nothing would look like a field that was forgotten.
        self.runs.setVisible(bool(runs))

    def show_reply(self, reply: Reply | None) -> None:
        """Show a reply, or what it gained."""
        self._reply = reply
        self.export.setEnabled(reply is not None and bool(reply.rounds) and not reply.phase.running)
        if self.isVisible():
            self._write()

    def follow(self) -> None:
        """Show the selected round."""
        if self.isVisible():
            self._write_round()

    def copy_round(self) -> None:
        """Copy the selected round."""
        text = self.round_json()
        if text:
            QGuiApplication.clipboard().setText(text)

    def round_json(self) -> str:
        """The selected round, empty if there is none."""
        round_ = self._selection.round
        return "" if round_ is None else json.dumps(round_.to_json(), ensure_ascii=False, indent=1)

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up."""
        super().showEvent(event)
        self.shown.emit()
        self._write()

    def _write(self) -> None:
        reply = self._reply
        _put(self.lines, NO_LINES if reply is None else log_lines(reply) or NO_LINES)
        block = {} if reply is None else report.timings_block(reply.stats)
        _put(self.timings, json.dumps(block, indent=1) if block else "")
        self._write_round()

    def _write_round(self) -> None:
        round_ = self._selection.round
        self._which.setText("" if round_ is None else f"round {round_.index}")
        self.copy.setEnabled(round_ is not None)
        _put(self.round, self.round_json() or NO_ROUND)


def _record(name: str) -> QPlainTextEdit:
    edit = QPlainTextEdit()
    edit.setReadOnly(True)
    edit.setTabChangesFocus(True)
    edit.setAccessibleName(name)
    edit.setProperty("kind", "record")
    return edit


def _put(edit: QPlainTextEdit, text: str) -> None:
    """A text that stays keeps its place and what is selected in it."""
    if edit.toPlainText() != text:
        edit.setPlainText(text)
