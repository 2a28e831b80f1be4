"""Room for wrapped words: Qt reckons a dialog's least height as if no label of it had to wrap."""

from __future__ import annotations

from PySide6.QtWidgets import QDialog


def make_room(dialog: QDialog, width: int) -> None:
    """Let a dialog be at least so wide, and as high as its words need then."""
    dialog.setMinimumWidth(width)
    layout = dialog.layout()
    if layout is not None:
        layout.activate()
        dialog.setMinimumHeight(layout.totalHeightForWidth(max(dialog.width(), width)))
    if not dialog.isVisible():
        dialog.resize(dialog.minimumSize())
