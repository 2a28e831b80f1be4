"""A label that gives way: cut with an ellipsis when there is no room, whole in its tooltip."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget


class ElidingLabel(QLabel):
    """Names are cut in the middle, sentences at their end."""

    def __init__(self, mode: Qt.TextElideMode = Qt.TextElideMode.ElideRight, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._mode, self._whole = mode, ""
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)

    @property
    def whole(self) -> str:
        """The text before any cut."""
        return self._whole

    def show_text(self, text: str) -> None:
        """Show a text."""
        if text != self._whole:
            self._whole = text
            self.setAccessibleName(text)
            self.updateGeometry()
            self._cut()

    def sizeHint(self) -> QSize:
        """Room for all of it."""
        return QSize(self.fontMetrics().horizontalAdvance(self._whole) + 2, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        """Room for almost none of it."""
        return QSize(min(40, self.sizeHint().width()), super().minimumSizeHint().height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Cut to the new width."""
        super().resizeEvent(event)
        self._cut()

    def paintEvent(self, event: QPaintEvent) -> None:
        """The style may have changed the font since the text was cut."""
        self._cut()
        super().paintEvent(event)

    def _cut(self) -> None:
        text = self.fontMetrics().elidedText(self._whole, self._mode, max(self.width(), 1))
        if text != self.text():
            self.setText(text)
            self.setToolTip(self._whole if text != self._whole else "")
