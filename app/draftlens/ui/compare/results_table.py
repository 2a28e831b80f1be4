"""The comparison's table as Qt shows it: a model over texts, and rows painted with hairlines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, QRect, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from draftlens.compare.cells import Cells
from draftlens.ui.theme import Theme

Index = QModelIndex | QPersistentModelIndex
ROW, LOW_ROW = 27, 22
_MIDDLE = Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | _MIDDLE
_LEFT = Qt.AlignmentFlag.AlignLeft | _MIDDLE


class ResultsModel(QAbstractTableModel):
    """Columns: the metric, every arm, the difference of one arm from the first, its interval, the reading."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[Cells] = []
        self.heads: tuple[str, ...] = ("metric",)

    def show(self, rows: Sequence[Cells], heads: Sequence[str]) -> None:
        """Show these rows; the columns change only where their names do."""
        if len(rows) == len(self.rows) and tuple(heads) == self.heads:
            self.rows = list(rows)
            if rows:
                self.dataChanged.emit(self.index(0, 0), self.index(len(rows) - 1, len(heads) - 1))
            return
        self.beginResetModel()
        self.rows, self.heads = list(rows), tuple(heads)
        self.endResetModel()

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """One for each figure."""
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """As the heads say."""
        return 0 if parent.isValid() else len(self.heads)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Names of the columns."""
        if orientation is not Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.heads[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            return int(_LEFT if section in (0, len(self.heads) - 1) else _RIGHT)
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Texts; the metric's definition as its tooltip."""
        if not index.isValid():
            return None
        cells = self.rows[index.row()]
        texts = (cells.name, *cells.values, cells.delta, cells.interval, cells.reading)
        if role == Qt.ItemDataRole.DisplayRole:
            return texts[index.column()] if index.column() < len(texts) else ""
        if role == Qt.ItemDataRole.ToolTipRole:
            whole = f"{cells.badge}: {cells.reading}" if cells.badge else cells.reading
            return cells.meaning if index.column() == 0 else whole if index.column() == len(texts) - 1 else None
        if role == Qt.ItemDataRole.AccessibleTextRole and index.column() == len(texts) - 1:
            return f"{cells.badge}: {cells.reading}" if cells.badge else cells.reading
        return None


class _Painter(QStyledItemDelegate):
    """Numbers in mono, words in the interface's font, one hairline below each row."""

    def __init__(self, theme: Theme, view: QTableView, model: ResultsModel) -> None:
        super().__init__(view)
        self._theme, self._rows = theme, model

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint one cell."""
        theme, rect = self._theme, QRect(option.rect)
        cells, last = self._rows.rows[index.row()], self._rows.columnCount() - 1
        column, text = index.column(), str(index.data() or "")
        painter.save()
        if index.row() + 1 < len(self._rows.rows):
            painter.setPen(theme.color("border"))
            painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        quiet = bool(cells.badge)
        font = theme.font("small" if column in (0, last) else "code")
        painter.setFont(font)
        if column == 0:
            font.setWeight(QFont.Weight.Medium)
            painter.setFont(font)
            painter.setPen(theme.color("text"))
            painter.drawText(rect, _LEFT, text)
            if cells.suffix:
                used = QFontMetrics(font).horizontalAdvance(text) + 5
                painter.setFont(theme.font("small"))
                painter.setPen(theme.color("text3"))
                painter.drawText(rect.adjusted(used, 0, 0, 0), _LEFT, cells.suffix)
        elif column == last:
            self._reading(painter, rect.adjusted(12, 0, 0, 0), cells)
        else:
            bold = column == last - 2
            font.setWeight(QFont.Weight.DemiBold if bold and text != "–" else QFont.Weight.Normal)
            painter.setFont(font)
            painter.setPen(theme.color("text3" if quiet else "text2" if column == last - 1 else "text"))
            painter.drawText(rect.adjusted(0, 0, -4, 0), _RIGHT, text)
        painter.restore()

    def _reading(self, painter: QPainter, rect: QRect, cells: Cells) -> None:
        theme = self._theme
        metrics = QFontMetrics(theme.font("small"))
        if cells.badge:
            width = min(metrics.horizontalAdvance(cells.badge) + 12, rect.width())
            box = QRect(rect.left(), rect.center().y() - 9, width, 18)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("untestedTint"))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.drawRoundedRect(box, 4, 4)
            painter.setPen(theme.color("untestedText"))
            words = metrics.elidedText(cells.badge, Qt.TextElideMode.ElideRight, width - 8)
            painter.drawText(box, Qt.AlignmentFlag.AlignCenter, words)
            rect.setLeft(box.right() + 8)
        painter.setPen(theme.color("text2"))
        painter.drawText(rect, _LEFT, metrics.elidedText(cells.reading, Qt.TextElideMode.ElideRight, rect.width()))

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Rows of one height."""
        return QSize(60, self._theme.px(LOW_ROW))


class ResultsTable(QTableView):
    """No grid, no selection: it is read, and copied from the export."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._widths: dict[int, int] = {}
        self._low = False
        self.rows = ResultsModel()
        self.setModel(self.rows)
        self.setObjectName("results")
        self.setAccessibleName("Comparison")
        self.setItemDelegate(_Painter(theme, self, self.rows))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.horizontalHeader().setStretchLastSection(True)
        self.horizontalHeader().setSectionsClickable(False)
        self.horizontalHeader().setHighlightSections(False)
        theme.changed.connect(self._fit)

    def show_rows(self, rows: Sequence[Cells], heads: Sequence[str]) -> None:
        """Show a comparison's rows."""
        if tuple(heads) != self.rows.heads:
            self._widths.clear()
        self.rows.show(rows, heads)
        self._fit()

    def set_low(self, on: bool) -> None:
        """In a low window the rows stand closer."""
        if on is not self._low:
            self._low = on
            self._fit()

    def _fit(self) -> None:
        high = self._theme.px(LOW_ROW if self._low else ROW)
        self.verticalHeader().setDefaultSectionSize(high)
        metrics = QFontMetrics(self._theme.font("code"))
        words = QFontMetrics(self._theme.font("small"))
        for column in range(self.rows.columnCount() - 1):
            texts = [str(self.rows.index(row, column).data() or "") for row in range(len(self.rows.rows))]
            head = words.horizontalAdvance(str(self.rows.headerData(column, Qt.Orientation.Horizontal))) + 16
            if column == 0:
                suffixes = [f"{cells.name} {cells.suffix}" for cells in self.rows.rows]
                wide = max((words.horizontalAdvance(text) for text in suffixes), default=0) + 28
            else:
                wide = max((metrics.horizontalAdvance(text) for text in texts), default=0) + 18
            # Columns only grow while numbers run, so that the table stands still.
            self._widths[column] = max(wide, head, self._widths.get(column, 0) if column else 0)
            self.setColumnWidth(column, self._widths[column])
        self.setFixedHeight(
            self.horizontalHeader().sizeHint().height() + high * max(7, len(self.rows.rows)) + self._theme.px(6)
        )
