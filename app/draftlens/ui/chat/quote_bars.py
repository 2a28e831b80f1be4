"""The bar beside quoted paragraphs, painted over the page: a text document has none of its own."""

from __future__ import annotations

from PySide6.QtCore import QRectF
from PySide6.QtGui import QPainter, QTextDocument
from PySide6.QtWidgets import QWidget

from draftlens.ui.chat.formats import QUOTE
from draftlens.ui.theme import Theme

WIDTH = 3


def bars(document: QTextDocument) -> list[QRectF]:
    """One bar for each quotation: neighbouring paragraphs of it share theirs."""
    found: list[QRectF] = []
    # Laid out first: its height asks for that.
    document.size()
    block, before = document.begin(), None
    while block.isValid():
        x, lines = block.blockFormat().property(QUOTE), block.layout()
        if x is not None and lines.lineCount():
            # From line to line: the rectangle of a block ends above what its last line was moved down by.
            first, last = (lines.lineAt(n) for n in (0, lines.lineCount() - 1))
            top, bottom = (lines.position().y() + y for y in (first.y(), last.y() + last.height()))
            if x == before:
                found[-1].setBottom(bottom)
            else:
                found.append(QRectF(x, top, WIDTH, bottom - top))
        before, block = x, block.next()
    return found


def paint_bars(page: QWidget, document: QTextDocument, theme: Theme) -> None:
    """Paint the bars of all quotations."""
    painter = QPainter(page)
    for bar in bars(document):
        painter.fillRect(bar, theme.color("borderStrong"))
    painter.end()
