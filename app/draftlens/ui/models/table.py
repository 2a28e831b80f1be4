"""The table of installed models: two lines of name, a badge, and a bar that says whether it fits."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QWidget,
)

from draftlens.library.memory import Fit
from draftlens.ui.models import badge
from draftlens.ui.models.rows import ARCHITECTURE, DISK, ITEM_ROLE, MEMORY, NAME, QUANT, ROLE, Index, ModelRows, Row
from draftlens.ui.theme import Theme

_LEFT, _BAR, _ROW = 20, 32, 42
_WIDTHS = (212, 164, 118, 50, 78, 0)
_LESS_NEEDED = (ARCHITECTURE, QUANT, DISK, MEMORY)
_NAME_LEAST = 110
_MIDDLE = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft


class RowDelegate(QStyledItemDelegate):
    """Paints a cell; the whole row lights up when selected."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Room for two lines."""
        return QSize(80, self._theme.px(_ROW))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a cell."""
        theme, area = self._theme, QRect(option.rect)
        row: Row = index.data(ITEM_ROLE)
        painter.save()
        state = option.state
        if state & QStyle.StateFlag.State_Selected:
            painter.fillRect(area, theme.color("selected"))
        elif state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(area, theme.color("hover"))
        painter.setPen(QPen(theme.color("border")))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        if state & QStyle.StateFlag.State_HasFocus and index.column() == NAME:
            painter.fillRect(QRect(area.x(), area.y(), 3, area.height()), theme.color("accent"))
        column = index.column()
        if column == NAME:
            self._paint_name(painter, area, row)
        elif column == ROLE:
            badge.paint(painter, theme, area.adjusted(0, 0, -6, 0), row.item.label, badge.look_of_item(row.item))
        elif column == MEMORY:
            self._paint_memory(painter, area, row)
        else:
            self._paint_text(painter, area, str(index.data()), column)
        painter.restore()

    def _paint_name(self, painter: QPainter, area: QRect, row: Row) -> None:
        theme = self._theme
        inner = area.adjusted(_LEFT, 0, -8, 0)
        half = area.height() // 2
        font = theme.font("ui")
        font.setWeight(font.Weight.Medium)
        painter.setFont(font)
        painter.setPen(theme.color("text" if row.item.ready or not row.item.absent else "text3"))
        name = painter.fontMetrics().elidedText(row.item.name, Qt.TextElideMode.ElideMiddle, inner.width())
        painter.drawText(QRect(inner.x(), area.y() + 4, inner.width(), half - 3), _MIDDLE, name)
        painter.setFont(theme.font("caption"))
        painter.setPen(theme.color("text3"))
        owner = painter.fontMetrics().elidedText(row.item.owner, Qt.TextElideMode.ElideRight, inner.width())
        painter.drawText(QRect(inner.x(), area.y() + half, inner.width(), half - 4), _MIDDLE, owner)

    def _paint_text(self, painter: QPainter, area: QRect, text: str, column: int) -> None:
        theme = self._theme
        mono = column == ARCHITECTURE
        painter.setFont(theme.font("data" if mono else "ui"))
        painter.setPen(theme.color("text2" if mono else "text"))
        inner = area.adjusted(0, 0, -8, 0)
        side = Qt.AlignmentFlag.AlignRight if column == DISK else Qt.AlignmentFlag.AlignLeft
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, inner.width())
        painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter | side, shown)

    def _paint_memory(self, painter: QPainter, area: QRect, row: Row) -> None:
        theme, fit = self._theme, row.estimate.fit
        inner = area.adjusted(8, 0, -8, 0)
        painter.setFont(theme.font("ui"))
        if not row.item.ready or fit is Fit.UNKNOWN:
            painter.setPen(theme.color("text3"))
            painter.drawText(inner, _MIDDLE, row.memory)
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        track = QRectF(inner.x(), inner.center().y() - 1.5, _BAR, 4)
        painter.setBrush(theme.color("border"))
        painter.drawRoundedRect(track, 2, 2)
        filled = QRectF(track)
        filled.setWidth(max(2.0, _BAR * min(1.0, row.estimate.share)))
        color = {Fit.FITS: "text2", Fit.TIGHT: "residual", Fit.TOO_BIG: "rejected"}[fit]
        painter.setBrush(theme.color(color))
        painter.drawRoundedRect(filled, 2, 2)
        painter.setPen(theme.color("text"))
        text = inner.adjusted(_BAR + 7, 0, 0, 0)
        painter.drawText(text, _MIDDLE, row.memory)
        if row.fit_word:
            after = painter.fontMetrics().horizontalAdvance(row.memory) + 6
            painter.setPen(theme.color("residualText" if fit is Fit.TIGHT else "rejectedText"))
            painter.drawText(text.adjusted(after, 0, 0, 0), _MIDDLE, row.fit_word)


class ModelTable(QTableView):
    """Tells which model is selected."""

    chosen = Signal(object)

    def __init__(self, theme: Theme, rows: ModelRows, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self.rows = theme, rows
        self.setObjectName("modelTable")
        self.setModel(rows)
        self.setItemDelegate(RowDelegate(theme, self))
        self.setAccessibleName("Installed models")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setMouseTracking(True)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTabKeyNavigation(False)
        self.verticalHeader().hide()
        header = self.horizontalHeader()
        header.setHighlightSections(False)
        header.setSectionsClickable(True)
        header.setSortIndicatorClearable(True)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setMinimumSectionSize(40)
        self.setSortingEnabled(True)
        header.setSortIndicator(-1, Qt.SortOrder.AscendingOrder)
        self.selectionModel().currentRowChanged.connect(self._on_current)
        theme.changed.connect(self._fit)
        rows.modelReset.connect(self._fit)
        self._fit()

    def select(self, row: int) -> None:
        """Select a row, or none."""
        if row >= 0:
            self.selectRow(row)
        else:
            self.clearSelection()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The name and the last column take what is left."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        theme, header = self._theme, self.horizontalHeader()
        self.verticalHeader().setDefaultSectionSize(theme.px(_ROW))
        header.setFixedHeight(theme.px(27))
        widths, room = [theme.px(width) for width in _WIDTHS], self.viewport().width()
        name = theme.px(_NAME_LEAST)
        widths[NAME], widths[MEMORY] = name, max(theme.px(130), self._figures_width())
        for column in _LESS_NEEDED:
            # Where room is scarce whole columns give way: a figure is never cut, and the details have them all.
            hidden = sum(widths) > room > 0
            self.setColumnHidden(column, hidden)
            widths[column] = 0 if hidden else widths[column]
        if widths[MEMORY]:
            figures = max(theme.px(168), widths[MEMORY])
            widths[NAME] = max(name, room - (sum(widths) - name - widths[MEMORY]) - figures)
            widths[MEMORY] = max(widths[MEMORY], room - sum(widths) + widths[MEMORY])
        else:
            widths[NAME] = max(name, room - sum(widths) + name)
        for column, width in enumerate(widths):
            if width:
                header.resizeSection(column, width)

    def _figures_width(self) -> int:
        """Room for the longest memory estimate with its word."""
        metrics = QFontMetrics(self._theme.font("ui"))
        words = (" ".join(filter(None, (row.memory, row.fit_word))) for row in self.rows.rows)
        # Margins, the bar and what is left between the parts, as painted.
        return max((metrics.horizontalAdvance(text) for text in words), default=0) + 16 + _BAR + 7 + 6

    def _on_current(self, current: Index, _previous: Index) -> None:
        row = current.data(ITEM_ROLE) if current.isValid() else None
        self.chosen.emit(None if row is None else row.item)
