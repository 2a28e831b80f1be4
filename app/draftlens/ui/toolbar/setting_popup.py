"""The field a number chip opens: type or step a value, Return or a click outside takes it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QRegularExpression, Qt
from PySide6.QtGui import QRegularExpressionValidator
from PySide6.QtWidgets import (
    QAbstractSpinBox,
    QDoubleSpinBox,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QSpinBox,
    QVBoxLayout,
    QWidget,
    QWidgetAction,
)

from draftlens.ui.number_field import decimal_field, whole_field

_MAX_SEED = 2**64 - 1


def _popup(menu: QMenu, name: str, field: QWidget, note: str, *more: QWidget) -> None:
    body = QWidget(menu)
    layout = QVBoxLayout(body)
    layout.setContentsMargins(10, 8, 10, 8)
    layout.setSpacing(6)
    title = QLabel(name)
    title.setProperty("scale", "heading")
    title.setBuddy(field)
    field.setAccessibleName(name)
    words = QLabel(note)
    words.setProperty("tone", "3")
    words.setProperty("scale", "small")
    words.setWordWrap(True)
    words.setFixedWidth(220)
    for part in (title, field, words, *more):
        layout.addWidget(part)
    action = QWidgetAction(menu)
    action.setDefaultWidget(body)
    menu.addAction(action)
    menu.aboutToShow.connect(lambda: field.setFocus(Qt.FocusReason.PopupFocusReason))
    if isinstance(field, QAbstractSpinBox):
        menu.aboutToShow.connect(field.selectAll)


def integer_popup(menu: QMenu, name: str, note: str, low: int, high: int, changed: Callable[[int], None]) -> QSpinBox:
    """Fill a menu with a whole number's field."""
    field = whole_field()
    field.setRange(low, high)
    _popup(menu, name, field, note)
    field.valueChanged.connect(changed)
    field.lineEdit().returnPressed.connect(menu.close)
    return field


def decimal_popup(
    menu: QMenu, name: str, note: str, low: float, high: float, changed: Callable[[float], None]
) -> QDoubleSpinBox:
    """Fill a menu with a decimal number's field."""
    field = decimal_field()
    field.setRange(low, high)
    field.setSingleStep(0.1)
    field.setDecimals(2)
    _popup(menu, name, field, note)
    field.valueChanged.connect(changed)
    field.lineEdit().returnPressed.connect(menu.close)
    return field


def seed_popup(menu: QMenu, changed: Callable[[int | None], None]) -> QLineEdit:
    """Fill a menu with the seed's field: seeds reach 2^64 - 1, more than a spin box holds."""
    field = QLineEdit()
    field.setPlaceholderText("random")
    field.setValidator(QRegularExpressionValidator(QRegularExpression("[0-9]{0,20}"), field))
    draw = QPushButton("Random for every reply")
    note = "The same seed, models, settings and chat give the same reply. Whole numbers up to 2⁶⁴ − 1."
    _popup(menu, "Seed", field, note, draw)

    def take(text: str) -> None:
        changed(min(int(text), _MAX_SEED) if text else None)

    field.textEdited.connect(take)
    field.returnPressed.connect(menu.close)
    draw.clicked.connect(field.clear)
    draw.clicked.connect(lambda: changed(None))
    draw.clicked.connect(menu.close)
    return field
