"""One trial on its way: what the engine is asked, and where each event it sends belongs."""

from __future__ import annotations

from dataclasses import replace

from draftlens.compare.comparison import Comparison
from draftlens.compare.files import Journal
from draftlens.compare.plan import Trial
from draftlens.core.commands import Arm, Compare
from draftlens.core.errors import UserError
from draftlens.core.events import Differed, ReplyEvent


class TrialRun:
    """Applies a trial's events to its comparison, and keeps them.

    Args:
        number: of the whole; the arms get the numbers after it.
        journal: where events are kept, None to keep nothing.

    Attributes:
        command: what the engine is asked; arms that came to their end before are left out.
        trouble: why the newest event could not be kept.
    """

    def __init__(
        self, comparison: Comparison, trial: Trial, number: int, journal: Journal | None, *, warm_up: bool
    ) -> None:
        self.comparison, self.trial, self._number, self._journal = comparison, trial, number, journal
        self.trouble: UserError | None = None
        plan = comparison.plan
        self.command = Compare(
            run=number,
            arms=tuple(
                Arm(comparison.request(trial, arm, number + 1 + arm), plan.arms[arm].draft_model)
                for arm in plan.order(trial)
                if not comparison.reply(trial.index, arm).over
            ),
            interleaved=plan.interleaved,
            warm_up=warm_up,
        )

    def arm_of(self, run: int) -> int | None:
        """Which arm an event is about, None if it is about none of this trial."""
        arm = run - self._number - 1
        return arm if 0 <= arm < len(self.comparison.plan.arms) else None

    def take(self, event: ReplyEvent) -> int | None:
        """Apply an event of an arm and return which arm that is."""
        arm = self.arm_of(event.run)
        if arm is not None:
            self.comparison.take(self.trial.index, arm, event)
            self._keep(arm, event)
        return arm

    def differ(self, event: Differed) -> None:
        """Apply what was found out about two greedy arms, which are named by their runs."""
        first, other = self.arm_of(event.first), self.arm_of(event.other)
        if first is None or other is None:
            return
        found = replace(event, first=first, other=other)
        self.comparison.differ(self.trial.index, found)
        if self._journal is not None:
            try:
                self._journal.differ(self.trial.index, found)
            except UserError as error:
                self.trouble = error

    def _keep(self, arm: int, event: ReplyEvent) -> None:
        if self._journal is not None:
            try:
                self._journal.take(self.trial.index, arm, event)
            except UserError as error:
                self.trouble = error
