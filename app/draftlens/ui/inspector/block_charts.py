"""Acceptance by position in the block with its intervals, and how long the accepted prefixes were."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QPainter, QPen
from PySide6.QtWidgets import QWidget

from draftlens.bridge import figures
from draftlens.core.stats import RunStats
from draftlens.ui.inspector.painted import CENTRE, RIGHT, Painted
from draftlens.ui.theme import Theme

_MOST = 16
_LEFT, _TOP, _BOTTOM = 30, 6, 30


class PositionChart(Painted):
    """One point a position: accepted / tested there, a whisker for 95 %, n below."""

    tall = 118

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self._stats = RunStats()
        super().__init__(theme, "Acceptance by position in the block", parent)

    def show_stats(self, stats: RunStats) -> None:
        """Show a reply's tallies."""
        self._stats = stats
        self.say(". ".join(", ".join(row) for row in position_rows(stats, spoken=True)) or "No verify round ran")

    def paint(self, painter: QPainter) -> None:
        """Grid, points, whiskers, counts."""
        color, px = self._theme.color, self._theme.px
        shown = self._stats.positions[:_MOST]
        left, bottom = px(_LEFT), self.height() - px(_BOTTOM)
        high = bottom - px(_TOP)
        painter.setFont(self._theme.font("data"))
        for value in (0.0, 0.5, 1.0):
            y = bottom - value * high
            painter.setPen(QPen(color("border"), 1))
            painter.drawLine(QPointF(left, y), QPointF(self.width(), y))
            painter.setPen(color("text3"))
            painter.drawText(QRectF(0, y - 7, left - 5, 14), RIGHT, f"{value:g}")
        pitch = (self.width() - left) / max(4, len(shown))
        for number, tally in enumerate(shown):
            x = left + (number + 0.5) * pitch
            interval = tally.interval
            if interval is not None:
                ends = [bottom - value * high for value in interval]
                painter.setPen(QPen(color("text"), 1.5))
                painter.drawLine(QPointF(x, ends[0]), QPointF(x, ends[1]))
                for y in ends:
                    painter.drawLine(QPointF(x - 4, y), QPointF(x + 4, y))
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(color("text"))
                painter.drawEllipse(QPointF(x, bottom - tally.rate * high), 3.5, 3.5)
            painter.setPen(color("text"))
            painter.drawText(QRectF(x - pitch / 2, bottom + 1, pitch, 14), CENTRE, str(number + 1))
            painter.setPen(color("text3"))
            words = f"n = {tally.tested}" if pitch > px(48) else str(tally.tested)
            painter.drawText(QRectF(x - pitch / 2, bottom + px(14), pitch, 14), CENTRE, words)


class LengthChart(Painted):
    """One column a length: solid where a rejection ended the chain, hatched where none was seen."""

    tall = 100

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self._stats = RunStats()
        super().__init__(theme, "Accepted lengths", parent)

    def show_stats(self, stats: RunStats) -> None:
        """Show a reply's lengths."""
        self._stats = stats
        self.say(". ".join(", ".join(row) for row in length_rows(stats, spoken=True)) or "No verify round ran")

    def paint(self, painter: QPainter) -> None:
        """Columns with their counts."""
        color, px = self._theme.color, self._theme.px
        ended, censored = self._stats.ended, self._stats.censored
        last = min(_MOST, max([*ended, *censored], default=0))
        top = max((ended.get(n, 0) + censored.get(n, 0) for n in range(last + 1)), default=0)
        left, bottom = px(_LEFT), self.height() - px(16)
        high = bottom - px(18)
        pitch = (self.width() - left) / max(5, last + 1)
        painter.setFont(self._theme.font("data"))
        painter.setPen(QPen(color("border"), 1))
        painter.drawLine(QPointF(left, bottom), QPointF(self.width(), bottom))
        for length in range(last + 1):
            x = left + length * pitch + pitch * 0.2
            wide = pitch * 0.6
            solid, open_ = ended.get(length, 0), censored.get(length, 0)
            tall = high * solid / top if top else 0
            painter.fillRect(QRectF(x, bottom - tall, wide, tall), color("target"))
            more = high * open_ / top if top else 0
            if more:
                box = QRectF(x, bottom - tall - more, wide, more)
                painter.fillRect(box, color("surface2"))
                painter.fillRect(box, QBrush(color("target"), Qt.BrushStyle.BDiagPattern))
                painter.setPen(QPen(color("target"), 1))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5))
            painter.setPen(color("text2"))
            if solid + open_:
                painter.drawText(
                    QRectF(x - 20, bottom - tall - more - px(15), wide + 40, 14), CENTRE, str(solid + open_)
                )
            painter.setPen(color("text"))
            painter.drawText(QRectF(x - 20, bottom + 1, wide + 40, 14), CENTRE, str(length))


def position_rows(stats: RunStats, *, spoken: bool = False) -> list[tuple[str, ...]]:
    """Position, n, accepted / tested, interval."""
    rows: list[tuple[str, ...]] = []
    for number, tally in enumerate(stats.positions):
        low, high = tally.interval or (0.0, 1.0)
        span = f"{low:.3f} to {high:.3f}" if spoken else f"{low:.3f}–{high:.3f}"
        n = f"n {tally.tested}" if spoken else figures.count(tally.tested)
        rows.append((f"position {number + 1}", n, f"{tally.rate:.4f}", span))
    return rows


def length_rows(stats: RunStats, *, spoken: bool = False) -> list[tuple[str, ...]]:
    """Accepted length, rounds ended by a rejection, rounds where none was seen."""
    last = max([*stats.ended, *stats.censored], default=-1)
    words = (" ended by a rejection", " not ended") if spoken else ("", "")
    return [
        (f"{n} accepted", f"{stats.ended.get(n, 0)}{words[0]}", f"{stats.censored.get(n, 0)}{words[1]}")
        for n in range(last + 1)
    ]
