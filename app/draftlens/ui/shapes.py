"""The five shapes of a token's fate, painted the same wherever they appear: shape first, colour second."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from draftlens.core.round import Fate, Source
from draftlens.ui.theme import Theme

CELL = 9

Mark = Fate | Source


def text_color(mark: Mark) -> str:
    """The colour token in which a fate or source is written."""
    match mark:
        case Fate.ACCEPTED | Source.DRAFT:
            return "acceptedText"
        case Fate.REJECTED:
            return "rejectedText"
        case Source.RESIDUAL | Source.TARGET:
            return "residualText"
        case Source.BONUS:
            return "bonusText"
        case _:
            return "untestedText"


def tint(mark: Mark) -> str:
    """The colour token of the ground a fate or source stands on."""
    match mark:
        case Fate.ACCEPTED | Source.DRAFT:
            return "acceptedTint"
        case Fate.REJECTED:
            return "rejectedTint"
        case Source.RESIDUAL | Source.TARGET:
            return "residualTint"
        case Source.BONUS:
            return "bonusTint"
        case _:
            return "untestedTint"


def paint_mark(painter: QPainter, x: float, y: float, mark: Mark, theme: Theme, size: float = CELL) -> None:
    """Paint a mark in the square of `size` at (x, y)."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    square = QRectF(x, y, size, size)
    outline = square.adjusted(0.5, 0.5, -0.5, -0.5)
    painter.setPen(Qt.PenStyle.NoPen)
    match mark:
        case Fate.ACCEPTED | Source.DRAFT:
            painter.setBrush(theme.color("accepted"))
            painter.drawRoundedRect(square, 2, 2)
        case Fate.REJECTED:
            painter.setBrush(theme.color("rejectedTint"))
            painter.setPen(QPen(theme.color("rejected"), 1))
            painter.drawRoundedRect(outline, 2, 2)
            arm = size * 0.19
            centre = square.center()
            painter.drawLine(centre + QPointF(-arm, -arm), centre + QPointF(arm, arm))
            painter.drawLine(centre + QPointF(-arm, arm), centre + QPointF(arm, -arm))
        case Fate.UNTESTED:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.color("untested"), 1))
            painter.drawRoundedRect(outline, 2, 2)
            centre = square.center()
            painter.drawLine(centre - QPointF(size * 0.15, 0), centre + QPointF(size * 0.15, 0))
        case Source.RESIDUAL | Source.TARGET:
            painter.setBrush(theme.color("residual"))
            centre, reach = square.center(), size / 2 + 0.5
            points = [QPointF(0, -reach), QPointF(reach, 0), QPointF(0, reach), QPointF(-reach, 0)]
            painter.drawPolygon(QPolygonF([centre + point for point in points]))
        case Source.BONUS:
            painter.setBrush(theme.color("bonus"))
            painter.drawEllipse(square)
        case _:
            painter.setBrush(QBrush(theme.color("untested")))
            painter.drawEllipse(square.center(), size / 4.5, size / 4.5)
    painter.restore()


class MarkWidget(QWidget):
    """One mark, for legends; the words beside it carry its meaning."""

    def __init__(self, mark: Mark, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._mark, self._theme = mark, theme
        self.setFixedSize(self.sizeHint())
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """A cell and room for the diamond's points."""
        return QSize(CELL + 2, CELL + 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the mark."""
        painter = QPainter(self)
        paint_mark(painter, 1, 1, self._mark, self._theme)
        painter.end()
