"""The settings page of memory: for which context it is reckoned, and how much of it models may take."""

from __future__ import annotations

from PySide6.QtWidgets import QComboBox

from draftlens.library import memory, sizes
from draftlens.settings.settings import CONTEXTS
from draftlens.ui.dialogs.settings_pages import Page
from draftlens.ui.number_field import decimal_field


class MemoryPage(Page):
    """Nothing here changes what is loaded now."""

    def build(self) -> None:
        """Make the widgets."""
        self.context = QComboBox()
        self.context.setAccessibleName("Estimates for")
        for tokens in CONTEXTS:
            self.context.addItem(f"{tokens:,} tokens of context", tokens)
        self.context.activated.connect(lambda number: self.set(estimate_context=CONTEXTS[number]))
        self.row(
            "Estimates for",
            self.context,
            "An estimate is weights, the caches at this context, the drafter’s too, and the largest forward.",
        )
        self.limit = decimal_field()
        self.limit.setAccessibleName("Memory for models")
        self.limit.setRange(0, 10_000)
        self.limit.setDecimals(1)
        self.limit.setSuffix(" GB")
        self.limit.setSpecialValueText("As much as there is")
        self.limit.setKeyboardTracking(False)
        self.limit.setMinimumWidth(self.theme.px(180))
        self.limit.valueChanged.connect(lambda value: self.set(memory_limit=value or None))
        there = memory.limit()
        most = "" if there is None else f" One program may use {sizes.in_words(there)} of this computer."
        self.row(
            "Memory for models",
            self.limit,
            f"Models that need more are called too big, and loaded only if you say so.{most}",
        )

    def refresh(self) -> None:
        """Show the settings in force."""
        settings = self.preferences.settings
        self.context.setCurrentIndex(CONTEXTS.index(settings.estimate_context))
        self.limit.blockSignals(True)
        self.limit.setValue(settings.memory_limit or 0)
        self.limit.blockSignals(False)
