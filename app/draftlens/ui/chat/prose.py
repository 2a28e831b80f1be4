"""Read-only rich text built from steps: as high as its content, changed only where the steps differ."""

from __future__ import annotations

import math
from bisect import bisect_right
from typing import Any

from PySide6.QtCore import QMimeData, QPointF, QRectF, QSize, Qt, QUrl, Signal
from PySide6.QtGui import (
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QTextCharFormat,
    QTextCursor,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QTextEdit, QWidget

from draftlens.ui.chat.formats import Formats
from draftlens.ui.chat.formulas import Formulas
from draftlens.ui.chat.insertion import insert_maths, insert_table
from draftlens.ui.chat.ops import Maths, Op, Paragraph, Table, Text
from draftlens.ui.chat.quote_bars import paint_bars
from draftlens.ui.chat.ring import characters, paint_ring, rects, units


class Prose(QTextEdit):
    """Shows steps. What is settled is never looked at again; the rest is compared with what stands there."""

    linkAsked = Signal(str)
    sourceClicked = Signal(int)

    def __init__(
        self, formats: Formats, formulas: Formulas, name: str, parent: QWidget | None = None, *, wraps: bool = True
    ) -> None:
        super().__init__(parent)
        self._formats, self._formulas = formats, formulas
        self._ops: list[Op] = []
        self._starts: list[int] = []
        self._spots: list[tuple[int, int, Text | Maths]] = []
        self._settled = 0
        self._fresh = True
        self._caret = False
        self._ring: tuple[int, int] | None = None
        self._quotes = False
        self._stale = True
        self._height = 0
        self._width = -1
        self.waits = False
        """Whether a formula in it is still being set."""
        self.setProperty("kind", "text")
        self.setAccessibleName(name)
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setTabChangesFocus(True)
        self.setTextInteractionFlags(
            Qt.TextInteractionFlag.TextSelectableByMouse | Qt.TextInteractionFlag.TextSelectableByKeyboard
        )
        self.viewport().setAutoFillBackground(False)
        self.viewport().setMouseTracking(True)
        # Not the widget's width: a widget that is not shown yet would be laid out at that of none.
        self.setLineWrapMode(QTextEdit.LineWrapMode.FixedPixelWidth)
        if not wraps:
            self.setLineWrapMode(QTextEdit.LineWrapMode.NoWrap)
            self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)
        self.document().setDocumentMargin(0)
        self.document().setDefaultFont(formats.theme.font("body"))

    @property
    def settled(self) -> int:
        """How many steps will not change any more."""
        return self._settled

    def show_ops(self, ops: list[Op], settled: int) -> None:
        """Show these steps behind the settled ones; the first `settled` of them will not change any more."""
        old = self._ops[self._settled :]
        same = 0
        while same < len(old) and same < len(ops) and old[same] == ops[same]:
            same += 1
        at = self._settled + same
        if same < len(old) or same < len(ops):
            self._stale = True
            self._replace(at, ops[same:])
        self._settled += settled

    def reset(self) -> None:
        """Forget everything, to be built again."""
        self.document().clear()
        self._ops, self._starts, self._spots, self._settled = [], [], [], 0
        self._fresh, self._stale, self.waits, self._quotes = True, True, False, False

    def set_caret(self, on: bool) -> None:
        """Show the block behind the last character while more is to come."""
        if on != self._caret:
            self._caret = on
            self.viewport().update()

    def fit(self, width: int) -> int:
        """The height it needs at a width."""
        if width != self._width or self._stale:
            wraps = self.lineWrapMode() is not QTextEdit.LineWrapMode.NoWrap
            if wraps and width != self._width:
                self.setLineWrapColumnOrWidth(width)
            size = self.document().size()
            bar = 0 if wraps or size.width() <= width else 10
            self._height = max(self._formats.theme.line("body") if not self._ops else 1, math.ceil(size.height())) + bar
            self._width, self._stale = width, False
        return self._height

    def sizeHint(self) -> QSize:
        """What `fit` found."""
        return QSize(200, self._height)

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        """Nothing is ever loaded for a text: formulas are given to the document beforehand."""
        return None

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The transcript scrolls; only a sideways turn moves code that is too wide."""
        if self.lineWrapMode() is QTextEdit.LineWrapMode.NoWrap and abs(event.angleDelta().x()) > abs(
            event.angleDelta().y()
        ):
            super().wheelEvent(event)
        else:
            event.ignore()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Links look as if they can be clicked."""
        super().mouseMoveEvent(event)
        link = bool(self.anchorAt(event.position().toPoint()))
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor if link else Qt.CursorShape.IBeamCursor)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click asks about a link or selects a token's round; a drag selects text."""
        super().mouseReleaseEvent(event)
        if event.button() is not Qt.MouseButton.LeftButton or self.textCursor().hasSelection():
            return
        place = event.position().toPoint()
        link = self.anchorAt(place)
        if link:
            self.linkAsked.emit(link)
            return
        source = self.source_at(event.position())
        if source is not None:
            self.sourceClicked.emit(source)

    def source_at(self, place: QPointF) -> int | None:
        """The source offset of the character at a place in the view."""
        layout = self.document().documentLayout()
        at = layout.hitTest(place + QPointF(self.horizontalScrollBar().value(), 0), Qt.HitTestAccuracy.ExactHit)
        number = bisect_right(self._spots, at, key=lambda spot: spot[0]) - 1
        if at < 0 or number < 0:
            return None
        start, end, op = self._spots[number]
        if at >= end or op.source < 0:
            return None
        return op.source + (characters(op.text, at - start) if isinstance(op, Text) else 0)

    def mark(self, start: int, end: int) -> QRectF | None:
        """Ring what came from these source characters; return where it stands, None if nothing here did."""
        found: list[int] = []
        for at, behind, op in self._spots:
            written = op.text if isinstance(op, Text) else op.written
            first, last = max(start - op.source, 0), min(end - op.source, len(written))
            if op.source >= 0 and first < last:
                whole = isinstance(op, Maths)
                found += [at, behind] if whole else [at + units(written[:first]), at + units(written[:last])]
        ring = (min(found), max(found)) if found else None
        if ring != self._ring:
            self._ring = ring
            self.viewport().update()
        return next(iter(rects(self.document(), *ring)), None) if ring is not None else None

    def createMimeDataFromSelection(self) -> QMimeData:
        """Plain text, character for character: Qt would turn no-break spaces into spaces."""
        data = QMimeData()
        text = self.textCursor().selectedText().replace("\u2029", "\n").replace("\u2028", "\n")
        data.setText(text.replace("\ufdd0", "").replace("\ufdd1", "").replace("\ufffc", ""))
        return data

    def paintEvent(self, event: QPaintEvent) -> None:
        """The text, and the caret block while streaming."""
        super().paintEvent(event)
        if self._quotes:
            paint_bars(self.viewport(), self.document(), self._formats.theme)
        if self._ring is not None:
            painter = QPainter(self.viewport())
            paint_ring(painter, self.document(), self._ring, self._formats.theme, self.horizontalScrollBar().value())
            painter.end()
        if self._caret:
            end = QTextCursor(self.document())
            end.movePosition(QTextCursor.MoveOperation.End)
            place = self.cursorRect(end)
            painter = QPainter(self.viewport())
            caret = QRectF(place.left() + 1, place.center().y() - 7, 7, 15)
            painter.fillRect(caret, self._formats.theme.color("accent"))
            painter.end()

    def _replace(self, at: int, ops: list[Op]) -> None:
        kept, scrolled = self.textCursor(), self.horizontalScrollBar().value()
        anchor, position = kept.anchor(), kept.position()
        document = self.document()
        cursor = QTextCursor(document)
        cursor.beginEditBlock()
        grown = self._grown(at, ops)
        if at < len(self._ops):
            cut = self._starts[at] + (units(self._text(at)) if grown is not None else 0)
            cursor.setPosition(cut)
            cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
            cursor.removeSelectedText()
            while self._spots and self._spots[-1][0] >= self._starts[at]:
                self._spots.pop()
        keep = at if grown is None else at + 1
        del self._ops[keep:], self._starts[keep:]
        self._fresh = not self._ops or isinstance(self._ops[-1], Table)
        cursor.movePosition(QTextCursor.MoveOperation.End)
        if grown is not None:
            cursor.insertText(grown.text, self._formats.char(grown.look))
            first = ops[0]
            assert isinstance(first, Text)
            self._ops[at] = first
            self._spots.append((self._starts[at], cursor.position(), first))
            ops = ops[1:]
        for op in ops:
            self._ops.append(op)
            self._starts.append(cursor.position())
            self._insert(cursor, op)
        cursor.endEditBlock()
        # A cursor is pushed along by what is written at it, and Qt scrolls after it; the reader did not move.
        last = document.characterCount() - 1
        kept.setPosition(min(anchor, last))
        kept.setPosition(min(position, last), QTextCursor.MoveMode.KeepAnchor)
        self.setTextCursor(kept)
        self.horizontalScrollBar().setValue(scrolled)

    def _text(self, at: int) -> str:
        op = self._ops[at]
        return op.text if isinstance(op, Text) else ""

    def _grown(self, at: int, ops: list[Op]) -> Text | None:
        """What a text gained at its end, if that is all that became of it."""
        if at >= len(self._ops) or not ops:
            return None
        old, new = self._ops[at], ops[0]
        if not isinstance(old, Text) or not isinstance(new, Text):
            return None
        same = (old.look, old.source) == (new.look, new.source) and new.text.startswith(old.text)
        return Text(new.text[len(old.text) :], new.look) if same else None

    def _insert(self, cursor: QTextCursor, op: Op) -> None:
        start = cursor.position()
        match op:
            case Paragraph():
                self._quotes |= op.shape.quote is not None
                if self._fresh:
                    cursor.setBlockFormat(self._formats.block(op.shape))
                    self._fresh = False
                else:
                    cursor.insertBlock(self._formats.block(op.shape), QTextCharFormat())
            case Text():
                cursor.insertText(
                    op.text.replace("\n", "\u2028") if op.look.kind != "code" else op.text, self._char(op)
                )
            case Maths():
                self.waits |= not insert_maths(cursor, op, self._formats, self._formulas)
            case Table():
                insert_table(cursor, op, self._formats, self._insert, fresh=self._fresh)
                self._fresh = True
        if isinstance(op, Text | Maths):
            self._spots.append((start, cursor.position(), op))

    def _char(self, op: Text) -> QTextCharFormat:
        return self._formats.char(op.look)
