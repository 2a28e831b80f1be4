"""What is asked before a chat is deleted for good: the one step of the list that has no way back."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QMessageBox, QWidget


def ask_purge(parent: QWidget, title: str, purge: Callable[[], None]) -> QMessageBox:
    """Show the question and delete if that is the answer; Return and Escape keep the chat."""
    box = QMessageBox(parent)
    box.setWindowTitle("Delete for good")
    # A title is what somebody wrote, tags and all.
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(f"Delete “{title}” for good?")
    box.setInformativeText("Its messages and rounds are removed from this computer. This can’t be undone.")
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    keep = box.addButton("Keep it", QMessageBox.ButtonRole.RejectRole)
    box.addButton("Delete for good", QMessageBox.ButtonRole.DestructiveRole).clicked.connect(purge)
    box.setDefaultButton(keep)
    box.setEscapeButton(keep)
    box.open()
    return box
