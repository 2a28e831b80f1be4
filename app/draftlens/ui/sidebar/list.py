"""The list itself: headings and titles, painted; a title is renamed where it stands."""

from __future__ import annotations

from PySide6.QtCore import (
    QAbstractItemModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QLineEdit,
    QListView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from draftlens.bridge.shelf import Row
from draftlens.ui.theme import Theme

ID_ROLE = int(Qt.ItemDataRole.UserRole) + 1
SNIPPET_ROLE = ID_ROLE + 1
RUNNING_ROLE = ID_ROLE + 2
_LEFT = 16
_DOTS = 24
Index = QModelIndex | QPersistentModelIndex


def dots_in(row: QRect) -> QRect:
    """Where the three dots of a row stand, which lead to what can be done with it."""
    return QRect(row.right() - 12 - _DOTS, row.center().y() - _DOTS // 2 + 1, _DOTS, _DOTS)


class TitleField(QLineEdit):
    """Keeps Return for itself: the list would open the chat whose title was written."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return ends the writing and nothing else."""
        super().keyPressEvent(event)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            event.accept()


class TitleDelegate(QStyledItemDelegate):
    """Paints headings, titles and what was found; edits a title in place."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Headings stand apart; what was found needs a second line."""
        if index.data(ID_ROLE) is None:
            return QSize(100, self._theme.px(34))
        return QSize(100, self._theme.px(48 if index.data(SNIPPET_ROLE) else 30))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a row."""
        theme, area = self._theme, QRect(option.rect)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        text = str(index.data() or "")
        if index.data(ID_ROLE) is None:
            painter.setFont(theme.font("small"))
            painter.setPen(theme.color("text3"))
            area.adjust(_LEFT, 0, -8, -6)
            painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignBottom, text)
            painter.restore()
            return
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        hover = bool(option.state & QStyle.StateFlag.State_MouseOver)
        box = area.adjusted(8, 1, -8, -1)
        if selected or hover:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("selected" if selected else "hover"))
            painter.drawRoundedRect(box, 6, 6)
        if option.state & QStyle.StateFlag.State_HasFocus:
            painter.setPen(theme.color("accent"))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box, 6, 6)
        font = theme.font("ui")
        if selected:
            font.setWeight(font.Weight.Medium)
        painter.setFont(font)
        painter.setPen(theme.color("text"))
        inner = area.adjusted(_LEFT, 0, -14, 0)
        if selected or hover:
            place = dots_in(area)
            icon = theme.pixmap("more", "text2", 16)
            painter.drawPixmap(place.center() - QPoint(7, 7), icon)
            inner.setRight(place.left() - 2)
        if index.data(RUNNING_ROLE):
            painter.save()
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("accent"))
            painter.drawEllipse(QPoint(inner.right() - 3, area.center().y()), 3, 3)
            painter.restore()
            inner.adjust(0, 0, -14, 0)
        snippet = str(index.data(SNIPPET_ROLE) or "")
        top = inner if not snippet else QRect(inner.x(), area.y() + 4, inner.width(), theme.px(20))
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, inner.width())
        painter.drawText(top, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)
        if snippet:
            painter.setFont(theme.font("small"))
            painter.setPen(theme.color("text3"))
            line = QRect(inner.x(), top.bottom(), inner.width(), theme.px(18))
            shown = painter.fontMetrics().elidedText(snippet, Qt.TextElideMode.ElideRight, inner.width())
            painter.drawText(line, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, shown)
        painter.restore()

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: Index) -> QWidget:
        """A line for the title."""
        edit = TitleField(parent)
        edit.setAccessibleName("Title")
        edit.setProperty("kind", "title")
        return edit

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: Index) -> None:
        """In place of the title."""
        editor.setGeometry(QRect(option.rect).adjusted(8, 0, -8, 0))

    def setModelData(self, editor: QWidget, model: QAbstractItemModel, index: Index) -> None:
        """Only a change is a change."""
        if isinstance(editor, QLineEdit) and editor.text().strip() and editor.text() != index.data():
            model.setData(index, editor.text())


class ChatList(QListView):
    """Shows rows; tells what was chosen and what a title was changed to."""

    chosen = Signal(str)
    renamed = Signal(str, str)
    deleteAsked = Signal(str, str)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._filling = False
        self._rows: list[Row] = []
        self._model = QStandardItemModel(self)
        self.setModel(self._model)
        self.setItemDelegate(TitleDelegate(theme, self))
        self.setAccessibleName("Chats")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed | QAbstractItemView.EditTrigger.DoubleClicked)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._model.itemChanged.connect(self._on_changed)
        self.clicked.connect(self._on_activated)
        self.activated.connect(self._on_activated)
        theme.changed.connect(self.doItemsLayout)

    def show_rows(self, rows: list[Row], current: str | None, *, editable: bool) -> None:
        """Show rows with one of them selected."""
        if rows != self._rows:
            self._rows = rows
            self._fill(rows, editable=editable)
        self._select(current)

    def current(self) -> tuple[str, str] | None:
        """Id and title of the selected row."""
        index = self.currentIndex()
        id = index.data(ID_ROLE) if index.isValid() else None
        return None if id is None else (str(id), str(index.data()))

    def at(self, place: QPoint) -> tuple[str, str] | None:
        """Id and title of the row at a place."""
        index = self.indexAt(place)
        id = index.data(ID_ROLE) if index.isValid() else None
        return None if id is None else (str(id), str(index.data()))

    def place_of(self, id: str) -> QPoint:
        """Where the menu of a row opens."""
        return dots_in(self.visualRect(self._index(id))).bottomLeft()

    def rename(self, id: str) -> None:
        """Edit a title in place."""
        index = self._index(id)
        if index.isValid():
            self.setCurrentIndex(index)
            self.edit(index)

    def _index(self, id: str) -> QModelIndex:
        rows = (self._model.index(number, 0) for number in range(self._model.rowCount()))
        return next((index for index in rows if index.data(ID_ROLE) == id), QModelIndex())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A press on the dots of a row opens its menu; the row is not chosen by it."""
        place = event.position().toPoint()
        index = self.indexAt(place)
        if event.button() is Qt.MouseButton.LeftButton and index.data(ID_ROLE) is not None:
            dots = dots_in(self.visualRect(index))
            if dots.contains(place):
                self.customContextMenuRequested.emit(dots.bottomLeft())
                return
        super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return opens; deleting takes Command and Backspace, never a bare key."""
        current = self.current()
        backspace = event.key() in (Qt.Key.Key_Backspace, Qt.Key.Key_Delete)
        if current is not None and event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.chosen.emit(current[0])
        elif current is not None and backspace and event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            self.deleteAsked.emit(*current)
        else:
            super().keyPressEvent(event)

    def _fill(self, rows: list[Row], *, editable: bool) -> None:
        self._filling = True
        self._model.clear()
        for row in rows:
            item = QStandardItem(row.title)
            item.setToolTip(row.title if row.id else "")
            item.setData(row.id, ID_ROLE)
            item.setData(row.snippet, SNIPPET_ROLE)
            item.setData(row.running, RUNNING_ROLE)
            if row.id is None:
                item.setFlags(Qt.ItemFlag.NoItemFlags)
            else:
                item.setEditable(editable)
                item.setAccessibleText(f"{row.title}, replying" if row.running else row.title)
            self._model.appendRow(item)
        self._filling = False

    def _select(self, current: str | None) -> None:
        for number, row in enumerate(self._rows):
            if row.id is not None and row.id == current:
                self.setCurrentIndex(self._model.index(number, 0))
                return
        self.clearSelection()
        self.setCurrentIndex(QModelIndex())

    def _on_activated(self, index: QModelIndex) -> None:
        id = index.data(ID_ROLE)
        if id is not None:
            self.chosen.emit(str(id))

    def _on_changed(self, item: QStandardItem) -> None:
        if not self._filling and item.data(ID_ROLE) is not None:
            id, title = str(item.data(ID_ROLE)), item.text()
            # Afterwards: the list is read anew, and the line that the title was written in is still at work.
            QTimer.singleShot(0, self, lambda: self.renamed.emit(id, title))
