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
    layout, block, before = document.documentLayout(), document.begin(), None
    while block.isValid():
        x = block.blockFormat().property(QUOTE)
        if x is not None:
            place = layout.blockBoundingRect(block)
            if x == before:
                found[-1].setBottom(place.bottom())
            else:
                found.append(QRectF(x, place.top(), WIDTH, place.height()))
        before, block = x, block.next()
    return found


def paint_bars(page: QWidget, document: QTextDocument, theme: Theme) -> None:
    """Paint the bars of all quotations."""
    painter = QPainter(page)
    for bar in bars(document):
        painter.fillRect(bar, theme.color("borderStrong"))
    painter.end()
