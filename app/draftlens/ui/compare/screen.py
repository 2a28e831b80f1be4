"""The Compare screen: bar, prompt, two to four columns, and the table at the bottom."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeySequence, QResizeEvent, QShortcut
from PySide6.QtWidgets import QFileDialog, QFrame, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from draftlens.bridge.compare_setup import CompareSetup
from draftlens.bridge.comparing import Comparing
from draftlens.bridge.continuing import continue_from, use_settings
from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.bridge.state import Problem
from draftlens.compare.verdicts import text_verdict
from draftlens.core.errors import UserError
from draftlens.ui.banner import Banner
from draftlens.ui.chat.formats import Formats
from draftlens.ui.chat.formulas import Formulas
from draftlens.ui.compare.arm_column import ArmColumn
from draftlens.ui.compare.bar import CompareBar
from draftlens.ui.compare.prompt_row import PromptRow
from draftlens.ui.compare.results import Results
from draftlens.ui.focus_order import compare_order, set_order
from draftlens.ui.theme import Theme

_LEAST = 290
"""A column narrower than this would not be read; the columns scroll sideways instead."""


class CompareScreen(QWidget):
    """Joins setup, running comparison and what shows them."""

    chatAsked = Signal()
    openTarget = Signal()
    startDemo = Signal()
    sidebarAsked = Signal()

    def __init__(self, theme: Theme, bridge: EngineBridge, folder: Path, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._theme, self._bridge = theme, bridge
        self.setup = CompareSetup(bridge.next_reply.params, self)
        self.comparing = Comparing(bridge, folder, self)
        self._formats, self._formulas = Formats(theme), Formulas(self)
        theme.changed.connect(self._formats.clear)
        self.bar = CompareBar(theme, bridge, self.setup, self.comparing)
        self.prompt = PromptRow(theme, self.setup)
        self.results = Results(theme, self.comparing)
        self.columns: list[ArmColumn] = []
        self._row = QWidget()
        self._across = QHBoxLayout(self._row)
        self._across.setContentsMargins(0, 0, 0, 0)
        self._across.setSpacing(0)
        self._scroll = QScrollArea()
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(self._row)
        self.empty = QLabel(
            "Type a prompt and run it: every arm answers it side by side, and the table says what may be concluded."
        )
        self.empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.empty.setWordWrap(True)
        self.empty.setProperty("tone", "3")
        self.empty.setContentsMargins(40, 16, 40, 16)
        self.banner = Banner(theme)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.bar)
        column.addWidget(self.banner)
        column.addWidget(self.prompt)
        column.addWidget(self._scroll, 1)
        column.addWidget(self.empty)
        column.addWidget(self.results)
        self._join()
        self.refresh()

    def refresh(self) -> None:
        """Show setup, comparison and state as they are."""
        comparison, running = self.comparing.comparison, self.comparing.running
        fits = comparison is not None and comparison.plan.arms == self.setup.arms
        self._fill_columns(len(self.setup.arms))
        for arm, column in enumerate(self.columns):
            kept = self.comparing.reply(arm) if fits else None
            column.show_arm(
                self.setup.arms[arm],
                can_change=not running and not self._bridge.running,
                has_reply=kept is not None and bool(kept.rounds),
            )
            column.show_reply(kept)
        ready = self._bridge.loaded is not None and self._bridge.can_load
        self.prompt.show_state(ready=ready, running=running)
        self.empty.setVisible(not fits)
        self.results.show_comparison()
        self.results.setVisible(fits)
        self._show_figures()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """A low window keeps room for the texts."""
        super().resizeEvent(event)
        self.results.table.set_low(self.height() < self._theme.px(760))

    def set_tinted(self, on: bool) -> None:
        """Show or hide where the tokens came from."""
        for column in self.columns:
            column.page.set_tinted(on)
        with QSignalBlocker(self.bar.provenance):
            self.bar.provenance.setChecked(on)

    def run(self, seeds: int = 1) -> None:
        """Run every arm on the prompt, at one seed or several."""
        if not self.prompt.run.isEnabled():
            return
        system = self._bridge.chat.conversation.system_prompt
        system = self._bridge.system if system is None else system
        try:
            plan = self.setup.plan(self.prompt.text, system, seeds)
        except UserError as error:
            self._report("Nothing was compared", error)
            return
        self.comparing.run(plan)

    def open(self, path: Path) -> bool:
        """Show a comparison from a file."""
        return self.comparing.open(path)

    def export(self, suffix: str) -> None:
        """Ask for a file and export to it."""
        comparison = self.comparing.comparison
        if comparison is None:
            return
        stem = "comparison" if self.comparing.path is None else self.comparing.path.stem
        chosen, _ = QFileDialog.getSaveFileName(self, "Export comparison", f"{stem}{suffix}", f"*{suffix}")
        if chosen:
            path = Path(chosen)
            self.comparing.write(path if path.suffix.lower() == suffix else path.with_name(path.name + suffix))

    def _join(self) -> None:
        bridge, comparing = self._bridge, self.comparing
        self.prompt.runAsked.connect(self.run)
        self.prompt.stopAsked.connect(comparing.stop)
        self.bar.exportAsked.connect(self.export)
        self.bar.openAsked.connect(self._choose_comparison)
        self.bar.promptsAsked.connect(self._choose_prompts)
        self.bar.openTarget.connect(self.openTarget)
        self.bar.startDemo.connect(self.startDemo)
        self.bar.sidebarAsked.connect(self.sidebarAsked)
        self.bar.provenance.toggled.connect(self.set_tinted)
        self.results.trialChosen.connect(comparing.show_trial)
        self.setup.changed.connect(self.refresh)
        comparing.changed.connect(self.refresh)
        comparing.opened.connect(self._on_opened)
        comparing.textChanged.connect(self._on_text)
        comparing.figuresChanged.connect(self._show_figures)
        self.banner.follow(bridge)
        bridge.stateChanged.connect(self._show_state)
        bridge.modelChanged.connect(self._on_model)
        run = QShortcut(QKeySequence("Ctrl+Return"), self)
        run.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        run.activated.connect(self.run)

    def _fill_columns(self, count: int) -> None:
        if len(self.columns) == count:
            return
        while len(self.columns) > count:
            column = self.columns.pop()
            column.hide()
            column.deleteLater()
        while len(self.columns) < count:
            made = ArmColumn(self._theme, self.setup, len(self.columns), self._formats, self._formulas)
            made.setMinimumWidth(self._theme.px(_LEAST))
            made.page.set_tinted(self.bar.provenance.isChecked())
            made.useAsked.connect(self._use)
            made.continueAsked.connect(self._continue)
            self.columns.append(made)
            self._across.addWidget(made, 1)
        set_order(compare_order(self))

    def _on_opened(self) -> None:
        comparison = self.comparing.comparison
        if comparison is not None:
            # What it was asked is shown, to be run again or otherwise.
            self.setup.close_prompts()
            self.prompt.show_prompt(comparison.plan.prompts[0].text)
            self.setup.take(comparison.plan)

    def _on_text(self) -> None:
        for arm, column in enumerate(self.columns):
            column.show_reply(self.comparing.reply(arm))

    def _show_figures(self) -> None:
        comparison = self.comparing.comparison
        fits = comparison is not None and len(comparison.plan.arms) == len(self.columns)
        for column in self.columns:
            column.show_figures()
        height = max(column.strip.minimumHeight() for column in self.columns)
        for arm, column in enumerate(self.columns):
            column.align_rounds(height)
            if comparison is None or not fits:
                continue
            verdict = text_verdict(comparison, self.comparing.trial, arm or 1)
            others = [text_verdict(comparison, self.comparing.trial, a) for a in range(1, len(self.columns))]
            if arm == 0:
                parted = [v for v in others if v.position is not None]
                verdict = min(parted, key=lambda v: v.position or 0) if parted else verdict
            column.page.flag(verdict.position, verdict.flag)
        if comparison is not None and self.results.isVisible():
            self.results.refresh_soon()

    def _show_state(self) -> None:
        ready = self._bridge.loaded is not None and self._bridge.can_load
        self.prompt.show_state(ready=ready, running=self.comparing.running)

    def _on_model(self) -> None:
        self.setup.follow(self._bridge.loaded)
        self.refresh()

    def _use(self, arm: int) -> None:
        settings = self.setup.arms[arm]
        use_settings(self._bridge, settings.params)
        loaded = self._bridge.loaded
        own = settings.draft_model
        if own is not None and loaded is not None and (loaded.drafter is None or loaded.drafter.path != own):
            self._bridge.load_drafter(own)
        self.chatAsked.emit()

    def _continue(self, arm: int) -> None:
        comparison = self.comparing.comparison
        if comparison is None:
            return
        trial = list(comparison.plan.trials)[self.comparing.trial]
        kept, prompt = comparison.reply(trial.index, arm), comparison.plan.prompts[trial.prompt]
        if continue_from(self._bridge, prompt, kept, comparison.plan.params(trial, arm)):
            self.chatAsked.emit()

    def _choose_comparison(self) -> None:
        chosen, _ = QFileDialog.getOpenFileName(self, "Open comparison", "", "Comparisons (*.jsonl *.json)")
        if chosen:
            self.open(Path(chosen))

    def _choose_prompts(self) -> None:
        chosen, _ = QFileDialog.getOpenFileName(self, "Prompt set", "", "Prompts (*.txt *.json *.jsonl);;All files (*)")
        if chosen:
            try:
                self.setup.open_prompts(Path(chosen))
            except UserError as error:
                self._report("The prompts were not read", error)

    def _report(self, title: str, error: UserError) -> None:
        words = error.sentence if error.next_step is None else f"{error.sentence} {error.next_step}"
        self._bridge.report(Problem(title, words, warning=True))
