"""A model's role as a badge: icon and word first, colour second; painted in the table, shown as a label elsewhere."""

from __future__ import annotations

from dataclasses import dataclass

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from draftlens.library.catalog import Installed
from draftlens.library.roles import Role
from draftlens.ui.theme import Theme

_HEIGHT, _PAD, _ICON, _GAP = 20, 6, 12, 5


@dataclass(frozen=True)
class Look:
    """Colours by token name; without a fill the badge is outlined."""

    icon: str
    text: str
    fill: str | None


def look_of(role: Role, *, draft_capable: bool = False, absent: bool = False) -> Look:
    """How a role looks."""
    if absent:
        return Look("ban", "text3", None)
    if draft_capable:
        return Look("check", "acceptedText", "acceptedTint")
    if role.standalone:
        return Look("chat", "accentText", "accentTint")
    if role.bound_drafter:
        return Look("link", "bonusText", "bonusTint")
    if role is Role.INCOMPLETE:
        return Look("warning", "residualText", "residualTint")
    if role is Role.GGUF:
        return Look("file", "text2", None)
    if role is Role.ADAPTER:
        return Look("branch", "text2", None)
    return Look("ban", "untestedText", "untestedTint")


def words_of(role: Role) -> str:
    """A role in a badge."""
    return "Bound drafter: MTP" if role is Role.GEMMA_MTP else role.value[0].upper() + role.value[1:]


def look_of_item(item: Installed) -> Look:
    """How an installed model's badge looks."""
    return look_of(item.verdict.role, draft_capable=item.draft_capable, absent=item.absent)


def width(theme: Theme, text: str) -> int:
    """How wide the badge of a text is."""
    return QFontMetrics(theme.font("small")).horizontalAdvance(text) + _ICON + _GAP + 2 * _PAD


def paint(painter: QPainter, theme: Theme, area: QRect, text: str, look: Look) -> None:
    """Paint a badge at the left of an area, centred in its height."""
    height = theme.px(_HEIGHT)
    box = QRectF(area.x(), area.center().y() - height / 2 + 0.5, min(width(theme, text), area.width()), height)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    if look.fill is None:
        painter.setPen(QPen(theme.color("borderStrong")))
        painter.setBrush(theme.color("surface"))
        painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
    else:
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color(look.fill))
        painter.drawRoundedRect(box, 4, 4)
    painter.drawPixmap(
        int(box.x()) + _PAD, int(box.center().y() - _ICON / 2), theme.pixmap(look.icon, look.text, _ICON)
    )
    painter.setFont(theme.font("small"))
    painter.setPen(theme.color(look.text))
    inner = box.adjusted(_PAD + _ICON + _GAP, 0, -2, 0)
    painter.drawText(inner, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text)
    painter.restore()


class Badge(QWidget):
    """A badge on its own."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._text, self._look = theme, "", Look("ban", "text3", None)
        theme.changed.connect(self.update)

    def show_role(self, text: str, look: Look) -> None:
        """Show a role."""
        self._text, self._look = text, look
        self.setAccessibleName(text)
        self.setFixedSize(self.sizeHint())
        self.update()

    def sizeHint(self) -> QSize:
        """As wide as its text."""
        return QSize(width(self._theme, self._text), self._theme.px(_HEIGHT))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint it."""
        painter = QPainter(self)
        paint(painter, self._theme, self.rect(), self._text, self._look)
        painter.end()
