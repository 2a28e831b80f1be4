"""What the next reply is asked to be: the toolbar writes it, the bridge reads it when a prompt is sent."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, Signal

from draftlens.core.params import DrafterKind, SessionParams
from draftlens.core.rules import RuleId


class NextReply(QObject):
    """Settings of the next reply. Speculation off is the drafter that proposes nothing, with the choice remembered."""

    changed = Signal()

    def __init__(self, params: SessionParams, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._choice: DrafterKind = "draft-model" if params.drafter == "none" else params.drafter
        self._speculation = params.drafter != "none"
        self._params = params

    @property
    def params(self) -> SessionParams:
        """The settings as the engine takes them."""
        return replace(self._params, drafter=self._choice if self._speculation else "none")

    @property
    def speculation(self) -> bool:
        """Whether anything is to be drafted."""
        return self._speculation

    @property
    def drafter(self) -> DrafterKind:
        """The drafter chosen, also while speculation is off."""
        return self._choice

    @property
    def block(self) -> int:
        """The longest block the chosen drafter proposes: k, or the lookup's own limit."""
        return self._params.lookup.max_draft if self._choice == "prompt-lookup" else self._params.k

    @property
    def rule(self) -> RuleId:
        """The rule that is asked for, or the one temperature 0 leaves no choice about."""
        return RuleId.GREEDY_ARGMAX if self._params.sampling.greedy else self._params.rule

    def take(self, params: SessionParams) -> None:
        """Take over all settings at once, as those of another chat; a drafter switched off keeps its choice."""
        if params != self.params:
            self._speculation = params.drafter != "none"
            if params.drafter != "none":
                self._choice = params.drafter
            self._params = params
            self.changed.emit()

    def set_speculation(self, on: bool) -> None:
        """Draft, or let the target decode alone."""
        if on != self._speculation:
            self._speculation = on
            self.changed.emit()

    def set_drafter(self, kind: DrafterKind) -> None:
        """Choose who proposes; "none" is speculation off."""
        if kind == "none":
            self.set_speculation(False)
        elif (kind, True) != (self._choice, self._speculation):
            self._choice, self._speculation = kind, True
            self.changed.emit()

    def set_block(self, length: int) -> None:
        """Set the block length of the drafter chosen."""
        if self._choice == "prompt-lookup":
            self._set(replace(self._params, lookup=replace(self._params.lookup, max_draft=length)))
        else:
            self._set(replace(self._params, k=length))

    def set_rule(self, rule: RuleId) -> None:
        """Ask for an acceptance rule."""
        self._set(replace(self._params, rule=rule))

    def set_temperature(self, value: float) -> None:
        """Set the target's temperature; 0 is greedy."""
        self._set(replace(self._params, sampling=replace(self._params.sampling, temperature=value)))

    def set_seed(self, seed: int | None) -> None:
        """Fix the seed, or draw a new one for every reply."""
        self._set(replace(self._params, seed=seed))

    def _set(self, params: SessionParams) -> None:
        if params != self._params:
            self._params = params
            self.changed.emit()
