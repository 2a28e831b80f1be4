"""A painted chart and the table that says the same; which of them is seen is one choice for all charts."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QTableWidget, QTableWidgetItem, QVBoxLayout, QWidget

_ROW = 22
_WORDS = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_NUMBERS = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter


class Twin(QWidget):
    """Shows `chart`, or its table once `as_table` is asked for.

    Args:
        columns: names of the table's columns; the first holds words, the others numbers.
    """

    def __init__(self, chart: QWidget, columns: Sequence[str], parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.chart = chart
        self.table = QTableWidget(0, len(columns))
        self.table.setObjectName("twin")
        for x, name in enumerate(columns):
            head = QTableWidgetItem(name)
            head.setTextAlignment(_NUMBERS if x else _WORDS)
            self.table.setHorizontalHeaderItem(x, head)
        self.table.setAccessibleName(f"{chart.accessibleName()}, as a table")
        self.table.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.setShowGrid(False)
        self.table.verticalHeader().hide()
        self.table.verticalHeader().setDefaultSectionSize(_ROW)
        self.table.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.table.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.table.hide()
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(chart)
        layout.addWidget(self.table)
        self._rows: list[tuple[str, ...]] = []

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """What the table says."""
        return self._rows

    def as_table(self, on: bool) -> None:
        """Show the table, or the chart."""
        self.chart.setVisible(not on)
        self.table.setVisible(on)
        self._fill()

    def show_rows(self, rows: Sequence[tuple[str, ...]]) -> None:
        """Set what the table says; it is filled when it is seen."""
        self._rows = list(rows)
        self._fill()

    def _fill(self) -> None:
        if self.table.isHidden():
            return
        self.table.setRowCount(len(self._rows))
        for y, row in enumerate(self._rows):
            for x, text in enumerate(row):
                item = QTableWidgetItem(text)
                item.setTextAlignment(_NUMBERS if x else _WORDS)
                self.table.setItem(y, x, item)
        self.table.setFixedHeight(_ROW * min(len(self._rows), 14) + 28)
