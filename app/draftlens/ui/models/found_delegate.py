"""A search result in the list: what it is, whether it can run here, and the numbers that help to choose."""

from __future__ import annotations

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QPainter, QPen
from PySide6.QtWidgets import QListView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from draftlens.library import drafter_kinds, sizes
from draftlens.library.hub import Found
from draftlens.ui.models import badge
from draftlens.ui.models.badge import Look
from draftlens.ui.models.rows import ITEM_ROLE, Index
from draftlens.ui.theme import Theme

_GATED = ("Gated", Look("info", "text2", None))
_FIGURES, _BADGE = 116, 118
NARROW, _ROW, _BADGES = 540, 46, 26
"""Below this width what stands side by side stands in two lines; the heights of a result and of its badges."""


def verdict_of(found: Found) -> tuple[str, Look]:
    """What a badge says of a search result."""
    drafter = drafter_kinds.by_config(found.config)
    if drafter is not None:
        return badge.words_of(drafter[0]), badge.look_of(drafter[0])
    if found.runs is False:
        return "Unsupported", Look("ban", "untestedText", "untestedTint")
    if found.gguf:
        return "GGUF", Look("file", "text2", None)
    if found.runs is None:
        return "Unknown type", Look("info", "text2", None)
    return "Can run", Look("check", "acceptedText", "acceptedTint")


class FoundDelegate(QStyledItemDelegate):
    """Name and owner, badge, and the numbers that help to choose."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        """Room for two lines; badges have a line of their own where the list is narrow."""
        return QSize(100, self._theme.px(_ROW + (_BADGES if self._narrow else 0)))

    @property
    def _narrow(self) -> bool:
        shown = self.parent()
        return isinstance(shown, QListView) and shown.viewport().width() < self._theme.px(NARROW)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        """Paint a result."""
        theme, area = self._theme, QRect(option.rect)
        found: Found = index.data(ITEM_ROLE)
        painter.save()
        if option.state & QStyle.StateFlag.State_Selected:
            painter.fillRect(area, theme.color("selected"))
        elif option.state & QStyle.StateFlag.State_MouseOver:
            painter.fillRect(area, theme.color("hover"))
        painter.setPen(QPen(theme.color("border")))
        painter.drawLine(area.bottomLeft(), area.bottomRight())
        text, look = verdict_of(found)
        badges = [(text, look), *([_GATED] if found.gated else [])]
        if self._narrow:
            area = area.adjusted(0, 0, 0, -theme.px(_BADGES))
            at = area.x() + 20
            for said, seen in badges:
                badge.paint(painter, theme, QRect(at, area.bottom(), 1000, theme.px(20)), said, seen)
                at += badge.width(theme, said) + 8
        right = area.adjusted(area.width() - theme.px(_FIGURES) - 20, 0, -20, 0)
        end = right.x()
        if not self._narrow:
            end -= max(theme.px(_BADGE), badge.width(theme, text) + 8)
            badge.paint(painter, theme, QRect(end, area.y(), right.x() - end, area.height()), text, look)
            for said, seen in badges[1:]:
                end -= badge.width(theme, said) + 8
                badge.paint(painter, theme, QRect(end, area.y(), right.x() - end, area.height()), said, seen)
        left = QRect(area.x() + 20, area.y(), end - area.x() - 32, area.height())
        middle, half = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, area.height() // 2
        font = theme.font("ui")
        font.setWeight(font.Weight.Medium)
        painter.setFont(font)
        painter.setPen(theme.color("text"))
        name = painter.fontMetrics().elidedText(found.name, Qt.TextElideMode.ElideMiddle, left.width())
        painter.drawText(QRect(left.x(), left.y() + 4, left.width(), half - 3), middle, name)
        painter.setFont(theme.font("caption"))
        painter.setPen(theme.color("text3"))
        about = " · ".join(filter(None, (found.owner, found.architecture, found.licence)))
        about = painter.fontMetrics().elidedText(about, Qt.TextElideMode.ElideRight, left.width())
        painter.drawText(QRect(left.x(), left.y() + half, left.width(), half - 4), middle, about)
        painter.setFont(theme.font("ui"))
        painter.setPen(theme.color("text"))
        size = "–" if found.size is None else sizes.on_disk(found.size)
        edge = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight
        painter.drawText(right.adjusted(0, 4, 0, -half), edge, size)
        painter.setFont(theme.font("caption"))
        painter.setPen(theme.color("text3"))
        painter.drawText(right.adjusted(0, half, 0, -4), edge, f"{found.downloads:,} downloads")
        painter.restore()
