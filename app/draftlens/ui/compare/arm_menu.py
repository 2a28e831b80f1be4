"""What can be done with an arm: its rule, drafter, block length, sampling, and what becomes of its reply."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFileDialog, QMenu, QWidget

from draftlens.bridge.compare_setup import CompareSetup
from draftlens.compare.arms import FEWEST, LETTERS, ArmSettings
from draftlens.core.params import DrafterKind, SamplingParams
from draftlens.core.rules import ASKABLE
from draftlens.ui.compare.arm_sampling import ArmSampling
from draftlens.ui.theme import Theme
from draftlens.ui.toolbar.menu_row import add_row

_BLOCKS = (1, 2, 3, 4, 6, 8, 12)
_TEMPERATURES = (0.0, 0.5, 0.7, 1.0, 1.5)


class ArmMenu(QObject):
    """Fills an arm's menu anew whenever it opens."""

    useAsked = Signal(int)
    continueAsked = Signal(int)

    def __init__(self, theme: Theme, setup: CompareSetup, arm: int, menu: QMenu, home: QWidget) -> None:
        super().__init__(home)
        self._theme, self._setup, self._arm, self._menu, self._home = theme, setup, arm, menu, home
        self.can_change = True
        self.has_reply = False
        menu.aboutToShow.connect(self._fill)

    def sampling(self) -> None:
        """Open the arm's whole sampling chain."""
        ArmSampling(self._theme, self._setup, self._arm, self._home).show()

    def _fill(self) -> None:
        menu, theme, arm = self._menu, self._theme, self._arm
        menu.clear()
        if arm >= len(self._setup.arms):
            return
        settings = self._setup.arms[arm]
        for rule in ASKABLE:
            add_row(
                menu,
                theme,
                f"rule={rule}",
                rule.sentence if rule.lossless else f"Not lossless above temperature 0. {rule.sentence}",
                self._sets(settings, rule=rule),
                mono=True,
                ticked=rule is settings.params.rule,
                alarming=not rule.lossless,
                enabled=self.can_change,
            )
        menu.addSeparator()
        self._drafters(settings)
        self._numbers(settings)
        menu.addSeparator()
        letter = LETTERS[arm]
        use = menu.addAction("Use these settings in chat")
        use.triggered.connect(lambda: self.useAsked.emit(arm))
        go_on = menu.addAction("Continue from this reply")
        go_on.setEnabled(self.has_reply and self.can_change)
        go_on.triggered.connect(lambda: self.continueAsked.emit(arm))
        remove = menu.addAction(f"Remove arm {letter}")
        remove.setEnabled(self.can_change and len(self._setup.arms) > FEWEST)
        remove.triggered.connect(lambda: self._setup.remove_arm(arm))

    def _drafters(self, settings: ArmSettings) -> None:
        inner = self._menu.addMenu("Drafter")
        inner.setEnabled(self.can_change)
        choices: tuple[tuple[DrafterKind, str], ...] = (
            ("draft-model", "Draft model"),
            ("prompt-lookup", "Prompt lookup"),
            ("none", "None: plain decoding"),
        )
        for kind, words in choices:
            action = inner.addAction(words)
            action.setCheckable(True)
            action.setChecked(settings.params.drafter == kind and settings.draft_model is None)
            change = self._sets(replace(settings, draft_model=None), drafter=kind)
            action.triggered.connect(lambda _checked=False, change=change: change())
        if settings.draft_model is not None:
            own = inner.addAction(settings.draft_model.name)
            own.setCheckable(True)
            own.setChecked(True)
        inner.addSeparator()
        inner.addAction("Draft model of its own…").triggered.connect(lambda: self._open_drafter(settings))

    def _numbers(self, settings: ArmSettings) -> None:
        blocks = self._menu.addMenu(f"Block length k: {settings.block}")
        blocks.setEnabled(self.can_change and settings.params.drafter != "none")
        for k in _BLOCKS:
            action = blocks.addAction(str(k))
            action.setCheckable(True)
            action.setChecked(k == settings.block)
            lookup = replace(settings.params.lookup, max_draft=k)
            change = self._sets(settings, k=k, lookup=lookup)
            action.triggered.connect(lambda _checked=False, change=change: change())
        sampling = settings.params.sampling
        heats = self._menu.addMenu(f"Temperature: {sampling.temperature:g}")
        heats.setEnabled(self.can_change)
        for value in _TEMPERATURES:
            action = heats.addAction(f"{value:g}" if value else "0, greedy")
            action.setCheckable(True)
            action.setChecked(value == sampling.temperature)
            change = self._sets(settings, sampling=_at(sampling, value))
            action.triggered.connect(lambda _checked=False, change=change: change())
        chain = self._menu.addAction("Sampling…")
        chain.setEnabled(self.can_change)
        chain.triggered.connect(self.sampling)

    def _sets(self, settings: ArmSettings, **changes: object) -> Callable[[], None]:
        changed = replace(settings, params=replace(settings.params, **changes))  # type: ignore[arg-type]
        return lambda: self._setup.set_arm(self._arm, changed)

    def _open_drafter(self, settings: ArmSettings) -> None:
        folder = QFileDialog.getExistingDirectory(self._home, "Choose a draft model for this arm")
        if folder:
            params = replace(settings.params, drafter="draft-model")
            self._setup.set_arm(self._arm, ArmSettings(params, Path(folder)))


def _at(sampling: SamplingParams, temperature: float) -> SamplingParams:
    return replace(sampling, temperature=temperature)
