"""Six figures of the reply, each with its denominator or interval."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont, QFontMetricsF, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from draftlens.bridge.figures import Tile
from draftlens.ui.theme import Theme

_WIDTHS = (98, 128, 142)


class TileView(QFrame):
    """Label, value with unit, note."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.setProperty("kind", "tile")
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.label, self.value, self.unit, self.note = QLabel(), QLabel(), QLabel(), QLabel()
        for part in (self.label, self.unit, self.note):
            part.setProperty("tone", "3")
        self.label.setProperty("tone", "2")
        self.value.setProperty("scale", "metric")
        for part in (self.label, self.note):
            # The column decides how wide a tile is, not its longest figure.
            part.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        row = QHBoxLayout()
        row.setSpacing(4)
        row.addWidget(self.value)
        row.addWidget(self.unit, 1, Qt.AlignmentFlag.AlignBottom)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(8, 6, 2, 6)
        layout.setSpacing(0)
        layout.addWidget(self.label)
        layout.addLayout(row)
        layout.addWidget(self.note)
        theme.changed.connect(self._dress)
        self._dress()

    def _dress(self) -> None:
        """Fonts and height follow the text size."""
        self.setFixedHeight(self._theme.px(66))
        for part in (self.label, self.unit, self.note):
            part.setFont(self._theme.font("caption"))
        self.value.setFont(self._theme.font("metric"))
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """A figure's name and note are never cut: their letters move closer, by a fraction of a pixel each."""
        super().resizeEvent(event)
        self._fit()

    def show_tile(self, tile: Tile) -> None:
        """Show a figure."""
        if (tile.label, tile.note) != (self.label.text(), self.note.text()):
            self.label.setText(tile.label)
            self.note.setText(tile.note)
            self._fit()
        self.value.setText(tile.value)
        self.unit.setText(tile.unit)
        self.setToolTip(f"{tile.label}\n{tile.meaning}" + (f"\n{tile.note}" if tile.note else ""))
        self.setAccessibleName(tile.sentence)
        self.setAccessibleDescription(tile.meaning)

    def _fit(self) -> None:
        for part in (self.label, self.note):
            font = self._theme.font("caption")
            text, room = part.text(), part.width()
            over = QFontMetricsF(font).horizontalAdvance(text) - room
            if text and room > 0 and over > 0:
                font.setLetterSpacing(QFont.SpacingType.AbsoluteSpacing, max(-0.6, -(over + 1) / len(text)))
            if font != part.font():
                part.setFont(font)


class Tiles(QWidget):
    """Two rows of three; with large text three rows of two."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.views = [TileView(theme) for _ in range(6)]
        self._theme = theme
        self.columns = 0
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(6)
        theme.changed.connect(self._flow)
        self._flow()

    def _flow(self) -> None:
        columns = 2 if self._theme.percent >= 125 else 3
        if columns == self.columns:
            return
        self.columns = columns
        for view in self.views:
            self._grid.removeWidget(view)
        for i, view in enumerate(self.views):
            self._grid.addWidget(view, i // columns, i % columns)
        for column, width in enumerate(_WIDTHS):
            used = column < columns
            self._grid.setColumnStretch(column, width if used and columns == 3 else int(used))
            self._grid.setColumnMinimumWidth(column, 80 if used else 0)

    def show_tiles(self, tiles: tuple[Tile, ...]) -> None:
        """Show the figures in their fixed order."""
        for view, tile in zip(self.views, tiles, strict=True):
            view.show_tile(tile)
