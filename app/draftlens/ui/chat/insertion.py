"""What is more than text in a prose: formulas as pictures and tables."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QUrl
from PySide6.QtGui import (
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextFrameFormat,
    QTextImageFormat,
    QTextLength,
    QTextTableFormat,
)

from draftlens.render.document import Style
from draftlens.ui.chat.formats import Formats, Look, Shape
from draftlens.ui.chat.formulas import Formulas, picture
from draftlens.ui.chat.ops import Maths, Op, Table, Text

_ALIGNS = {"center": Qt.AlignmentFlag.AlignHCenter, "right": Qt.AlignmentFlag.AlignRight}


def insert_maths(cursor: QTextCursor, op: Maths, formats: Formats, formulas: Formulas) -> bool:
    """Insert a formula; return False where it stands as it was written, because it is still being set or cannot be."""
    theme = formats.theme
    size = theme.font("body").pixelSize() * (1.15 if op.display else 1.0)
    color = theme.color("text").name()
    made = formulas.get(op.written, size, color)
    if made is None:
        cursor.insertText(op.written, formats.char(op.look))
        return False
    name = f"formula:{op.written}:{size}:{color}"
    image = picture(made)
    cursor.document().addResource(QTextDocument.ResourceType.ImageResource, QUrl(name), image)
    shape = QTextImageFormat()
    shape.setName(name)
    shape.setWidth(made.width)
    shape.setHeight(made.height)
    centred = made.depth > 0.2 * made.height
    align = QTextCharFormat.VerticalAlignment
    shape.setVerticalAlignment(align.AlignMiddle if centred else align.AlignBaseline)
    cursor.insertImage(shape)
    return True


def insert_table(
    cursor: QTextCursor, op: Table, formats: Formats, insert: Callable[[QTextCursor, Op], None], *, fresh: bool
) -> None:
    """Insert a table, each cell through `insert`; behind it stands an empty paragraph."""
    theme = formats.theme
    columns = max(map(len, op.rows), default=1) or 1
    shape = QTextTableFormat()
    shape.setCellPadding(theme.px(6))
    shape.setCellSpacing(0)
    shape.setBorder(1)
    shape.setBorderCollapse(True)
    shape.setBorderBrush(theme.color("border"))
    shape.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
    shape.setTopMargin(10)
    shape.setBottomMargin(8)
    shape.setHeaderRowCount(1)
    shape.setColumnWidthConstraints([QTextLength(QTextLength.Type.VariableLength, 0)] * columns)
    small = formats.block(Shape())
    tiny = QTextBlockFormat(small)
    tiny.setLineHeight(1, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
    if not fresh:
        cursor.insertBlock(tiny)
    else:
        cursor.setBlockFormat(tiny)
    table = cursor.insertTable(max(1, len(op.rows)), columns, shape)
    for r, row in enumerate(op.rows):
        for c, cell in enumerate(row):
            inside = table.cellAt(r, c).firstCursorPosition()
            block = QTextBlockFormat(small)
            # The height of the line would be added above the text alone: it would stand too low in its cell.
            block.setLineHeight(0, QTextBlockFormat.LineHeightTypes.SingleHeight.value)
            if c < len(op.aligns) and op.aligns[c] in _ALIGNS:
                block.setAlignment(_ALIGNS[op.aligns[c]])
            inside.setBlockFormat(block)
            for part in cell:
                insert(inside, _bold(part) if r == 0 and isinstance(part, Text) else part)
    cursor.movePosition(QTextCursor.MoveOperation.End)
    cursor.setBlockFormat(tiny)


def _bold(part: Text) -> Text:
    look = part.look
    return Text(part.text, Look(look.kind, look.style | Style.BOLD, look.color, look.link, look.source, look.lined))
