"""How full the context is with what is being typed: grey, amber from 80 %, red from 95 %."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from draftlens.ui.theme import Theme

_BAR, _GAP = 72, 8


class ContextMeter(QWidget):
    """A bar and `1,204 / 8,192`."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.tokens: int | None = None
        self.context = 0
        self._bar = _BAR
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.updateGeometry)

    @property
    def color(self) -> str:
        """The colour token of the bar."""
        full = 0.0 if not self.tokens or not self.context else self.tokens / self.context
        return "rejected" if full > 0.95 else "residual" if full > 0.8 else "untested"

    @property
    def text(self) -> str:
        """The figures."""
        return "" if self.tokens is None else f"{self.tokens:,} / {self.context:,}"

    def set_compact(self, on: bool) -> None:
        """Where room is scarce the figures stay and the bar goes."""
        self._bar = 0 if on else _BAR
        self.updateGeometry()
        self.update()

    def show_count(self, tokens: int | None, context: int) -> None:
        """Show a count; None hides it."""
        self.tokens, self.context = tokens, context
        self.setVisible(tokens is not None)
        words = "" if tokens is None else f"Context: {tokens:,} of {context:,} tokens"
        self.setToolTip(words)
        self.setAccessibleName(words or "Context")
        self.setAccessibleDescription("Tokens of the whole chat, with what is typed, of those the model reads")
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        """Bar and figures."""
        font = self._theme.font("data")
        return QSize(self._bar + _GAP + QFontMetrics(font).horizontalAdvance(self.text) + 2, 24)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint it."""
        color = self._theme.color
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        y = self.height() / 2 - 2
        painter.setBrush(color("surface2"))
        painter.drawRoundedRect(QRectF(0, y, self._bar, 4), 2, 2)
        if self.tokens and self.context and self._bar:
            painter.setBrush(color(self.color))
            painter.drawRoundedRect(QRectF(0, y, max(4.0, self._bar * min(1.0, self.tokens / self.context)), 4), 2, 2)
        painter.setFont(self._theme.font("data"))
        painter.setPen(color("rejectedText" if self.color == "rejected" else "text2"))
        rest = self.rect().adjusted(self._bar + _GAP, 0, 0, 0)
        painter.drawText(rest, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, self.text)
        painter.end()
