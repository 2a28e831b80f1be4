"""Read-only text that is as high as its content: shown literally, token by token tinted by origin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, QUrl, Signal
from PySide6.QtGui import (
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QWheelEvent,
)
from PySide6.QtWidgets import QFrame, QSizePolicy, QTextEdit, QWidget

from draftlens.bridge.reply import Piece
from draftlens.core.round import Source
from draftlens.ui.chat.formats import TINTS
from draftlens.ui.chat.ring import characters, paint_ring, rects, units
from draftlens.ui.theme import Theme

WRAP_LIMIT = 10_000
"""Finding the line breaks of one unbroken word takes quadratic time: beyond this many characters it is not wrapped."""


class TextBlock(QTextEdit):
    """Text that can be selected and copied, not edited; scrolling is left to the surrounding area."""

    sourceClicked = Signal(int)

    def __init__(self, theme: Theme, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._pieces: list[Piece] = []
        self._tinted = True
        self._caret = False
        self._ring: tuple[int, int] | None = None
        self.setProperty("kind", "text")
        self.setAccessibleName(name)
        self.setReadOnly(True)
        self.setAcceptRichText(False)
        self.setUndoRedoEnabled(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setTabChangesFocus(True)
        self.setFont(theme.font("body"))
        self.viewport().setAutoFillBackground(False)
        self.setLineWrapMode(QTextEdit.LineWrapMode.FixedPixelWidth)
        document = self.document()
        document.setDocumentMargin(0)
        lines = QTextBlockFormat()
        lines.setLineHeight(float(theme.line("body")), QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        QTextCursor(document).setBlockFormat(lines)
        theme.changed.connect(self._repaint_pieces)

    @property
    def count(self) -> int:
        """How many pieces it shows."""
        return len(self._pieces)

    def show_text(self, text: str) -> None:
        """Show text that has no origin to tint."""
        self._guard(text)
        QTextCursor(self.document()).insertText(text)

    def append(self, pieces: Sequence[Piece]) -> None:  # type: ignore[override]
        """Add pieces at the end; a selection stays as it is."""
        self._guard("".join(piece.text for piece in pieces))
        kept = self.textCursor()
        anchor, position = kept.anchor(), kept.position()
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        cursor.beginEditBlock()
        for piece in pieces:
            space, rest = _split(piece.text)
            if space:
                cursor.insertText(space, self._format(piece.source, underline=False, blank=not rest))
            if rest:
                cursor.insertText(rest, self._format(piece.source))
        cursor.endEditBlock()
        self._pieces += pieces
        if anchor != position:
            kept.setPosition(anchor)
            kept.setPosition(position, QTextCursor.MoveMode.KeepAnchor)
            self.setTextCursor(kept)

    def set_tinted(self, on: bool) -> None:
        """Show or hide where the tokens came from."""
        if on != self._tinted:
            self._tinted = on
            self._repaint_pieces()

    def set_caret(self, on: bool) -> None:
        """Show the block behind the last character while more is to come."""
        if on != self._caret:
            self._caret = on
            self.viewport().update()

    def mark(self, start: int, end: int) -> QRectF | None:
        """Ring these characters; return where they stand, None if there are none."""
        text = "".join(piece.text for piece in self._pieces)
        ring = (units(text[:start]), units(text[:end])) if 0 <= start < min(end, len(text)) else None
        if ring != self._ring:
            self._ring = ring
            self.viewport().update()
        return next(iter(rects(self.document(), *ring)), None) if ring is not None else None

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """A click selects a token; a drag selects text."""
        super().mouseReleaseEvent(event)
        place = event.position() + QPointF(self.horizontalScrollBar().value(), 0)
        at = self.document().documentLayout().hitTest(place, Qt.HitTestAccuracy.ExactHit)
        if event.button() is Qt.MouseButton.LeftButton and not self.textCursor().hasSelection() and at >= 0:
            self.sourceClicked.emit(characters("".join(piece.text for piece in self._pieces), at))

    def sizeHint(self) -> QSize:
        """One line, until the text says otherwise."""
        return QSize(200, 22)

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        """Nothing is ever loaded for a text."""
        return None

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The transcript scrolls, not one block of it."""
        event.ignore()

    def paintEvent(self, event: QPaintEvent) -> None:
        """The text, the ring, and the caret block while streaming."""
        super().paintEvent(event)
        if self._ring is not None:
            painter = QPainter(self.viewport())
            paint_ring(painter, self.document(), self._ring, self._theme, self.horizontalScrollBar().value())
            painter.end()
        if self._caret:
            end = QTextCursor(self.document())
            end.movePosition(QTextCursor.MoveOperation.End)
            place = self.cursorRect(end)
            painter = QPainter(self.viewport())
            painter.fillRect(QRectF(place.left() + 1, place.center().y() - 7, 7, 15), self._theme.color("accent"))
            painter.end()

    def fit(self, width: int) -> int:
        """The height it needs at a width."""
        wraps = self.lineWrapMode() is not QTextEdit.LineWrapMode.NoWrap
        if wraps and width != self.lineWrapColumnOrWidth():
            self.setLineWrapColumnOrWidth(width)
        return max(self._theme.line("body"), round(self.document().size().height())) + (0 if wraps else 10)

    def _guard(self, text: str) -> None:
        if self.lineWrapMode() is QTextEdit.LineWrapMode.NoWrap or len(text) < WRAP_LIMIT:
            return
        if max(map(len, text.split()), default=0) >= WRAP_LIMIT:
            self.setLineWrapMode(QTextEdit.LineWrapMode.NoWrap)
            self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAsNeeded)

    def _format(self, source: Source, *, underline: bool = True, blank: bool = False) -> QTextCharFormat:
        """The tint covers a leading space, the underline does not; a token of nothing but space gets neither."""
        style = QTextCharFormat()
        style.setForeground(self._theme.color("text"))
        if self._tinted and not blank and source in TINTS:
            tint, line, kind = TINTS[source]
            style.setBackground(self._theme.color(tint))
            if underline:
                style.setUnderlineStyle(kind)
                style.setUnderlineColor(self._theme.color(line))
        return style

    def _repaint_pieces(self) -> None:
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        if not self._pieces:
            cursor.select(QTextCursor.SelectionType.Document)
            cursor.mergeCharFormat(self._format(Source.PLAIN))
        at = 0
        for piece in self._pieces:
            space, rest = _split(piece.text)
            for text, style in (
                (space, self._format(piece.source, underline=False, blank=not rest)),
                (rest, self._format(piece.source)),
            ):
                cursor.setPosition(at)
                at += units(text)
                cursor.setPosition(at, QTextCursor.MoveMode.KeepAnchor)
                cursor.setCharFormat(style)
        cursor.endEditBlock()
        self.viewport().update()


def _split(text: str) -> tuple[str, str]:
    rest = text.lstrip()
    return text[: len(text) - len(rest)], rest
