"""The Installed tab: pairing bar, table, and the downloads below; an empty list says what to do."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from draftlens.bridge.models import Models
from draftlens.library.catalog import Installed
from draftlens.ui.models.pairing_bar import PairingBar
from draftlens.ui.models.rows import ModelRows
from draftlens.ui.models.shelf import Shelf
from draftlens.ui.models.table import ModelTable
from draftlens.ui.theme import Theme

_WORDS = 440
"""As wide as what an empty list says may become: longer lines leave a word alone on the next."""


class InstalledPage(QWidget):
    """Keeps the selection through every new look at the disk."""

    chosen = Signal(object)
    discoverAsked = Signal()

    def __init__(self, theme: Theme, models: Models, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._models = theme, models
        self.current: Installed | None = None
        self._listed: list[Installed] = []
        self.bar = PairingBar(theme, models)
        self.rows = ModelRows(models.estimate, self)
        self.table = ModelTable(theme, self.rows)
        self.shelf = Shelf(theme, models)
        self.empty = QWidget()
        self.words = QLabel()
        self.words.setProperty("tone", "2")
        self.words.setWordWrap(True)
        self.words.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.open = QPushButton("Open Discover")
        self.open.setProperty("kind", "primary")
        self.open.clicked.connect(self.discoverAsked)
        inner = QVBoxLayout(self.empty)
        inner.addStretch(2)
        lines = QHBoxLayout()
        theme.changed.connect(self._fit)
        self._fit()
        lines.addStretch(1)
        lines.addWidget(self.words, 1000)
        lines.addStretch(1)
        inner.addLayout(lines)
        row = QHBoxLayout()
        row.addStretch(1)
        row.addWidget(self.open)
        row.addStretch(1)
        inner.addSpacing(8)
        inner.addLayout(row)
        inner.addStretch(3)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.bar)
        column.addWidget(self.table, 1)
        column.addWidget(self.empty, 1)
        column.addWidget(self.shelf)
        self.table.chosen.connect(self._on_chosen)
        models.changed.connect(self.refresh)
        self.rows.modelReset.connect(self._on_reset)
        self.refresh()

    def refresh(self) -> None:
        """Show what is there."""
        kept = self.current
        # What is on its way has its row in the shelf.
        coming = {item.repo for item in self._models.downloads.unfinished}
        self._listed = [item for item in self._models.items if not (item.unfinished and item.repo in coming)]
        self.rows.show_items(self._listed)
        row = self.rows.row_of(kept)
        self.table.select(row)
        if row < 0 and kept is not None:
            self._on_chosen(None)

    def select(self, item: Installed) -> None:
        """Select a model, if the filter leaves it in."""
        self.table.select(self.rows.row_of(item))

    def _fit(self) -> None:
        self.words.setMaximumWidth(self._theme.px(_WORDS))

    def _on_reset(self) -> None:
        models, rows = self._models, self.rows.rows
        self.table.setVisible(bool(rows))
        self.empty.setVisible(not rows)
        if not models.scanned:
            self.words.setText("Looking at the disk…")
        elif self._listed:
            self.words.setText("No model here matches the filter.")
        else:
            self.words.setText(
                "Models on this computer appear here: those in the Hugging Face cache and in LM Studio’s folder, "
                "and what you fetch or import."
            )
        self.open.setVisible(models.scanned and not self._listed)
        if self.current is not None:
            self.table.select(self.rows.row_of(self.current))

    def _on_chosen(self, item: Installed | None) -> None:
        self.current = item
        self.chosen.emit(item)
        if item is not None and item.ready and self._models.pairing.target is None:
            self._models.pairing.choose(item)
