"""Fields for numbers: their text stands clear of the frame, and showing a value does not disturb who is typing it."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker
from PySide6.QtWidgets import QDoubleSpinBox, QSpinBox

_MARGIN = 6


def whole_field() -> QSpinBox:
    """A field for a whole number."""
    field = QSpinBox()
    field.lineEdit().setTextMargins(_MARGIN, 0, _MARGIN, 0)
    return field


def decimal_field() -> QDoubleSpinBox:
    """A field for a decimal number."""
    field = QDoubleSpinBox()
    field.lineEdit().setTextMargins(_MARGIN, 0, _MARGIN, 0)
    return field


def show_number(field: QSpinBox | QDoubleSpinBox, value: float) -> None:
    """Show a value that was set elsewhere, as no change of the field's own."""
    # Setting even the same value writes the text anew: "0." on the way to 0.35 would become "0.00" under the caret.
    if field.value() == value:
        return
    with QSignalBlocker(field):
        if isinstance(field, QSpinBox):
            field.setValue(int(value))
        else:
            field.setValue(value)
