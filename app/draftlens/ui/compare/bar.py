"""The bar of the Compare screen: what all arms share, and what can be taken away from it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QSize, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QPushButton, QToolButton

from draftlens.bridge import figures
from draftlens.bridge.compare_setup import LENGTHS, CompareSetup
from draftlens.bridge.comparing import Comparing
from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.compare.arms import MOST
from draftlens.core.params import MAX_DRAFT
from draftlens.ui.number_field import show_number
from draftlens.ui.switch import Switch
from draftlens.ui.theme import Theme
from draftlens.ui.toolbar.chip import Chip
from draftlens.ui.toolbar.menu_row import add_row
from draftlens.ui.toolbar.setting_popup import decimal_popup, integer_popup, seed_popup
from draftlens.ui.toolbar.toolbar import HEIGHT

_SAVED = 12
"""How many saved comparisons the menu lists; older ones are opened from their files."""


class CompareBar(QFrame):
    """Title, chips, provenance, exports, and a menu with the rest."""

    exportAsked = Signal(str)
    openAsked = Signal()
    openTarget = Signal()
    startDemo = Signal()
    promptsAsked = Signal()
    sidebarAsked = Signal()

    def __init__(self, theme: Theme, bridge: EngineBridge, setup: CompareSetup, comparing: Comparing) -> None:
        super().__init__()
        self.setObjectName("toolbar")
        self._theme, self._bridge, self._setup, self._comparing = theme, bridge, setup, comparing
        self.sidebar = QToolButton()
        self.sidebar.setFixedSize(28, 28)
        self.sidebar.setAccessibleName("Show the sidebar")
        self.sidebar.setToolTip("Show the sidebar")
        self.sidebar.clicked.connect(self.sidebarAsked)
        self.sidebar.hide()
        self.title = QLabel("Compare rules")
        self.title.setProperty("scale", "title")
        self.pair = Chip(theme, "chipPair", "Pair", elides=True)
        self.block = Chip(theme, "chipCompareK", "k", mono=True)
        self.temperature = Chip(theme, "chipCompareTemp", "Temperature", mono=True)
        self.seed = Chip(theme, "chipCompareSeed", "Seed", mono=True)
        self.pair.set_short("")
        self.temperature.set_short("T")
        self.provenance = Switch(theme, "Provenance")
        self.provenance.setToolTip("Tint each token by where it came from")
        self.csv, self.json = QPushButton(" Export CSV"), QPushButton("Export JSON")
        self.csv.setAccessibleName("Export CSV")
        self.csv.clicked.connect(lambda: self.exportAsked.emit(".csv"))
        self.json.clicked.connect(lambda: self.exportAsked.emit(".json"))
        self.more = QToolButton()
        self.more.setObjectName("more")
        self.more.setFixedSize(28, 28)
        self.more.setAccessibleName("More")
        self.more.setToolTip("Arms, schedule, length, report, saved comparisons")
        self.more.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.more.setMenu(QMenu(self.more))
        self.more.menu().aboutToShow.connect(self._fill_more)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 0, 12, 0)
        row.setSpacing(8)
        for part in (self.sidebar, self.title, self.pair, self.block, self.temperature, self.seed):
            row.addWidget(part)
        row.addStretch(1)
        for button in (self.provenance, self.csv, self.json, self.more):
            row.addWidget(button)
        self.pair.menu().aboutToShow.connect(self._fill_pair)
        note = "Tokens proposed per round, at most, in every arm; an arm's own menu sets its own."
        self._k = integer_popup(self.block.menu(), "Draft length k", note, 1, MAX_DRAFT, setup.set_k)
        note = "0 is greedy: every arm must then write the same."
        self._temperature = decimal_popup(self.temperature.menu(), "Temperature", note, 0, 100, setup.set_temperature)
        self._seed = seed_popup(self.seed.menu(), setup.set_seed)
        setup.changed.connect(self.refresh)
        bridge.modelChanged.connect(self.refresh)
        bridge.stateChanged.connect(self.refresh)
        comparing.changed.connect(self.refresh)
        theme.changed.connect(self._dress)
        self._dress()
        self.refresh()

    def refresh(self) -> None:
        """Show what is loaded and what is shared."""
        loaded, setup = self._bridge.loaded, self._setup
        names = "No model loaded"
        if loaded is not None:
            names = loaded.target.name
            if loaded.drafter is not None:
                names += f" + {loaded.drafter.name}"
        self.pair.show_value(names, title="Models", quiet=loaded is None)
        blocks = sorted({arm.block for arm in setup.arms if arm.block})
        self.block.show_value(", ".join(map(str, blocks)) or figures.DASH, title="Draft length k")
        heats = sorted({arm.params.sampling.temperature for arm in setup.arms})
        self.temperature.show_value(", ".join(map(figures.temperature_label, heats)), title="Temperature")
        self.seed.show_value(str(setup.seed), title="First seed")
        show_number(self._k, blocks[0] if blocks else 4)
        show_number(self._temperature, heats[0])
        if not self._seed.hasFocus():
            self._seed.setText(str(setup.seed))
        running = self._comparing.running
        for chip in (self.pair, self.block, self.temperature, self.seed):
            chip.setEnabled(not running)
        has = self._comparing.comparison is not None
        self.csv.setEnabled(has)
        self.json.setEnabled(has)
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where room is scarce, labels and the words of the switch give way; exports go into the menu."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        chips = (self.pair, self.block, self.temperature, self.seed)
        for step in range(4):
            for chip in chips:
                chip.set_compact(step > 0)
            self.provenance.setText("" if step > 1 else "Provenance")
            self.provenance.updateGeometry()
            for button in (self.csv, self.json):
                button.setVisible(step < 3)
            shown = (self.sidebar, self.title, *chips, self.provenance, self.csv, self.json, self.more)
            hints = (w.minimumSizeHint() if w is self.pair else w.sizeHint() for w in shown if not w.isHidden())
            needed = sum(max(28, hint.width()) + 8 for hint in hints) + 44
            if needed + (0 if step else self._theme.px(120)) <= self.width():
                return

    def _dress(self) -> None:
        self.setFixedHeight(self._theme.px(HEIGHT))
        self.sidebar.setIcon(self._theme.icon("panel-left", "text"))
        self.more.setIcon(self._theme.icon("more", "text2"))
        for button in (self.csv,):
            button.setIcon(self._theme.icon("arrow-down", "text2", 14))
            button.setIconSize(QSize(14, 14))

    def _fill_pair(self) -> None:
        menu, free = self.pair.menu(), self._bridge.can_load
        menu.clear()
        demo = "SmolLM2-135M-Instruct and the small drafter made for it. Fetched once, about 93 MB."
        add_row(menu, self._theme, "Demo pair", demo, self.startDemo.emit, enabled=free)
        folder = "A model folder. The weights are loaded once and shared by all arms."
        add_row(menu, self._theme, "Open folder…", folder, self.openTarget.emit, enabled=free)

    def _fill_more(self) -> None:
        menu, setup, comparing = self.more.menu(), self._setup, self._comparing
        menu.clear()
        free, has = not comparing.running, comparing.comparison is not None
        theme = self._theme
        add = menu.addAction("Add arm")
        add.setEnabled(free and len(setup.arms) < MOST)
        add.triggered.connect(setup.add_arm)
        menu.addSeparator()
        turns = "Arms take rounds in turn: both stream together, and what slows the machine slows all alike."
        add_row(menu, theme, "Interleaved", turns, self._schedules(True), ticked=setup.interleaved, enabled=free)
        alone = "One arm after the other, the first one changing from trial to trial; each has the machine alone."
        add_row(menu, theme, "One at a time", alone, self._schedules(False), ticked=not setup.interleaved, enabled=free)
        lengths = menu.addMenu(f"Longest reply: {setup.base.max_tokens} tokens")
        lengths.setEnabled(free)
        for length in LENGTHS:
            action = lengths.addAction(str(length))
            action.setCheckable(True)
            action.setChecked(length == setup.base.max_tokens)
            action.triggered.connect(lambda _checked=False, length=length: setup.set_length(length))
        menu.addSeparator()
        prompts = menu.addAction("Prompt set from file…" if setup.file is None else "Type a prompt instead")
        prompts.setEnabled(free)
        prompts.triggered.connect(self.promptsAsked if setup.file is None else setup.close_prompts)
        menu.addSeparator()
        for words, suffix in (("Export CSV…", ".csv"), ("Export JSON…", ".json"), ("Export report…", ".html")):
            action = menu.addAction(words)
            action.setEnabled(has)
            action.triggered.connect(lambda _checked=False, suffix=suffix: self.exportAsked.emit(suffix))
        menu.addSeparator()
        resume = menu.addAction("Go on with this comparison")
        resume.setEnabled(comparing.can_resume and self._bridge.loaded is not None)
        resume.triggered.connect(comparing.resume)
        self._fill_saved(menu, enabled=free)
        opened = menu.addAction("Open comparison…")
        opened.setEnabled(free)
        opened.triggered.connect(self.openAsked)

    def _fill_saved(self, menu: QMenu, *, enabled: bool) -> None:
        inner = menu.addMenu("Saved comparisons")
        found = self._comparing.saved()
        inner.setEnabled(enabled and bool(found))
        for item in found[:_SAVED]:
            title = item.title if len(item.title) <= 44 else f"{item.title[:43]}…"
            when = item.created[:16].replace("T", " ")
            add_row(inner, self._theme, title, f"{when} · {item.arms}", self._opens(item.path))

    def _opens(self, path: Path) -> Callable[[], None]:
        def show() -> None:
            self._comparing.open(path)

        return show

    def _schedules(self, interleaved: bool) -> Callable[[], None]:
        return lambda: self._setup.set_interleaved(interleaved)
