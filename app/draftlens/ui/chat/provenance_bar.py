"""The switch for the provenance tint, and the legend that explains it."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QWidget

from draftlens.core.round import Source
from draftlens.ui.column import SIDE, Column
from draftlens.ui.shapes import MarkWidget
from draftlens.ui.switch import Switch
from draftlens.ui.theme import Theme

HEIGHT = 36
_STEPS = ((True, True, True), (True, False, True), (True, False, False), (False, False, False))
"""Whether to show: both words of an entry, what has no tint, the shortcut. From wide to narrow."""
_LEGEND = (
    (Source.DRAFT, "Accepted draft", "acceptedTint", "accepted", None),
    (Source.RESIDUAL, "Residual draw", "residualTint", "residual", Qt.PenStyle.DashLine),
    (Source.BONUS, "Bonus draw", "bonusTint", "bonus", Qt.PenStyle.SolidLine),
)


class TintedWord(QLabel):
    """A word of the legend, tinted and underlined as the tokens it stands for."""

    def __init__(self, theme: Theme, text: str, tint: str, line: str, style: Qt.PenStyle | None) -> None:
        super().__init__(text)
        self.setProperty("tone", "2")
        self._theme, self._tint, self._line, self._style = theme, tint, line, style
        theme.changed.connect(self._grow)
        self._grow()
        theme.changed.connect(self.update)

    def _grow(self) -> None:
        self.setFixedHeight(self._theme.px(18))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Tint, word, underline."""
        painter = QPainter(self)
        painter.fillRect(self.rect(), self._theme.color(self._tint))
        if self._style is not None:
            pen = QPen(self._theme.color(self._line), 1.5, self._style)
            if self._style is Qt.PenStyle.DashLine:
                pen.setDashPattern([2, 1.3])
                pen.setCapStyle(Qt.PenCapStyle.FlatCap)
            painter.setPen(pen)
            painter.drawLine(0, self.height() - 1, self.width(), self.height() - 1)
        painter.end()
        super().paintEvent(event)


class ProvenanceBar(QFrame):
    """Switch at the left, legend at the right."""

    def __init__(self, theme: Theme, shortcut: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("provenanceBar")
        self._theme = theme
        self._replaced = "Residual draw"
        theme.changed.connect(self._grow)
        self._grow()
        self.switch = Switch(theme, "Provenance", hint=shortcut)
        self.switch.setObjectName("switchProvenance")
        self.switch.setToolTip("Tint each token by where it came from")
        self.switch.setChecked(True)
        self._legend = QWidget()
        self._legend.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        across = QHBoxLayout(self._legend)
        across.setContentsMargins(0, 0, 0, 0)
        across.setSpacing(8)
        across.addStretch(1)
        self._words: dict[Source, TintedWord] = {}
        for mark, text, tint, line, style in _LEGEND:
            across.addWidget(MarkWidget(mark, theme))
            self._words[mark] = TintedWord(theme, text, tint, line, style)
            across.addWidget(self._words[mark])
            if mark is not Source.BONUS:
                across.addSpacing(10)
        self._untinted = QWidget()
        last = QHBoxLayout(self._untinted)
        last.setContentsMargins(10, 0, 0, 0)
        for text, tone in (("no tint", "3"), ("Target only", "2")):
            word = QLabel(text)
            word.setProperty("tone", tone)
            last.addWidget(word)
        across.addWidget(self._untinted)
        content = QWidget()
        inside = QHBoxLayout(content)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.addWidget(self.switch)
        inside.addWidget(self._legend, 1)
        inside.addStretch(0)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(Column(content, theme=theme))
        # The letters have their new size only when all of the style is in force.
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._fit)
        theme.changed.connect(self._soon.start)

    def _grow(self) -> None:
        self.setFixedHeight(self._theme.px(HEIGHT))

    def show_replacement(self, source: Source) -> None:
        """Name what replaces a rejected draft: a residual draw, or under the matching rules a target draw."""
        self._replaced = "Target draw" if source is Source.TARGET else "Residual draw"
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The legend takes the room there is."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Nothing is cut: first the last words of the legend go, then the shortcut, then what its words share."""
        room = self.width() - 2 * SIDE - 8
        for long, last, hint in _STEPS:
            for mark, words, *_ in _LEGEND:
                text = self._replaced if mark is Source.RESIDUAL else words
                self._words[mark].setText(text if long else text.partition(" ")[0])
            self._untinted.setVisible(last)
            self.switch.show_hint(hint)
            if self.switch.sizeHint().width() + self._legend.sizeHint().width() <= room:
                self._legend.show()
                return
        self._legend.hide()
