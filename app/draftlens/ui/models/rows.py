"""The list of models as a Qt model: what each column says, for the eye, for sorting and for assistive technology."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from draftlens.library import sizes
from draftlens.library.catalog import Installed
from draftlens.library.memory import Estimate, Fit
from draftlens.library.roles import Role

Index = QModelIndex | QPersistentModelIndex
ITEM_ROLE = int(Qt.ItemDataRole.UserRole) + 1
COLUMNS = ("Name", "Role", "Architecture", "Quant", "On disk", "Memory estimate")
FITS = "fits"
"""What is typed to list the models for which the memory suffices."""
NAME, ROLE, ARCHITECTURE, QUANT, DISK, MEMORY = range(6)


@dataclass(frozen=True)
class Row:
    """A line of the table."""

    item: Installed
    estimate: Estimate

    @property
    def quantisation(self) -> str:
        """The short form: "4-bit", "bf16"."""
        return self.item.verdict.short_quantisation or "–"

    @property
    def memory(self) -> str:
        """The estimate in words, or why there is none."""
        item, estimate = self.item, self.estimate
        role = item.verdict.role
        if role.bound_drafter:
            return "with target"
        if role is Role.ADAPTER:
            return "with base"
        if role is Role.GGUF:
            return "after import"
        if role in (Role.UNSUPPORTED, Role.EMBEDDING):
            return "not a text model"
        if not role.standalone:
            return "–"
        if estimate.needed is None or estimate.usable is None:
            return "no estimate"
        return sizes.of_gigabytes(estimate.needed, estimate.usable)

    @property
    def fit_word(self) -> str:
        """Said beside the estimate where it does not simply fit."""
        return str(self.estimate.fit) if self.estimate.fit in (Fit.TIGHT, Fit.TOO_BIG) else ""

    def text(self, column: int) -> str:
        """What a column says."""
        item = self.item
        return (
            item.name,
            item.label,
            item.verdict.shown_type or "–",
            self.quantisation,
            "–" if item.absent else sizes.on_disk(item.disk),
            " ".join(filter(None, (self.memory, self.fit_word))),
        )[column]

    def key(self, column: int) -> tuple[Any, ...]:
        """What a column is sorted by."""
        if column == DISK:
            return (self.item.disk,)
        if column == MEMORY:
            return (self.estimate.needed is None, self.estimate.needed or 0)
        return (self.text(column).casefold(),)


class ModelRows(QAbstractTableModel):
    """Shows rows in the order of the catalog until a column is chosen to sort by."""

    def __init__(self, estimate: Callable[[Installed], Estimate], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._estimate = estimate
        self._all: list[Row] = []
        self.rows: list[Row] = []
        self._filter = ""
        self._sorted: tuple[int, Qt.SortOrder] | None = None

    def show_items(self, items: list[Installed]) -> None:
        """Show these models."""
        self._all = [Row(item, self._estimate(item)) for item in items]
        self._apply()

    def filter(self, text: str) -> None:
        """Keep the rows that hold every word in name, owner, role or architecture."""
        self._filter = text.casefold()
        self._apply()

    def row_of(self, item: Installed | None) -> int:
        """Where a model stands, -1 if nowhere."""
        return next((n for n, row in enumerate(self.rows) if item is not None and row.item.path == item.path), -1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """One a model."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """As the header says."""
        return len(COLUMNS)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Text, the row itself for the delegate, and the whole row for a screen reader."""
        if not index.isValid():
            return None
        row = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return row.text(index.column())
        if role == ITEM_ROLE:
            return row
        if role == Qt.ItemDataRole.ToolTipRole:
            return str(row.item.path) if index.column() == NAME else row.text(index.column())
        if role == Qt.ItemDataRole.AccessibleTextRole:
            if index.column() == NAME:
                return ", ".join((row.item.name, row.item.owner, *(row.text(column) for column in range(1, 6))))
            return row.text(index.column())
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """The names of the columns."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return COLUMNS[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if section == DISK else Qt.AlignmentFlag.AlignLeft
            return int(side | Qt.AlignmentFlag.AlignVCenter)
        return None

    def sort(self, column: int, order: Qt.SortOrder = Qt.SortOrder.AscendingOrder) -> None:
        """Sort by a column; -1 is the catalog's own order."""
        self._sorted = (column, order) if column >= 0 else None
        self._apply()

    def _apply(self) -> None:
        self.beginResetModel()
        words = self._filter.split()
        self.rows = [row for row in self._all if all(word in _haystack(row) for word in words)]
        if self._sorted is not None:
            column, order = self._sorted
            self.rows.sort(key=lambda row: row.key(column), reverse=order is Qt.SortOrder.DescendingOrder)
        self.endResetModel()


def _haystack(row: Row) -> str:
    fits = FITS if row.item.ready and row.estimate.fit in (Fit.FITS, Fit.TIGHT) else ""
    return " ".join((row.item.name, row.item.owner, row.item.label, row.item.verdict.architecture, fits)).casefold()
