"""Where the time of each round went: draft, verify, judge and other, stacked, newest round at the right."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QBrush, QPainter, QPen
from PySide6.QtWidgets import QWidget

from draftlens.bridge import figures
from draftlens.core.round import Round
from draftlens.core.stats import RunStats
from draftlens.ui.inspector.painted import RIGHT, Painted
from draftlens.ui.theme import Theme

PARTS = (("draft", "drafter"), ("verify", "target"), ("judge", "accent"), ("other", "untested"))
_PITCH, _LEFT = 4, 52


class TimeChart(Painted):
    """Only the rounds that fit are looked at, however many there are."""

    tall = 96

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        self._rounds: Sequence[Round] = ()
        super().__init__(theme, "Time of each round", parent)

    def show_rounds(self, rounds: Sequence[Round], stats: RunStats) -> None:
        """Show the newest rounds; the sentence is about all of them."""
        self._rounds = rounds
        self.say(". ".join(", ".join(row) for row in time_rows(stats)) if stats.forwards else "No round yet")

    def paint(self, painter: QPainter) -> None:
        """Columns below the scale of the longest round in view."""
        color, px = self._theme.color, self._theme.px
        left, bottom = px(_LEFT), self.height() - 4
        high = bottom - px(8)
        fit = max(1, (self.width() - left) // _PITCH)
        shown = [r for r in self._rounds[-fit - 1 :] if r.forward][-fit:]
        top = max((r.timings.total for r in shown), default=0.0)
        painter.setFont(self._theme.font("data"))
        for value in (0.0, top):
            line = bottom - (high if value else 0)
            painter.setPen(QPen(color("border"), 1))
            painter.drawLine(QPointF(left, line), QPointF(self.width(), line))
            painter.setPen(color("text3"))
            painter.drawText(QRectF(0, min(max(line - 7, 0), bottom - 13), left - 5, 14), RIGHT, f"{value:.0f} ms")
        if not top:
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        x = float(self.width() - len(shown) * _PITCH) if len(shown) == fit else float(left)
        brushes = [_brush(self._theme, number) for number in range(len(PARTS))]
        for made in shown:
            y = float(bottom)
            times = made.timings
            for brush, ms in zip(brushes, (times.draft, times.verify, times.judge, times.other), strict=True):
                tall = high * ms / top
                painter.fillRect(QRectF(x, y - tall, _PITCH - 1, tall), brush)
                y -= tall
            x += _PITCH


class TimeLegend(QWidget):
    """One patch a part; the word beside it carries its meaning."""

    def __init__(self, theme: Theme, part: int, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._part = theme, part
        self.setFixedSize(10, 10)
        theme.changed.connect(self.update)

    def paintEvent(self, event: object) -> None:
        """The patch."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), _brush(self._theme, self._part))
        painter.end()


def time_rows(stats: RunStats) -> list[tuple[str, ...]]:
    """Part, total, mean of a round, share."""
    n, total = stats.forwards, stats.decode_ms
    sums = (stats.draft_ms, stats.verify_ms, stats.judge_ms, stats.other_ms)
    return [
        (
            name,
            f"{ms:,.0f} ms",
            f"{figures.milliseconds(ms / n) if n else figures.DASH} ms a round",
            f"{ms / total:.0%}" if total else "",
        )
        for (name, _), ms in zip(PARTS, sums, strict=True)
    ]


def _brush(theme: Theme, part: int) -> QBrush:
    style = Qt.BrushStyle.Dense4Pattern if part == 2 else Qt.BrushStyle.SolidPattern
    return QBrush(theme.color(PARTS[part][1]), style)
