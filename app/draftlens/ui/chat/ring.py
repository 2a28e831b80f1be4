"""The ring around the selected token: where characters stand on their lines, framed in the accent colour."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPen, QTextDocument, QTextLine

from draftlens.ui.theme import Theme


def units(text: str) -> int:
    """Qt counts UTF-16 units, and a character outside the first plane takes two."""
    return len(text) if text.isascii() else len(text.encode("utf-16-le")) // 2


def characters(text: str, units: int) -> int:
    """How many characters the first so many units are."""
    return units if text.isascii() else len(text.encode("utf-16-le")[: 2 * units].decode("utf-16-le", "ignore"))


def rects(document: QTextDocument, start: int, end: int) -> list[QRectF]:
    """The places of the characters from start to end, one for each line they stand on."""
    found = []
    block = document.findBlock(start)
    while block.isValid() and block.position() < end:
        layout, offset = block.layout(), block.position()
        for number in range(layout.lineCount()):
            line = layout.lineAt(number)
            first = max(start - offset, line.textStart())
            last = min(end - offset, line.textStart() + line.textLength())
            if first < last:
                left, right = _x(line, first), _x(line, last)
                box = QRectF(left, line.y(), right - left, line.height())
                found.append(box.translated(layout.position()))
        block = block.next()
    return found


def _x(line: QTextLine, at: int) -> float:
    place = line.cursorToX(at)
    # Qt returns the position too, moved to where a cursor can stand.
    assert isinstance(place, tuple)
    return float(place[0])


def paint_ring(painter: QPainter, document: QTextDocument, span: tuple[int, int], theme: Theme, scrolled: int) -> None:
    """Paint it in a view that is scrolled sideways by so much."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(theme.color("accent"), 2))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    for box in rects(document, *span):
        painter.drawRoundedRect(box.translated(-scrolled, 0).adjusted(0, 1, 0, -1), 3, 3)
