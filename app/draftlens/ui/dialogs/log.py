"""The end of the log, to be read and copied."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog, QPlainTextEdit, QVBoxLayout, QWidget

from draftlens import paths

_LINES = 400


class LogDialog(QDialog):
    """Read only."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setWindowTitle("Log")
        self.resize(720, 420)
        text = QPlainTextEdit()
        text.setReadOnly(True)
        text.setAccessibleName("Log")
        try:
            lines = (paths.logs_dir() / "draftlens.log").read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            lines = ["Nothing has been written to the log."]
        text.setPlainText("\n".join(lines[-_LINES:]))
        text.moveCursor(text.textCursor().MoveOperation.End)
        layout = QVBoxLayout(self)
        layout.addWidget(text)
