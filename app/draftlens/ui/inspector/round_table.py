"""The rounds as a table whose rows open into their tokens."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPen, QPixmap, QPolygonF, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTreeView,
    QWidget,
)

from draftlens.bridge.round_model import COLUMNS, HEADER, KIND_ROLE, ROUND, SHAPE_ROLE, RoundModel
from draftlens.ui.shapes import CELL, paint_mark, text_color
from draftlens.ui.theme import Theme

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
_RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
_ROW = 22
_SHARES = (72, 87, 96, 81, 87, 94, 143)
_ARROW = 14
_PICTURES = 200
"""Closed rounds that are kept as painted: more than a tall window shows."""


class RoundDelegate(QStyledItemDelegate):
    """Paints a round in one go, and a token cell by cell with its shape and the colour of its fate."""

    def __init__(self, theme: Theme, view: QTreeView) -> None:
        super().__init__(view)
        self._theme, self._view = theme, view
        self._dress()
        theme.changed.connect(self._dress)

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """All rows are alike, so that thousands of them need no measuring."""
        return QSize(40, _ROW)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Background over the whole width, then the cell's own content."""
        color = self._theme.color
        kind, column = index.data(KIND_ROLE), index.column()
        rect: QRect = option.rect
        painter.save()
        if column != 2:
            # A token's text takes the empty column beside it too.
            wide = rect.adjusted(0, 0, self._view.columnWidth(2) if column == 1 else 0, 0)
            chosen = bool(option.state & QStyle.StateFlag.State_Selected)
            painter.fillRect(wide, color("selected" if chosen and kind != HEADER else "surface"))
        mark = index.data(SHAPE_ROLE)
        cell = rect.adjusted(2, 0, -2, 0)
        if column == 0:
            cell.setLeft(4)
            if mark is not None:
                paint_mark(painter, cell.left() + 1, rect.center().y() - CELL / 2 + 0.5, mark, self._theme)
        painter.setFont(self._words_font if kind == HEADER or (mark is not None and column == 6) else self._data_font)
        name = "text3" if kind == HEADER else "text"
        if column == 6 and mark is not None:
            name = text_color(mark)
        painter.setPen(color(name))
        if column == 6:
            cell.adjust(6, 0, -2, 0)
        if column == 1:
            cell.setLeft(cell.left() + 4)
            cell.setRight(cell.right() + self._view.columnWidth(2))
        align = Qt.AlignmentFlag(index.data(Qt.ItemDataRole.TextAlignmentRole))
        text = painter.fontMetrics().elidedText(str(index.data() or ""), Qt.TextElideMode.ElideRight, cell.width() + 1)
        if column != 2:
            painter.drawText(cell, align, text)
        painter.restore()

    def paint_round(
        self, painter: QPainter, rect: QRect, texts: tuple[str, ...], *, opened: bool, chosen: bool
    ) -> None:
        """A row of numbers."""
        header = self._view.header()
        painter.save()
        if chosen:
            painter.fillRect(rect, self._theme.color("selected"))
        painter.setFont(self._data_font)
        painter.setPen(self._theme.color("text"))
        for column, text in enumerate(texts):
            left = header.sectionViewportPosition(column)
            cell = QRect(left + 2, rect.top(), header.sectionSize(column) - 4, rect.height())
            if column == 0:
                cell.setLeft(4 + _ARROW)
            elif column == 6:
                cell.adjust(6, 0, -2, 0)
            painter.drawText(cell, _LEFT if column == 0 else _RIGHT, text)
        self._arrow(painter, rect.adjusted(4, 0, 0, 0), opened)
        painter.restore()

    def _dress(self) -> None:
        self._data_font, self._words_font = self._theme.font("data"), self._theme.font("caption")

    def _arrow(self, painter: QPainter, cell: QRect, opened: bool) -> None:
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._theme.color("text2"))
        box = QRectF(cell.left() + 1, cell.center().y() - 2, 5, 5)
        if opened:
            corners = [box.topLeft(), box.topRight(), box.center() + (box.bottomLeft() - box.topLeft()) / 2]
        else:
            corners = [box.topLeft(), box.bottomLeft(), box.center() + (box.topRight() - box.topLeft()) / 2]
        painter.drawPolygon(QPolygonF(corners))


class RoundTable(QTreeView):
    """One row a round; Space or the arrow opens it."""

    placeSelected = Signal(int, object)
    """A round, and the position in it if one of its tokens was chosen."""

    def __init__(self, theme: Theme, model: RoundModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._rounds = theme, model
        self.setModel(model)
        self.setObjectName("roundTable")
        self._painter = RoundDelegate(theme, self)
        self.setItemDelegate(self._painter)
        self.setAccessibleName("Rounds and their tokens")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setRootIsDecorated(False)
        self.setIndentation(0)
        self.setUniformRowHeights(True)
        self.setExpandsOnDoubleClick(True)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setMinimumHeight(2 * _ROW + 24)
        header = self.header()
        header.setAccessibleName("Columns of the rounds")
        header.setSectionsMovable(False)
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(30)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setFixedHeight(24)
        self._pictures: dict[int, QPixmap] = {}
        theme.changed.connect(self._forget)
        header.sectionResized.connect(self._forget)
        model.modelReset.connect(self._forget)
        model.rowsInserted.connect(self._follow)
        # Another reply is shown from its newest rounds, as in the strip.
        model.modelReset.connect(self.scrollToBottom)
        self.verticalScrollBar().rangeChanged.connect(self._end_on_a_row)
        self.selectionModel().currentChanged.connect(self._on_current)

    def select_place(self, row: int, slot: int) -> None:
        """Select a round, or its token at a position if the round is open, and bring it into view."""
        if not 0 <= row < self._rounds.rowCount():
            self.setCurrentIndex(QModelIndex())
            return
        index = self._rounds.index(row, 0)
        current = self.currentIndex()
        if self.isExpanded(index):
            if self._rounds.row_of(current) != row or self._rounds.slot_of(current) != slot:
                index = self._rounds.place(row, slot)
                self.setCurrentIndex(index)
        elif self._rounds.row_of(current) != row:
            self.setCurrentIndex(index)
        self.scrollTo(index)

    def toggle(self) -> None:
        """Open or close the selected round, scrolling so that its tokens are seen."""
        row = self._rounds.row_of(self.currentIndex())
        if row < 0:
            return
        index = self._rounds.index(row, 0)
        self.setExpanded(index, not self.isExpanded(index))
        if self.isExpanded(index):
            self.scrollTo(self._rounds.index(self._rounds.rowCount(index) - 1, 0, index))
            self.scrollTo(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Space opens the round."""
        if event.key() == Qt.Key.Key_Space:
            self.toggle()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click on the arrow opens the round at once."""
        index = self.indexAt(event.position().toPoint())
        super().mousePressEvent(event)
        on_arrow = index.column() == 0 and index.data(KIND_ROLE) == ROUND
        if on_arrow and event.position().x() < _ARROW + 6:
            self.toggle()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """A double click elsewhere on the row opens it; on the arrow it is two clicks."""
        if event.position().x() < _ARROW + 6:
            self.mousePressEvent(event)
        else:
            super().mouseDoubleClickEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the width among the columns as the design does; the newest round stays in view."""
        at_end = self._at_end()
        super().resizeEvent(event)
        if at_end:
            self.scrollToBottom()
        room, total = self.viewport().width(), sum(_SHARES)
        metrics = QFontMetrics(self._theme.font("caption"))
        shares = [room * share // total for share in _SHARES[:-1]]
        # A heading is never cut while the last column has room to give.
        wanted = [max(share, metrics.horizontalAdvance(name) + 6) for share, name in zip(shares, COLUMNS, strict=False)]
        if room - sum(wanted) >= metrics.horizontalAdvance(COLUMNS[-1]) + 6:
            shares = wanted
        for column, width in enumerate([*shares, room - sum(shares)]):
            self.header().resizeSection(column, width)

    def drawRow(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """A round as a whole; a hairline below the tokens of an opened one."""
        if not index.parent().isValid():
            rect: QRect = option.rect
            opened, chosen = self.isExpanded(index), self.selectionModel().isSelected(index)
            if opened or chosen:
                self._painter.paint_round(painter, rect, self._rounds.texts(index.row()), opened=opened, chosen=chosen)
            else:
                painter.drawPixmap(rect.topLeft(), self._picture(index.row(), rect.size()))
            return
        super().drawRow(painter, option, index)
        if index.row() == self._rounds.rowCount(index.parent()) - 1:
            rect = option.rect
            painter.setPen(QPen(self._theme.color("border"), 1))
            painter.drawLine(rect.bottomLeft(), rect.bottomRight())

    def _picture(self, row: int, size: QSize) -> QPixmap:
        """A closed round, painted once: while a reply runs, all rows in view move up four times a second."""
        ratio = self.devicePixelRatioF()
        made = self._pictures.get(row)
        if made is None or made.size() != size * ratio:
            if len(self._pictures) >= _PICTURES:
                self._pictures.clear()
            made = QPixmap(size * ratio)
            made.setDevicePixelRatio(ratio)
            made.fill(self._theme.color("panel"))
            painter = QPainter(made)
            texts = self._rounds.texts(row)
            self._painter.paint_round(painter, QRect(QPoint(), size), texts, opened=False, chosen=False)
            painter.end()
            self._pictures[row] = made
        return made

    def _forget(self) -> None:
        self._pictures.clear()
        self.viewport().update()

    def _follow(self) -> None:
        # The bar still has the old range here: at its end means the newest rounds are in view.
        if self._at_end():
            self.scrollToBottom()

    def _end_on_a_row(self, _low: int, high: int) -> None:
        """At its end too the table begins with a whole row; what is left over stays empty below the newest."""
        bar, whole = self.verticalScrollBar(), -(-high // _ROW) * _ROW
        if whole != high:
            at_end = bar.value() == high
            bar.setMaximum(whole)
            if at_end:
                bar.setValue(whole)

    def _at_end(self) -> bool:
        bar = self.verticalScrollBar()
        return bar.value() >= bar.maximum() - _ROW and not self.currentIndex().isValid()

    def _on_current(self, current: QModelIndex) -> None:
        if current.isValid():
            self.placeSelected.emit(self._rounds.row_of(current), self._rounds.slot_of(current))
