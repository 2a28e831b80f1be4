"""Measured acceptance with its interval, held against the two closed forms on one line from 0 to 1."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QFontMetricsF, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from draftlens.bridge import figures
from draftlens.core.rules import RuleId
from draftlens.core.stats import RunStats
from draftlens.ui.theme import Theme

HEIGHT = 82
_INSET = 4
_BAR, _BAR_HEIGHT = 34, 8
_MIDDLE = Qt.AlignmentFlag.AlignVCenter
_LEFT = _MIDDLE | Qt.AlignmentFlag.AlignLeft
_RIGHT = _MIDDLE | Qt.AlignmentFlag.AlignRight
_CENTRE = Qt.AlignmentFlag.AlignCenter


class Gauge(QWidget):
    """A painted chart; its sentence is its accessible description."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._stats: RunStats | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAccessibleName("Measured acceptance against closed form")
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """As the design draws it."""
        return QSize(380, HEIGHT)

    def show_stats(self, stats: RunStats | None) -> None:
        """Show a reply's figures."""
        self._stats = stats
        sentence = figures.gauge_sentence(stats)
        self.setAccessibleDescription(sentence)
        self.setToolTip(sentence)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """The line, the headroom between the forms, what is above the ceiling, and the measurement."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.hasFocus():
            painter.setPen(QPen(self._theme.color("accent"), 2))
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), 4, 4)
        stats = self._stats
        low = high = None
        if stats is not None and stats.rule is not RuleId.ARGMAX_AGAINST_ARGMAX:
            low, high = stats.closed_form_prod, stats.closed_form_min
        self._bar(painter, high)
        if low is not None and high is not None:
            self._forms(painter, low, high)
        elif stats is not None and stats.rule is RuleId.ARGMAX_AGAINST_ARGMAX and stats.expected is not None:
            self._expected(painter, stats.expected)
        if stats is not None and stats.tested:
            self._measurement(painter, stats)
        self._axis(painter)
        painter.end()

    def _x(self, value: float) -> float:
        return _INSET + value * (self.width() - 2 * _INSET)

    def _bar(self, painter: QPainter, ceiling: float | None) -> None:
        color = self._theme.color
        bar = QRectF(_INSET, _BAR, self.width() - 2 * _INSET, _BAR_HEIGHT)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color("surface"))
        painter.drawRoundedRect(bar, 2, 2)
        if ceiling is not None:
            above = QRectF(self._x(ceiling), _BAR, bar.right() - self._x(ceiling), _BAR_HEIGHT)
            painter.setBrush(QBrush(color("borderStrong"), Qt.BrushStyle.BDiagPattern))
            painter.drawRect(above)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(color("border"), 1))
        painter.drawRoundedRect(bar.adjusted(0.5, 0.5, -0.5, -0.5), 2, 2)

    def _forms(self, painter: QPainter, low: float, high: float) -> None:
        color = self._theme.color
        left, right = self._x(low), self._x(high)
        band = QRectF(left, _BAR, max(1.0, right - left), _BAR_HEIGHT)
        painter.fillRect(band, color("accentTint"))
        painter.setPen(QPen(color("accent"), 1))
        painter.drawLine(band.bottomLeft() - QPointF(0, 0.5), band.bottomRight() - QPointF(0, 0.5))
        for x, name, width in ((left, "text2", 1.5), (right, "text", 2.0)):
            painter.setPen(QPen(color(name), width))
            painter.drawLine(QPointF(x, 17), QPointF(x, _BAR + _BAR_HEIGHT))
        painter.setFont(self._theme.font("data"))
        metrics = QFontMetricsF(painter.font())
        prod, ceiling = f"sum_prod {low:.4f}", f"sum_min {high:.4f}"
        prod_end = max(metrics.horizontalAdvance(prod), left + 4)
        ceiling_start = min(right - 4, self.width() - metrics.horizontalAdvance(ceiling))
        # Close together the two labels would overlap: each then keeps to its side of the gap's middle.
        if prod_end + 8 > ceiling_start:
            middle = (prod_end + ceiling_start) / 2
            middle = min(max(middle, metrics.horizontalAdvance(prod) + 4), self.width() - 4)
            middle = min(middle, self.width() - metrics.horizontalAdvance(ceiling) - 4)
            prod_end, ceiling_start = middle - 4, middle + 4
        painter.setPen(color("text2"))
        painter.drawText(QRectF(0, 0, prod_end, 14), _RIGHT, prod)
        painter.setPen(color("text"))
        painter.drawText(QRectF(ceiling_start, 0, self.width(), 14), _LEFT, ceiling)
        if low > 0:
            ratio = f"{high / low:.2f}×"
            if right - left > metrics.horizontalAdvance(ratio) + 6:
                painter.setPen(color("accentText"))
                painter.drawText(QRectF(left, 17, right - left, 15), _CENTRE, ratio)
        painter.setFont(self._theme.font("caption"))
        words = "above ceiling"
        if self.width() - right > QFontMetricsF(painter.font()).horizontalAdvance(words) + 10:
            painter.setPen(color("text3"))
            painter.drawText(QRectF(right, 17, self.width() - right - 2, 15), _RIGHT, words)

    def _expected(self, painter: QPainter, value: float) -> None:
        """The biased rule's own expectation: no band and no ceiling, for neither bounds it."""
        x = self._x(value)
        painter.setPen(QPen(self._theme.color("text2"), 1.5, Qt.PenStyle.DashLine))
        painter.drawLine(QPointF(x, 17), QPointF(x, _BAR + _BAR_HEIGHT))
        painter.setFont(self._theme.font("data"))
        words = f"q(argmax p) {value:.4f}"
        wide = QFontMetricsF(painter.font()).horizontalAdvance(words)
        left = min(max(0.0, x - wide / 2), self.width() - wide)
        painter.setPen(self._theme.color("text2"))
        painter.drawText(QRectF(left, 0, wide + 2, 14), _LEFT, words)

    def _measurement(self, painter: QPainter, stats: RunStats) -> None:
        color, y = self._theme.color, 52.0
        interval = stats.interval
        centre = self._x(stats.per_position_acceptance)
        ends = (centre, centre) if interval is None else (self._x(interval[0]), self._x(interval[1]))
        painter.setPen(QPen(color("text"), 1.5))
        painter.drawLine(QPointF(ends[0], y), QPointF(ends[1], y))
        for x in ends:
            painter.drawLine(QPointF(x, y - 4), QPointF(x, y + 4))
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color("text"))
        painter.drawEllipse(QPointF(centre, y), 3.5, 3.5)
        painter.setFont(self._theme.font("data"))
        metrics = QFontMetricsF(painter.font())
        name = f"measured {stats.per_position_acceptance:.4f}"
        span = "" if interval is None else f" {interval[0]:.3f}–{interval[1]:.3f}"
        left, right = ends[0] - 8, self.width() - ends[1] - 8
        # The label stands beside the whisker, never on it; the interval is the part that can be left out.
        if max(left, right) < metrics.horizontalAdvance(name + span):
            span = ""
        total = metrics.horizontalAdvance(name + span)
        start = left - total if left >= total else ends[1] + 8
        painter.setPen(color("text"))
        painter.drawText(QRectF(start, y - 8, total + 2, 16), _LEFT, name)
        painter.setPen(color("text3"))
        painter.drawText(QRectF(start + metrics.horizontalAdvance(name), y - 8, total, 16), _LEFT, span)

    def _axis(self, painter: QPainter) -> None:
        painter.setFont(self._theme.font("data"))
        painter.setPen(self._theme.color("text3"))
        for value in (0.0, 0.25, 0.5, 0.75, 1.0):
            x = self._x(value)
            box = QRectF(x - 24, 65, 48, 15)
            align = _CENTRE
            if value == 0:
                box, align = QRectF(0, 65, 48, 15), _LEFT
            elif value == 1:
                box, align = QRectF(self.width() - 48, 65, 48, 15), _RIGHT
            painter.drawText(box, align, f"{value:g}")
