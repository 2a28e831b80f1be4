"""A painted chart that can be reached with Tab and says in one sentence what it shows."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from draftlens.ui.theme import Theme

LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
CENTRE = Qt.AlignmentFlag.AlignCenter


class Painted(QWidget):
    """Subclasses paint in `paint` and set `tall`, the height in pixels at normal text size."""

    tall = 80

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName(name)
        theme.changed.connect(self._dress)
        self._dress()

    def _dress(self) -> None:
        self.setFixedHeight(self._theme.px(self.tall))
        self.update()

    def sizeHint(self) -> QSize:
        """As the design draws it."""
        return QSize(380, self._theme.px(self.tall))

    def say(self, sentence: str) -> None:
        """Set the sentence and repaint."""
        self.setAccessibleDescription(sentence)
        self.setToolTip(sentence)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """The chart, and the ring while it has the focus."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self.paint(painter)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(self._theme.color("accent"), 2))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 4, 4)
        painter.end()

    def paint(self, painter: QPainter) -> None:
        """Paint what is shown."""
        raise NotImplementedError
