"""Every round as a column of shapes, newest at the right: click or drag selects a round."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRect, QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPixmap, QResizeEvent
from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QSizePolicy, QWidget

from draftlens.bridge import figures
from draftlens.core.round import Round
from draftlens.ui.inspector.strip_voice import StripVoice
from draftlens.ui.shapes import CELL, Mark, paint_mark
from draftlens.ui.theme import Theme

_PITCH = 13
_ROW = 11
_TOP = 3
_MAX_ROWS = 8
_AXIS = 14


class RoundStrip(QAbstractScrollArea):
    """Painted column by column; only what is visible is painted."""

    selected = Signal(int)
    openAsked = Signal()
    scrolled = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rounds: Sequence[Round] = ()
        self._row = -1
        self._depth = 4
        self._marks: dict[tuple[Mark, float], QPixmap] = {}
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName("Rounds")
        self.viewport().setAutoFillBackground(False)
        self._voice = StripVoice(self.viewport())
        self.scrolled.connect(self._name_columns)
        self.horizontalScrollBar().valueChanged.connect(self._on_scrolled)
        theme.changed.connect(self._dress)
        self._fit()

    def show_rounds(self, rounds: Sequence[Round]) -> None:
        """Show these rounds; the view stays with the newest one if it was there, and begins there for another reply."""
        bar = self.horizontalScrollBar()
        another = not rounds or not self._rounds or rounds[0] is not self._rounds[0]
        at_end = another or bar.value() >= bar.maximum() - _PITCH
        fresh = rounds if another else rounds[len(self._rounds) :]
        if another:
            self._depth = 4
        self._depth = min(_MAX_ROWS, max([self._depth, *(r.drafted for r in fresh)]))
        self._rounds = list(rounds)
        self._fit()
        if at_end:
            bar.setValue(bar.maximum())
        self._describe()
        self.viewport().update()
        self.scrolled.emit()

    def select(self, row: int) -> None:
        """Mark a round and bring it into view; -1 marks none."""
        if row == self._row:
            return
        self._row = row
        if row >= 0:
            bar = self.horizontalScrollBar()
            left = row * _PITCH
            if left < bar.value():
                bar.setValue(left)
            elif left + _PITCH > bar.value() + self.viewport().width():
                bar.setValue(left + _PITCH - self.viewport().width())
        self._describe()
        self.viewport().update()

    def visible_range(self) -> str:
        """Which rounds are in view, out of how many."""
        if not self._rounds or not self._rounds[-1].index:
            return ""
        first, last = self._visible()
        rounds = self._rounds
        return f"{rounds[first].index}–{rounds[last].index} of {figures.count(rounds[-1].index)}"

    def paintEvent(self, event: QPaintEvent) -> None:
        """The visible columns, the selected one framed, and the round numbers below."""
        painter = QPainter(self.viewport())
        color = self._theme.color
        if self.hasFocus():
            painter.setPen(QPen(color("accent"), 2))
            painter.drawRoundedRect(QRectF(self.viewport().rect()).adjusted(1, 1, -1, -1), 4, 4)
        if not self._rounds:
            painter.end()
            return
        painter.setFont(self._theme.font("data"))
        offset = self.horizontalScrollBar().value()
        first, last = self._visible()
        for row in range(first, last + 1):
            x = row * _PITCH - offset + 2
            round_ = self._rounds[row]
            chosen = row == self._row
            if chosen:
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                painter.setPen(QPen(color("accent"), 1.5))
                painter.setBrush(color("selected"))
                painter.drawRoundedRect(QRectF(x - 2, 0.75, CELL + 4, self._draw_y() + CELL + 2.5), 3, 3)
            step = _ROW if round_.drafted <= self._depth else self._depth * _ROW / round_.drafted
            for i, proposal in enumerate(round_.proposals):
                size = min(CELL, step - 1)
                self._paint_mark(painter, x + (CELL - size) / 2, _TOP + i * step, proposal.fate, size)
            if round_.next is not None:
                self._paint_mark(painter, x, self._draw_y(), round_.next.source, CELL)
            near = self._row >= 0 and 0 < abs(row - self._row) <= 2
            if chosen or (round_.index % 5 == 0 and not near):
                painter.setPen(color("accentText" if chosen else "text3"))
                words = str(round_.index)
                wide = painter.fontMetrics().horizontalAdvance(words)
                # The number of a column at an edge stays whole.
                left = max(0.0, min(x + (CELL - wide) / 2, self.viewport().width() - wide))
                painter.drawText(QPointF(left, self._draw_y() + CELL + 3 + painter.fontMetrics().ascent()), words)
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Select the round under the mouse."""
        self._choose(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Dragging scrubs through the rounds."""
        if event.buttons() & Qt.MouseButton.LeftButton:
            self._choose(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Left and right step through the rounds; Space opens the selected one in the table."""
        if event.key() == Qt.Key.Key_Space and self._row >= 0:
            self.openAsked.emit()
            return
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1}.get(Qt.Key(event.key()))
        if step is None or not self._rounds:
            super().keyPressEvent(event)
            return
        start = self._row if self._row >= 0 else len(self._rounds)
        self.selected.emit(min(max(start + step, 0), len(self._rounds) - 1))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the newest rounds in view."""
        bar = self.horizontalScrollBar()
        at_end = bar.value() >= bar.maximum() - _PITCH
        super().resizeEvent(event)
        self._fit()
        if at_end:
            bar.setValue(bar.maximum())
        self.scrolled.emit()

    def _choose(self, event: QMouseEvent) -> None:
        row = int((event.position().x() + self.horizontalScrollBar().value()) // _PITCH)
        if 0 <= row < len(self._rounds):
            self.selected.emit(row)

    def _dress(self) -> None:
        self._marks.clear()
        self.viewport().update()

    def _paint_mark(self, painter: QPainter, x: float, y: float, mark: Mark, size: float) -> None:
        """A mark of full size is drawn once and copied: scrubbing paints a hundred of them each frame."""
        if size != CELL:
            paint_mark(painter, x, y, mark, self._theme, size)
            return
        ratio = self.devicePixelRatioF()
        drawn = self._marks.get((mark, ratio))
        if drawn is None:
            drawn = QPixmap(round((CELL + 2) * ratio), round((CELL + 2) * ratio))
            drawn.setDevicePixelRatio(ratio)
            drawn.fill(Qt.GlobalColor.transparent)
            one = QPainter(drawn)
            paint_mark(one, 1, 1, mark, self._theme)
            one.end()
            self._marks[mark, ratio] = drawn
        painter.drawPixmap(QPointF(x - 1, y - 1), drawn)

    def _visible(self) -> tuple[int, int]:
        offset = self.horizontalScrollBar().value()
        last = (offset + self.viewport().width() - CELL - 2) // _PITCH
        # A column that is cut at an edge is not shown: the strip ends flush with its newest round.
        return -(-offset // _PITCH), max(0, min(last, len(self._rounds) - 1))

    def _draw_y(self) -> float:
        return _TOP + self._depth * _ROW + 3

    def _fit(self) -> None:
        height = round(self._draw_y()) + CELL + 4 + _AXIS
        if height != self.minimumHeight():
            self.setFixedHeight(height)
        width = self.viewport().width()
        bar = self.horizontalScrollBar()
        bar.setPageStep(width)
        bar.setSingleStep(_PITCH)
        bar.setRange(0, max(0, len(self._rounds) * _PITCH - width))

    def _on_scrolled(self) -> None:
        self.viewport().update()
        self.scrolled.emit()

    def _name_columns(self) -> None:
        first, last = self._visible()
        offset, height = self.horizontalScrollBar().value(), self.viewport().height()
        places = [QRect(row * _PITCH - offset, 0, _PITCH, height) for row in range(first, last + 1)]
        self._voice.show_rounds(self._rounds, first, places if self._rounds else ())

    def _describe(self) -> None:
        if 0 <= self._row < len(self._rounds):
            self.setAccessibleDescription(figures.round_sentence(self._rounds[self._row]))
        elif self._rounds:
            self.setAccessibleDescription(f"{len(self._rounds)} rounds, none selected")
        else:
            self.setAccessibleDescription("No rounds yet")
