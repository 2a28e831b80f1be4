"""The likeliest tokens of a position as paired bars: p above, q below, what both share hatched."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from draftlens.bridge import figures
from draftlens.bridge.positions import Odds
from draftlens.ui.inspector.painted import CENTRE, LEFT, RIGHT, Painted
from draftlens.ui.shapes import CELL, paint_mark, tint
from draftlens.ui.theme import Theme

COUNT = 12
_ROW, _HEAD, _AXIS = 26, 18, 14
_BARS, _NUMBERS = 92, 100
_THICK = 7


class Bars(Painted):
    """One row a token; the solid end of p is residual mass, the solid end of q is what gets rejected."""

    tall = _HEAD + COUNT * _ROW + _AXIS

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self._odds: tuple[Odds, ...] = ()
        super().__init__(theme, "Probabilities of the likeliest tokens", parent)

    def show_odds(self, odds: tuple[Odds, ...]) -> None:
        """Show the candidates of a position, likeliest first."""
        self._odds = odds
        self.tall = _HEAD + max(1, len(odds)) * _ROW + _AXIS
        self._dress()
        self.say(". ".join(_spoken(o) for o in odds) or "No snapshot was kept here")

    def paint(self, painter: QPainter) -> None:
        """Column names, a row a token, the axis."""
        color, px = self._theme.color, self._theme.px
        left, right = float(px(_BARS)), float(self.width() - px(_NUMBERS))
        top = max((max(o.p, o.q or 0.0) for o in self._odds), default=1.0)
        unit = _unit(top)
        end = unit * math.ceil(top / unit - 1e-9)
        scale = (right - left) / end
        self._grid(painter, left, scale, unit, end)
        painter.setFont(self._theme.font("caption"))
        painter.setPen(color("text2"))
        painter.drawText(QRectF(left, 0, 120, px(_HEAD)), LEFT, "probability")
        painter.drawText(QRectF(right, 0, px(53), px(_HEAD)), RIGHT, "p")
        painter.drawText(QRectF(right, 0, px(_NUMBERS) - 3, px(_HEAD)), RIGHT, "q")
        for number, odds in enumerate(self._odds):
            self._row(painter, odds, float(px(_HEAD) + number * px(_ROW)), left, right, scale)

    def _row(self, painter: QPainter, odds: Odds, y: float, left: float, right: float, scale: float) -> None:
        color, px = self._theme.color, self._theme.px
        high = px(_ROW)
        if odds.mark is not None:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color(tint(odds.mark)))
            painter.drawRoundedRect(QRectF(0, y + 1, self.width(), high - 3), 3, 3)
            paint_mark(painter, 4, y + high / 2 - CELL / 2 - 0.5, odds.mark, self._theme)
        painter.setFont(self._theme.font("data"))
        painter.setPen(color("text"))
        room = left - px(20) - 4
        text = painter.fontMetrics().elidedText(odds.text, Qt.TextElideMode.ElideRight, int(room))
        painter.drawText(QRectF(px(20), y, room, high - 1), LEFT, text)
        middle = y + (high - 1) / 2
        shared = odds.p if odds.q is None else min(odds.p, odds.q)
        thick = px(_THICK)
        self._bar(
            painter,
            QRectF(left, middle - thick, odds.p * scale, thick),
            "target",
            0 if odds.q is None else shared * scale,
        )
        if odds.q is not None:
            self._bar(painter, QRectF(left, middle, odds.q * scale, thick), "drafter", shared * scale)
        painter.setFont(self._theme.font("data"))
        painter.setPen(color("text"))
        painter.drawText(QRectF(right, y, px(53), high - 1), RIGHT, figures.probability(odds.p))
        painter.setPen(color("text2"))
        painter.drawText(QRectF(right, y, px(_NUMBERS) - 3, high - 1), RIGHT, figures.probability(odds.q))

    def _bar(self, painter: QPainter, bar: QRectF, name: str, shared: float) -> None:
        color = self._theme.color(name)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.fillRect(bar.adjusted(shared, 0, 0, 0), color)
        if shared <= 0:
            return
        both = QRectF(bar.left(), bar.top(), shared, bar.height())
        painter.fillRect(both, self._theme.color("overlap"))
        painter.fillRect(both, QBrush(self._theme.color("drafter"), Qt.BrushStyle.BDiagPattern))
        painter.setPen(QPen(color, 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        if shared > 1:
            painter.drawRect(both.adjusted(0.5, 0.5, -0.5, -0.5))

    def _grid(self, painter: QPainter, left: float, scale: float, unit: float, end: float) -> None:
        px = self._theme.px
        bottom = self.height() - px(_AXIS)
        painter.setFont(self._theme.font("data"))
        for step in range(round(end / unit) + 1):
            x = left + step * unit * scale
            painter.setPen(QPen(self._theme.color("border"), 1))
            painter.drawLine(QPointF(x, px(_HEAD)), QPointF(x, bottom))
            painter.setPen(self._theme.color("text3"))
            painter.drawText(QRectF(x - 30, bottom, 60, px(_AXIS)), CENTRE, f"{step * unit:g}")


def rows(odds: tuple[Odds, ...]) -> list[tuple[str, ...]]:
    """The same as a table: token, p, q, what became of it."""
    return [
        (
            o.text,
            figures.probability(o.p),
            figures.probability(o.q),
            "" if o.mark is None else figures.mark_words(o.mark),
        )
        for o in odds
    ]


def _unit(top: float) -> float:
    """A round distance of grid lines that gives three to six of them."""
    for unit in (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2):
        if top / unit <= 5.5:
            return unit
    return 0.2


def _spoken(odds: Odds) -> str:
    q = "" if odds.q is None else f", q {odds.q:.3f}"
    mark = "" if odds.mark is None else f", {figures.mark_words(odds.mark)}"
    return f"{odds.text} p {odds.p:.3f}{q}{mark}"


class Swatch(QWidget):
    """One kind of bar, for a legend; the word beside it carries its meaning."""

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._name = theme, name
        self.setFixedSize(12, 9)
        theme.changed.connect(self.update)

    def paintEvent(self, event: QPaintEvent) -> None:
        """A patch of the bar."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.color(self._name))
        if self._name == "overlap":
            painter.fillRect(self.rect(), QBrush(self._theme.color("drafter"), Qt.BrushStyle.BDiagPattern))
        painter.end()
