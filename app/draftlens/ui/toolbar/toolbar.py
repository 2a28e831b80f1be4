"""The bar of chips: models loaded, and the settings of the next reply."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QToolButton, QWidget

from draftlens.bridge import figures
from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.core.params import MAX_DRAFT
from draftlens.core.rules import ASKABLE, RuleId
from draftlens.ui.number_field import show_number
from draftlens.ui.switch import Switch
from draftlens.ui.theme import Theme
from draftlens.ui.toolbar.chip import Chip
from draftlens.ui.toolbar.menu_row import add_row
from draftlens.ui.toolbar.model_menus import ModelMenus
from draftlens.ui.toolbar.setting_popup import decimal_popup, integer_popup, seed_popup

if TYPE_CHECKING:
    from draftlens.bridge.loading import Loading

HEIGHT = 44
"""The tokens' 52 belong to a toolbar that reaches under the title bar; below a native one it is 44."""


class Toolbar(QFrame):
    """Chips left to right, then the speculation switch and the inspector's button."""

    sidebarAsked = Signal()

    def __init__(
        self, theme: Theme, bridge: EngineBridge, loading: Callable[[], Loading], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setObjectName("toolbar")
        self.setFixedHeight(theme.px(HEIGHT))
        self._theme, self._bridge, self._next = theme, bridge, bridge.next_reply
        self.target = Chip(theme, "chipTarget", "Target", elides=True)
        self.drafter = Chip(theme, "chipDrafter", "Drafter", elides=True)
        self.block = Chip(theme, "chipK", "k", mono=True)
        self.rule = Chip(theme, "chipRule", "", mono=True)
        self.temperature = Chip(theme, "chipTemp", "Temperature", mono=True)
        self.seed = Chip(theme, "chipSeed", "Seed", mono=True)
        self.speculation = Switch(theme, "Speculation")
        self.speculation.setObjectName("switchSpeculation")
        self.inspector = QToolButton()
        self.inspector.setObjectName("buttonInspector")
        self.inspector.setCheckable(True)
        self.inspector.setFixedSize(28, 28)
        self.inspector.setAccessibleName("Show the inspector")
        self.sidebar = QToolButton()
        self.sidebar.setObjectName("buttonSidebar")
        self.sidebar.setFixedSize(28, 28)
        self.sidebar.setAccessibleName("Show the sidebar")
        self.sidebar.setToolTip("Show the sidebar")
        self.sidebar.clicked.connect(self.sidebarAsked)
        self.sidebar.hide()
        self.chips = (self.target, self.drafter, self.block, self.rule, self.temperature, self.seed)
        for chip, short in ((self.target, ""), (self.drafter, ""), (self.temperature, "T")):
            chip.set_short(short)
        self._settings = (self.drafter, self.block, self.rule, self.temperature, self.seed, self.speculation)

        layout = QHBoxLayout(self)
        layout.setContentsMargins(16, 0, 12, 0)
        layout.setSpacing(8)
        layout.addWidget(self.sidebar)
        for chip in (self.target, self.drafter, self.block, self.rule, self.temperature, self.seed):
            layout.addWidget(chip)
        layout.addStretch(1)
        layout.addWidget(self.speculation)
        layout.addWidget(self.inspector)

        self.models = ModelMenus(theme, bridge, self.target, self.drafter, loading)
        self.rule.menu().aboutToShow.connect(self._fill_rule)
        self._k_field = integer_popup(
            self.block.menu(),
            "Draft length k",
            "Tokens proposed per round, at most. For prompt lookup: the longest match that is copied.",
            1,
            MAX_DRAFT,
            self._next.set_block,
        )
        self._temperature_field = decimal_popup(
            self.temperature.menu(),
            "Temperature",
            "0 is greedy: nothing is random, and rule=greedy-argmax runs.",
            0,
            100,
            self._next.set_temperature,
        )
        self._seed_field = seed_popup(self.seed.menu(), self._next.set_seed)
        self.speculation.toggled.connect(self._next.set_speculation)
        self._next.changed.connect(self.refresh)
        bridge.modelChanged.connect(self.refresh)
        bridge.stateChanged.connect(self._show_loading)
        theme.changed.connect(self._on_theme)
        self._show_icons()
        self.refresh()

    def refresh(self) -> None:
        """Show what is loaded and what the next reply will be."""
        loaded, params = self._bridge.loaded, self._next.params
        self.target.show_value(
            "No model loaded" if loaded is None else loaded.target.name,
            title="Target",
            tip="" if loaded is None else str(loaded.target.path),
            quiet=loaded is None,
        )
        name = figures.drafter_label(self._next.drafter)
        tip = ""
        if self._next.drafter == "draft-model" and loaded is not None and loaded.drafter is not None:
            name, tip = loaded.drafter.name, str(loaded.drafter.path)
        on = self._next.speculation
        self.drafter.show_value(name if on else "off", title="Drafter", tip=tip, quiet=not on)
        self.block.show_value(str(self._next.block), title="Draft length k", quiet=not on)
        rule = self._next.rule
        tip = rule.sentence
        if rule is RuleId.GREEDY_ARGMAX:
            tip += f" Above 0, rule={params.rule} is asked for."
        self.rule.show_value(f"rule={rule}", title="Acceptance rule", tip=tip, tinted=on, quiet=not on)
        temperature = params.sampling.temperature
        self.temperature.show_value(figures.temperature_label(temperature), title="Temperature")
        self.seed.show_value(figures.seed_label(params.seed), title="Seed", quiet=params.seed is None)
        show_number(self._k_field, self._next.block)
        show_number(self._temperature_field, temperature)
        if not self._seed_field.hasFocus():
            self._seed_field.setText("" if params.seed is None else str(params.seed))
        with QSignalBlocker(self.speculation):
            self.speculation.setChecked(on)
        for widget in self._settings:
            widget.setVisible(loaded is not None)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where room is scarce, labels give way before values do."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        # A long word gives way before any name does, the others once the names would lose too much.
        for longest, others in ((False, False), (True, False), (True, True)):
            for chip in self.chips:
                chip.set_compact(longest if chip is self.temperature else others)
            words = "Speculation on" if self.speculation.isChecked() else "Speculation off"
            self.speculation.setText("" if others else words)
            self.speculation.setToolTip(words)
            self.speculation.updateGeometry()
            shown = [w for w in (*self.chips, self.speculation, self.inspector, self.sidebar) if not w.isHidden()]
            whole = sum(max(w.sizeHint().width(), w.minimumWidth()) + 8 for w in shown) + 28
            least = sum(max(w.minimumSizeHint().width(), w.minimumWidth()) + 8 for w in shown) + 28
            if (whole if not longest else least + self._theme.px(150)) <= self.width():
                return

    def show_sidebar_button(self, on: bool) -> None:
        """While the sidebar is hidden, its button stands here."""
        self.sidebar.setVisible(on)

    def _show_loading(self) -> None:
        loading = self._bridge.loading
        self.target.show_progress(None if loading is None else loading.fraction, active=loading is not None)

    def _on_theme(self) -> None:
        self.setFixedHeight(self._theme.px(HEIGHT))
        self._show_icons()
        self.refresh()

    def _show_icons(self) -> None:
        self.sidebar.setIcon(self._theme.icon("panel-left", "text"))
        self.inspector.setIcon(self._theme.icon("panel-right", "text"))

    def _fill_rule(self) -> None:
        menu, asked = self.rule.menu(), self._next.params.rule
        menu.clear()

        def row(rule: RuleId) -> None:
            add_row(
                menu,
                self._theme,
                f"rule={rule}",
                rule.sentence if rule.lossless else f"Not lossless above temperature 0. {rule.sentence}",
                lambda: self._next.set_rule(rule),
                mono=True,
                ticked=rule is asked,
                alarming=not rule.lossless,
            )

        for rule in ASKABLE:
            row(rule)
