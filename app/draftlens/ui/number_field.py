"""Fields for numbers whose text stands clear of the frame, which a style sheet alone does not do for a spin box."""

from __future__ import annotations

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
