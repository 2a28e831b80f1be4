"""A field that keeps Escape for itself: elsewhere the key stops a reply."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit


class EscapeField(QLineEdit):
    """One line of text that can be left by Escape, also while a reply runs."""

    escaped = Signal()

    def event(self, event: QEvent) -> bool:
        """Take Escape before the menus do."""
        if event.type() in (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress):
            assert isinstance(event, QKeyEvent)
            if event.key() == Qt.Key.Key_Escape:
                event.accept()
                if event.type() is QEvent.Type.KeyPress:
                    self.escaped.emit()
                return True
        return super().event(event)
