"""The accept test on a line from 0 to 1: accepted up to min(1, p/q), and where u fell."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from draftlens.bridge.positions import Position, apart
from draftlens.ui.inspector.painted import CENTRE, LEFT, RIGHT, Painted
from draftlens.ui.theme import Theme

_INSET = 4
_BAR, _HIGH = 17, 8


class AcceptTest(Painted):
    """Of a position judged by a uniform."""

    tall = 56

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self._u = self._bound = 0.0
        self._words = ("", "")
        super().__init__(theme, "Accept test", parent)

    @staticmethod
    def applies(position: Position) -> bool:
        """Whether the position was judged by a uniform."""
        proposal = position.proposal
        return proposal is not None and proposal.u is not None and position.ratio is not None

    def show_position(self, position: Position) -> None:
        """Show a position's test."""
        proposal, ratio = position.proposal, position.ratio
        if proposal is None or proposal.u is None or ratio is None:
            return
        self._u, self._bound = proposal.u, min(1.0, ratio if proposal.p else 0.0)
        self._words = (f"{self._u:.3f}", "∞") if ratio == float("inf") else apart(self._u, ratio)
        self.say(f"u {self._words[0]}; accepted up to p/q {self._words[1]}")

    def paint(self, painter: QPainter) -> None:
        """Two zones, the bound below, the marker at u."""
        color, px = self._theme.color, self._theme.px
        wide = self.width() - 2 * _INSET
        split, at = _INSET + self._bound * wide, _INSET + self._u * wide
        top, high = px(_BAR), px(_HIGH)
        for left, right, name in ((float(_INSET), split, "accepted"), (split, float(_INSET + wide), "rejected")):
            if right - left >= 1:
                painter.setBrush(color(f"{name}Tint"))
                painter.setPen(QPen(color(name), 1))
                painter.drawRect(QRectF(left + 0.5, top + 0.5, right - left - 1, high - 1))
        painter.setFont(self._theme.font("caption"))
        metrics = QFontMetricsF(painter.font())
        zones = (
            (float(_INSET), split, "accept when u ≤ p/q", "acceptedText"),
            (split, float(_INSET + wide), "reject", "rejectedText"),
        )
        for left, right, words, name in zones:
            if metrics.horizontalAdvance(words) <= right - left:
                painter.setPen(color(name))
                painter.drawText(QRectF(left, 0, right - left, px(15)), CENTRE, words)
        painter.setFont(self._theme.font("data"))
        metrics = QFontMetricsF(painter.font())
        below = top + high + 1
        bound = f"p/q = {self._words[1]}"
        half = metrics.horizontalAdvance(bound) / 2
        room = _INSET + half + 14, _INSET + wide - half - 14
        centre = min(max(split, room[0]), room[1])
        if abs(centre - at) < half + 8:
            # The marker's foot would stand in the label: it steps aside, to the right where that has room.
            centre = at + half + 8 if at + half + 8 <= room[1] else at - half - 8
        painter.setPen(color("text2"))
        painter.drawText(QRectF(centre - half - 2, below, 2 * half + 4, px(14)), CENTRE, bound)
        painter.setPen(color("text3"))
        painter.drawText(QRectF(_INSET, below, 20, px(14)), LEFT, "0")
        painter.drawText(QRectF(_INSET + wide - 20, below, 20, px(14)), RIGHT, "1")
        painter.setPen(QPen(color("text"), 2))
        painter.drawLine(QPointF(at, top - 4), QPointF(at, top + high + 4))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color("text"))
        tip = top + high
        painter.drawPolygon(QPolygonF([QPointF(at, tip), QPointF(at - 4.5, tip + 8), QPointF(at + 4.5, tip + 8)]))
        label = f"u = {self._words[0]}"
        half = metrics.horizontalAdvance(label) / 2
        centre = min(max(at, half + 1), self.width() - half - 1)
        painter.setPen(color("text"))
        painter.drawText(QRectF(centre - half - 1, below + px(14), 2 * half + 2, px(14)), CENTRE, label)
