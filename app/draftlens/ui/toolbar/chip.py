"""A toolbar chip: what it sets in quiet letters, the value beside it, and a menu that changes it."""

from __future__ import annotations

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFont, QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QMenu, QSizePolicy, QToolButton, QWidget

from draftlens.ui.theme import Theme

_PAD, _GAP, _ARROW = 9, 6, 12
_NAME_LIMIT = 210


class Chip(QToolButton):
    """Shows `label value` and pops up its menu.

    Args:
        elides: the value is a name and may be cut in the middle; numbers and identifiers never are.
        mono: the value is an identifier or number.
    """

    def __init__(
        self,
        theme: Theme,
        name: str,
        label: str,
        parent: QWidget | None = None,
        *,
        elides: bool = False,
        mono: bool = False,
    ) -> None:
        super().__init__(parent)
        self._theme, self._label, self._elides = theme, label, elides
        self._value, self._title = "", label
        self._tinted = self._quiet = False
        self._mono = mono
        self._short: str | None = None
        self._is_compact = False
        self._progress: float | None = None
        self.setObjectName(name)
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        policy = QSizePolicy.Policy.Maximum if elides else QSizePolicy.Policy.Fixed
        self.setSizePolicy(policy, QSizePolicy.Policy.Fixed)
        self.setMenu(QMenu(self))
        theme.changed.connect(self.update)

    @property
    def value(self) -> str:
        """What it shows."""
        return self._value

    def set_short(self, label: str) -> None:
        """What stands for the label where room is scarce."""
        self._short = label

    def set_compact(self, on: bool) -> None:
        """Use the short label, or the whole one."""
        if on != self._is_compact:
            self._is_compact = on
            self.updateGeometry()
            self.update()

    @property
    def _value_font(self) -> QFont:
        font = self._theme.font("code" if self._mono else "ui")
        if self._elides:
            font.setWeight(font.Weight.Medium)
        return font

    @property
    def _shown_label(self) -> str:
        return self._short if self._is_compact and self._short is not None else self._label

    def show_value(self, value: str, *, title: str, tip: str = "", tinted: bool = False, quiet: bool = False) -> None:
        """Show a value; `title` names the setting for assistive technology."""
        self._value, self._title, self._tinted, self._quiet = value, title, tinted, quiet
        self.setAccessibleName(f"{title}: {value}")
        self.setToolTip(tip or (value if self._elides else ""))
        self.updateGeometry()
        self.update()

    def show_progress(self, fraction: float | None, *, active: bool) -> None:
        """Draw a line along the lower edge: as far as `fraction`, or all of it quietly if that is unknown."""
        self._progress = (fraction if fraction is not None else -1.0) if active else None
        self.update()

    def sizeHint(self) -> QSize:
        """Room for label, value and arrow."""
        name = self._value_width()
        return QSize(self._fixed_width() + (min(name, _NAME_LIMIT) if self._elides else name), self._theme.px(28))

    def minimumSizeHint(self) -> QSize:
        """Names give way, numbers do not."""
        if not self._elides:
            return self.sizeHint()
        return QSize(self._fixed_width() + min(self._value_width(), 64), self._theme.px(28))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Frame, label, value, arrow and, while loading, the progress line."""
        color = self._theme.color
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        frame = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        active = self.isDown() or self.menu().isVisible()
        edge = "accent" if self._tinted or self.hasFocus() else "borderStrong" if active else "border"
        fill = "accentTint" if self._tinted else "hover" if active or self.underMouse() else "surface"
        painter.setPen(QPen(color(edge), 2 if self.hasFocus() and not self._tinted else 1))
        painter.setBrush(color(fill))
        painter.drawRoundedRect(frame, 6, 6)
        x = _PAD
        align = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
        if self._shown_label:
            painter.setFont(self._theme.font("ui"))
            painter.setPen(color("text3" if self.isEnabled() else "disabled"))
            width = self._label_width()
            painter.drawText(QRect(x, 0, width, self.height()), align, self._shown_label)
            x += width + _GAP
        room = self.width() - x - _PAD - _ARROW - 2
        painter.setFont(self._value_font)
        name = "accentText" if self._tinted else "text3" if self._quiet else "text"
        painter.setPen(color(name if self.isEnabled() else "disabled"))
        text = self._value
        if self._elides:
            text = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, room)
        painter.drawText(QRect(x, 0, room + 2, self.height()), align, text)
        arrow = self._theme.pixmap("chevron-down", "accentText" if self._tinted else "text3", _ARROW)
        painter.drawPixmap(self.width() - _PAD - _ARROW + 1, (self.height() - _ARROW) // 2 + 1, arrow)
        if self._progress is not None:
            painter.setPen(Qt.PenStyle.NoPen)
            line = QRectF(6, self.height() - 3, self.width() - 12, 2)
            painter.setBrush(color("overlap"))
            painter.drawRect(line)
            if self._progress > 0:
                painter.setBrush(color("accent"))
                painter.drawRect(QRectF(line.left(), line.top(), line.width() * min(1.0, self._progress), 2))
        painter.end()

    def _label_width(self) -> int:
        metrics = QFontMetrics(self._theme.font("ui"))
        return metrics.horizontalAdvance(self._shown_label) if self._shown_label else 0

    def _value_width(self) -> int:
        return QFontMetrics(self._value_font).horizontalAdvance(self._value)

    def _fixed_width(self) -> int:
        label = self._label_width() + _GAP if self._shown_label else 0
        return 2 * _PAD + label + _GAP + _ARROW
