"""The pages of the settings; each shows the settings in force and changes them."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QSignalBlocker, Qt
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QFormLayout,
    QLabel,
    QPlainTextEdit,
    QVBoxLayout,
    QWidget,
)

from draftlens.bridge.preferences import Preferences
from draftlens.core.params import MAX_DRAFT
from draftlens.core.rules import ASKABLE
from draftlens.settings.settings import CANDIDATES, TEXT_SIZES
from draftlens.ui.dialogs.params_form import ParamsForm
from draftlens.ui.number_field import whole_field
from draftlens.ui.theme import Theme

_APPEARANCES = (("System", "system"), ("Light", "light"), ("Dark", "dark"))
_DRAFTERS = (("Draft model", "draft-model"), ("Prompt lookup", "prompt-lookup"), ("None", "none"))


class Page(QWidget):
    """A form of settings."""

    def __init__(self, theme: Theme, preferences: Preferences, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.theme, self.preferences = theme, preferences
        outer = QVBoxLayout(self)
        outer.setContentsMargins(40, 24, 40, 24)
        self.form = QFormLayout()
        outer.addLayout(self.form)
        outer.addStretch(1)
        self.form.setVerticalSpacing(12)
        self.form.setHorizontalSpacing(16)
        self.form.setLabelAlignment(Qt.AlignmentFlag.AlignRight)
        self.build()

    def build(self) -> None:
        """Make the widgets."""
        raise NotImplementedError

    def refresh(self) -> None:
        """Show the settings in force."""
        raise NotImplementedError

    def set(self, **values: Any) -> None:
        """Change settings at once."""
        self.preferences.set(**values)

    def choice(self, label: str, options: tuple[tuple[str, str], ...], field: str, note: str = "") -> QComboBox:
        """A row with a choice."""
        box = QComboBox()
        box.setAccessibleName(label)
        for words, value in options:
            box.addItem(words, value)
        box.activated.connect(lambda _: self.set(**{field: box.currentData()}))
        self.row(label, box, note)
        return box

    def switch(self, label: str, words: str, field: str, note: str = "") -> QCheckBox:
        """A row with a check box."""
        box = QCheckBox(words)
        box.toggled.connect(lambda on: self.set(**{field: on}))
        self.row(label, box, note)
        return box

    def row(self, label: str, widget: QWidget, note: str = "") -> QLabel:
        """A row with a sentence under its widget; returns the sentence's label."""
        column = QVBoxLayout()
        column.setSpacing(4)
        if isinstance(widget, QLabel):
            # An aligned label would not be given the height of its wrapped text.
            column.addWidget(widget)
        else:
            column.addWidget(widget, 0, Qt.AlignmentFlag.AlignLeft)
        words = QLabel(note)
        words.setProperty("tone", "3")
        words.setProperty("scale", "small")
        words.setWordWrap(True)
        words.setMinimumWidth(self.theme.px(340))
        words.setVisible(bool(note))
        column.addWidget(words)
        name = QLabel(label)
        name.setBuddy(widget)
        self.form.addRow(name, column)
        return words


class GeneralPage(Page):
    """Appearance, text size, the system prompt of new chats."""

    def build(self) -> None:
        """Make the widgets."""
        self.appearance = self.choice(
            "Appearance", _APPEARANCES, "appearance", "System follows the computer’s setting."
        )
        self.text_size = whole_field()
        self.text_size.setAccessibleName("Text size")
        self.text_size.setRange(*TEXT_SIZES)
        self.text_size.setSingleStep(5)
        self.text_size.setSuffix(" %")
        self.text_size.setKeyboardTracking(False)
        self.text_size.valueChanged.connect(lambda value: self.set(text_size=value))
        self.row("Text size", self.text_size)
        self.tint = self.switch("Transcript", "Tint tokens by provenance", "provenance")
        self.lines = self.switch("", "Underline residual and bonus draws", "underline")
        self.system = QPlainTextEdit()
        self.system.setAccessibleName("System prompt")
        self.system.setTabChangesFocus(True)
        self.system.setFixedSize(self.theme.px(340), 84)
        self.system.textChanged.connect(lambda: self.set(system_prompt=self.system.toPlainText()))
        self.row("System prompt", self.system, "For chats without their own.")

    def refresh(self) -> None:
        """Show the settings in force."""
        s = self.preferences.settings
        for widget in (self.appearance, self.text_size, self.tint, self.lines, self.system):
            widget.blockSignals(True)
        self.appearance.setCurrentIndex(self.appearance.findData(s.appearance))
        self.text_size.setValue(s.text_size)
        self.tint.setChecked(s.provenance)
        self.lines.setChecked(s.underline)
        if self.system.toPlainText() != s.system_prompt:
            self.system.setPlainText(s.system_prompt)
        for widget in (self.appearance, self.text_size, self.tint, self.lines, self.system):
            widget.blockSignals(False)


class SpeculationPage(Page):
    """Rule, drafter, draft length, what is measured; new chats start here."""

    def build(self) -> None:
        """Make the widgets."""
        rules = tuple((f"rule={rule}", str(rule)) for rule in ASKABLE)
        self.rule = QComboBox()
        self.rule.setAccessibleName("Acceptance rule")
        for words, value in rules:
            self.rule.addItem(words, value)
        self.rule.activated.connect(lambda number: self.set(rule=ASKABLE[number]))
        self.sentence = self.row("Acceptance rule", self.rule, " ")
        greedy = QLabel("rule=greedy-argmax")
        greedy.setProperty("scale", "mono")
        self.row("At temperature 0", greedy, "Always used; it is exactly the target’s greedy output.")
        self.drafter = self.choice("Drafter", _DRAFTERS, "drafter_kind")
        self.k = whole_field()
        self.k.setAccessibleName("Draft length k")
        self.k.setRange(0, MAX_DRAFT)
        self.k.valueChanged.connect(lambda value: self.set(k=value))
        self.row("Draft length k", self.k, f"Tokens proposed per round, 0 to {MAX_DRAFT}. New chats start here.")
        self.forms = self.switch(
            "Inspector",
            "Show closed forms (sum_min and sum_prod)",
            "closed_forms",
            "Two full-vocabulary passes per tested position. Turn off when timing.",
        )
        self.keep = QComboBox()
        self.keep.setAccessibleName("Kept p and q")
        for count in CANDIDATES:
            self.keep.addItem(f"Top {count} tokens" if count else "Off", count)
        self.keep.activated.connect(lambda number: self.set(candidates=self.keep.itemData(number)))
        self.row("Kept p and q", self.keep, "Of every tested position, for the Distribution tab. Changes no token.")
        self.idle = self.switch(
            "Plain baseline",
            "Measure plain decoding when idle",
            "idle_baseline",
            "Once for a pair and context length, a while after a reply. Whatever you do ends it at once.",
        )

    def refresh(self) -> None:
        """Show the settings in force."""
        s = self.preferences.settings
        self.rule.setCurrentIndex(self.rule.findData(str(s.rule)))
        self.sentence.setText(f"{s.rule.sentence} {s.rule.guarantee.capitalize()}.")
        self.drafter.setCurrentIndex(self.drafter.findData(s.drafter_kind))
        for widget in (self.k, self.forms, self.keep, self.idle):
            widget.blockSignals(True)
        self.k.setValue(s.k)
        self.forms.setChecked(s.closed_forms)
        self.keep.setCurrentIndex(self.keep.findData(s.candidates))
        self.idle.setChecked(s.idle_baseline)
        for widget in (self.k, self.forms, self.keep, self.idle):
            widget.blockSignals(False)


class AdvancedPage(Page):
    """The sampling chain new chats start with."""

    def build(self) -> None:
        """Make the widgets."""
        self.params = ParamsForm(self.theme, self.preferences.settings.session())
        self.params.changed.connect(self._take)
        self.form.addRow(self.params)

    def refresh(self) -> None:
        """Show the settings in force."""
        params = self.preferences.settings.session()
        if params != self.params.params:
            with QSignalBlocker(self.params):
                self.params.show_params(params)

    def _take(self) -> None:
        self.preferences.put(self.preferences.settings.with_session(self.params.params))
