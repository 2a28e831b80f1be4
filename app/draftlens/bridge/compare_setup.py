"""What the next comparison is asked to be: its arms, prompts, seeds and schedule, as the Compare screen sets them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from draftlens.compare.arms import FEWEST, MOST, ArmSettings
from draftlens.compare.plan import Plan, Prompt, seeds_from
from draftlens.compare.prompts import read_prompts
from draftlens.core.events import Loaded
from draftlens.core.params import DrafterKind, SamplingParams, SessionParams
from draftlens.core.rules import RuleId

DEFAULT_SEED = 1234
LENGTHS = (64, 128, 256, 512, 1024)


class CompareSetup(QObject):
    """Arms share what the toolbar sets; each may differ in rule, drafter, k and sampling."""

    changed = Signal()

    def __init__(self, params: SessionParams, parent: QObject | None = None) -> None:
        super().__init__(parent)
        base = replace(params, max_tokens=256, seed=None, candidates=0, closed_forms=True)
        base = replace(base, drafter="draft-model" if base.drafter == "none" else base.drafter)
        rules = (RuleId.SAMPLER_MATCH, RuleId.STOCHASTIC)
        self.arms: tuple[ArmSettings, ...] = tuple(ArmSettings(replace(base, rule=rule)) for rule in rules)
        self.seed = DEFAULT_SEED if params.seed is None else params.seed
        self.interleaved = True
        self.file: Path | None = None
        self.prompts: tuple[str, ...] = ()

    @property
    def base(self) -> SessionParams:
        """What is shown as shared: the first arm's."""
        return self.arms[0].params

    def follow(self, loaded: Loaded | None) -> None:
        """Arms that would draft with a model that is not there look up in the prompt instead, and the other way."""
        have = loaded is not None and loaded.drafter is not None
        wanted: DrafterKind = "draft-model" if have else "prompt-lookup"
        other = "prompt-lookup" if have else "draft-model"
        if loaded is not None and all(a.params.drafter == other and a.draft_model is None for a in self.arms):
            self._set(tuple(replace(a, params=replace(a.params, drafter=wanted)) for a in self.arms))

    def take(self, plan: Plan) -> None:
        """Take over a comparison's own settings, to run it again or otherwise."""
        self.seed, self.interleaved, self.arms = plan.seeds[0], plan.interleaved, plan.arms
        self.changed.emit()

    def add_arm(self) -> None:
        """Add an arm: one more drafter proposal length than the last, so that it differs."""
        if len(self.arms) < MOST:
            last = self.arms[-1]
            self._set((*self.arms, replace(last, params=replace(last.params, k=min(64, last.params.k + 2)))))

    def remove_arm(self, arm: int) -> None:
        """Leave an arm out."""
        if len(self.arms) > FEWEST:
            self._set(tuple(a for i, a in enumerate(self.arms) if i != arm))

    def set_arm(self, arm: int, settings: ArmSettings) -> None:
        """Change one arm."""
        self._set(tuple(settings if i == arm else a for i, a in enumerate(self.arms)))

    def set_k(self, k: int) -> None:
        """Set the block length of every arm."""
        self._each(lambda p: replace(p, k=k, lookup=replace(p.lookup, max_draft=k)))

    def set_temperature(self, value: float) -> None:
        """Set the temperature of every arm."""
        self._each(lambda p: replace(p, sampling=replace(p.sampling, temperature=value)))

    def set_sampling(self, sampling: SamplingParams) -> None:
        """Set the whole chain of every arm."""
        self._each(lambda p: replace(p, sampling=sampling))

    def set_length(self, tokens: int) -> None:
        """Set the longest reply of every arm."""
        self._each(lambda p: replace(p, max_tokens=tokens))

    def set_seed(self, seed: int | None) -> None:
        """Set the first seed; a comparison always has one."""
        self.seed = DEFAULT_SEED if seed is None else seed
        self.changed.emit()

    def set_interleaved(self, on: bool) -> None:
        """Let arms take rounds in turn, or one run after the other."""
        self.interleaved = on
        self.changed.emit()

    def open_prompts(self, path: Path) -> None:
        """Compare on a file's prompts instead of a typed one.

        Raises:
            UserError: it cannot be read.
        """
        self.prompts, self.file = read_prompts(path), path
        self.changed.emit()

    def close_prompts(self) -> None:
        """Go back to the typed prompt."""
        self.prompts, self.file = (), None
        self.changed.emit()

    def plan(self, typed: str, system: str, seeds: int) -> Plan:
        """The comparison as it is asked for.

        Raises:
            UserError: something is missing.
        """
        before = (("system", system),) if system else ()
        prompts = tuple(Prompt((*before, ("user", text))) for text in self.prompts or (typed,))
        return Plan(self.arms, prompts, seeds_from(self.seed, seeds), self.interleaved)

    def _each(self, change: Callable[[SessionParams], SessionParams]) -> None:
        self._set(tuple(replace(arm, params=change(arm.params)) for arm in self.arms))

    def _set(self, arms: tuple[ArmSettings, ...]) -> None:
        if arms != self.arms:
            self.arms = arms
            self.changed.emit()
