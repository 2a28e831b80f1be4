"""A scrolling page with a column of readable width and a pill; what stands on it is placed by whoever uses it."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QWidget

from draftlens.ui.chat.pill import Pill
from draftlens.ui.column import SIDE
from draftlens.ui.theme import Theme, tokens


class Page(QAbstractScrollArea):
    """The column has the composer's edges, which has no scroll bar beside it."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setFrameShape(QFrame.Shape.NoFrame)
        # Opaque, so that scrolling can move pixels instead of painting them again.
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_NoSystemBackground)
        self.verticalScrollBar().setSingleStep(48)
        self.pill = Pill(theme, self)
        self._reserve()
        theme.changed.connect(self._reserve)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The page between the turns."""
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), self._theme.color("bg"))
        painter.end()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Nothing moves by itself."""

    def bring(self, top: int, height: int) -> None:
        """Scroll no further than needed to show what stands at `top` in the viewport."""
        bar, edge = self.verticalScrollBar(), self.viewport().height() - height
        if not 0 <= top <= edge:
            bar.setValue(bar.value() + (top if top < 0 else top - edge))

    def _reserve(self) -> None:
        """The pill has a strip of its own: over the turns, it would make Qt paint all of them at each scroll."""
        self.setViewportMargins(0, 0, 0, self.pill.room)
        self.pill.settle()

    def _width(self) -> int:
        widest = self._theme.px(tokens()["dimensions"]["transcriptMaxWidth"])
        return max(200, min(widest, self.width() - 2 * SIDE))

    def _left(self) -> int:
        return (self.width() - self._width()) // 2
