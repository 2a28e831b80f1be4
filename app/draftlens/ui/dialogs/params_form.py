"""Every parameter of a reply with its range, each with a way back to its default."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QDoubleSpinBox, QFormLayout, QHBoxLayout, QLabel, QSpinBox, QWidget

from draftlens.core.params import SamplingParams, SessionParams
from draftlens.ui.chat.turn_buttons import icon_button
from draftlens.ui.number_field import decimal_field, show_number, whole_field
from draftlens.ui.theme import Theme


@dataclass(frozen=True)
class Field:
    """A number of the sampling chain: where it is kept, how it is called, what it may be."""

    name: str
    label: str
    note: str
    low: float
    high: float
    step: float = 0.05
    whole: bool = False


FIELDS = (
    Field("temperature", "Temperature", "0 is greedy", 0, 100),
    Field("top_k", "Top k", "0 is off", 0, 1_000_000, 1, whole=True),
    Field("top_p", "Top p", "1 is off", 0.001, 1),
    Field("min_p", "Min p", "0 is off", 0, 1, 0.01),
    Field("repetition_penalty", "Repetition penalty", "1 is off", 0.01, 100),
    Field("repetition_window", "Repetition window", "tokens", 0, 1_000_000, 16, whole=True),
    Field("frequency_penalty", "Frequency penalty", "0 is off", -100, 100),
    Field("presence_penalty", "Presence penalty", "0 is off", -100, 100),
    Field("penalty_window", "Penalty window", "tokens", 0, 1_000_000, 16, whole=True),
    Field("xtc_probability", "XTC probability", "0 is off", 0, 1),
    Field("xtc_threshold", "XTC threshold", "", 0, 1),
)


class ParamsForm(QWidget):
    """Shows parameters and tells when a person changed one; `length` says whether the longest reply is among them."""

    changed = Signal()

    def __init__(
        self, theme: Theme, params: SessionParams, parent: QWidget | None = None, *, length: bool = True
    ) -> None:
        super().__init__(parent)
        self._theme = theme
        self.params = params
        self.fields: dict[str, QSpinBox | QDoubleSpinBox] = {}
        form = QFormLayout(self)
        form.setContentsMargins(0, 0, 0, 0)
        form.setVerticalSpacing(6)
        defaults = SamplingParams()
        for field in FIELDS:
            self._add(form, field, getattr(defaults, field.name), self._put_sampling)
        if length:
            tokens = Field("max_tokens", "Longest reply", "tokens", 1, 10_000_000, 128, whole=True)
            self._add(form, tokens, 2048, self._put_session)
        self.show_params(params)

    def show_params(self, params: SessionParams) -> None:
        """Show other parameters."""
        self.params = params
        for name, field in self.fields.items():
            value = getattr(params if name == "max_tokens" else params.sampling, name)
            show_number(field, value)

    def _add(self, form: QFormLayout, field: Field, default: float, put: Callable[[str, float], None]) -> None:
        box: QSpinBox | QDoubleSpinBox
        if field.whole:
            whole = whole_field()
            whole.setRange(int(field.low), int(field.high))
            whole.setSingleStep(int(field.step))
            whole.valueChanged.connect(lambda value: put(field.name, value))
            box = whole
        else:
            decimal = decimal_field()
            decimal.setDecimals(3)
            decimal.setRange(field.low, field.high)
            decimal.setSingleStep(field.step)
            decimal.valueChanged.connect(lambda value: put(field.name, value))
            box = decimal
        box.setAccessibleName(field.label)
        box.setFixedWidth(self._theme.px(110))
        reset = icon_button(self._theme, "refresh", f"Reset {field.label.lower()}")
        reset.clicked.connect(lambda: self._reset(field, default, put))
        note = QLabel(field.note)
        note.setProperty("tone", "3")
        note.setProperty("scale", "small")
        row = QHBoxLayout()
        row.addWidget(box)
        row.addWidget(reset)
        row.addWidget(note)
        row.addStretch(1)
        form.addRow(field.label, row)
        self.fields[field.name] = box

    def _reset(self, field: Field, default: float, put: Callable[[str, float], None]) -> None:
        put(field.name, int(default) if field.whole else default)
        self.show_params(self.params)

    def _put_sampling(self, name: str, value: float) -> None:
        changes: dict[str, Any] = {name: value}
        self.params = replace(self.params, sampling=replace(self.params.sampling, **changes))
        self.changed.emit()

    def _put_session(self, name: str, value: float) -> None:
        self.params = replace(self.params, max_tokens=int(value))
        self.changed.emit()
