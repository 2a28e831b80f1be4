"""A comparison in the window: run trial by trial on the engine, kept as it grows, stopped, gone on with, reopened."""

from __future__ import annotations

import logging
import time
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.bridge.reply import Reply
from draftlens.bridge.state import Problem
from draftlens.compare import export, files
from draftlens.compare.about import about, check_models
from draftlens.compare.arms import LETTERS
from draftlens.compare.comparison import ArmReply, Comparison
from draftlens.compare.files import Journal, Saved
from draftlens.compare.plan import Plan
from draftlens.compare.run import TrialRun
from draftlens.core.commands import WARM_UP_TOKENS
from draftlens.core.errors import UserError
from draftlens.core.events import Compared, Differed, EngineDied, ReplyEvent

LOG = logging.getLogger("draftlens.bridge")

_FIRST_RUN = 1 << 40
"""Runs of comparisons count from here, those of chats from 1."""


class Comparing(QObject):
    """Owns the comparison in view and its file.

    Args:
        folder: where comparisons are kept.

    Attributes:
        comparison: what is in view, None before the first.
        trial: index of the trial whose texts are shown.
    """

    changed = Signal()
    opened = Signal()
    textChanged = Signal()
    figuresChanged = Signal()

    def __init__(self, bridge: EngineBridge, folder: Path, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge, self._folder = bridge, folder
        self.comparison: Comparison | None = None
        self.path: Path | None = None
        self.trial = 0
        self._follows = True
        self._running: TrialRun | None = None
        self._journal: Journal | None = None
        self._number = _FIRST_RUN
        self._stopped = False
        self._active = 0
        self._began = (0.0, 0.0)
        self._shown: dict[tuple[int, int], Reply] = {}
        bridge.comparisonEvent.connect(self._on_event)
        bridge.figuresChanged.connect(self._on_figures)

    @property
    def running(self) -> bool:
        """Whether a comparison is on its way."""
        return self._running is not None

    @property
    def can_resume(self) -> bool:
        """Whether the comparison in view was stopped before its end and can go on."""
        comparison = self.comparison
        if self.running or comparison is None or self.path is None or self.path.suffix != files.SUFFIX:
            return False
        return next(comparison.remaining, None) is not None

    @property
    def words(self) -> str:
        """What runs, for the foot of the sidebar."""
        if self.comparison is None:
            return ""
        if self.comparison.plan.interleaved:
            return "Comparing · interleaved"
        return f"Running arm {LETTERS[self._active]} · one at a time"

    @property
    def progress(self) -> str:
        """Which trial runs and how long all will still take."""
        comparison, running = self.comparison, self._running
        if comparison is None or running is None:
            return ""
        parts = []
        if comparison.plan.count > 1:
            parts.append(f"trial {running.trial.index + 1} of {comparison.plan.count}")
        share = comparison.done - self._began[1]
        if share > 0.02:
            seconds = (time.monotonic() - self._began[0]) / share * (1 - comparison.done)
            parts.append(f"about {seconds:.0f} s left" if seconds < 90 else f"about {seconds / 60:.0f} min left")
        return ", ".join(parts)

    def saved(self) -> list[Saved]:
        """The comparisons that are kept, newest first."""
        return files.saved(self._folder)

    def run(self, plan: Plan) -> None:
        """Begin a comparison; where it cannot be kept, that is said and it runs all the same."""
        loaded = self._bridge.loaded
        if self._bridge.running or not self._bridge.can_load or loaded is None:
            return
        self._bridge.dismiss()
        comparison = Comparison(plan, about(loaded, WARM_UP_TOKENS))
        self._journal = self.path = None
        try:
            path = files.new_path(self._folder, comparison)
            self._journal = Journal(path, comparison, new=True)
            self.path = path
        except UserError as error:
            self._report("This comparison is not kept", error)
        self._show(comparison)
        self._start()

    def resume(self) -> None:
        """Go on with the comparison in view where it was stopped."""
        if not self.can_resume or self.path is None or self.comparison is None or self._bridge.running:
            return
        if self._bridge.loaded is None:
            return
        self._bridge.dismiss()
        try:
            check_models(self.comparison.about, self._bridge.loaded)
            self._journal = Journal(self.path, self.comparison, new=False)
        except UserError as error:
            self._report("The comparison cannot go on", error)
            return
        self._shown.clear()
        self._start()

    def stop(self) -> None:
        """End the comparison after the running round; what was run is kept."""
        if self.running:
            self._stopped = True
            self._bridge.stop()

    def open(self, path: Path) -> bool:
        """Show a comparison from a file; return whether it could be read."""
        if self.running:
            return False
        try:
            comparison = files.read(path)
        except UserError as error:
            self._report("The comparison was not opened", error)
            return False
        self.path = path
        self._show(comparison)
        self.opened.emit()
        return True

    def write(self, path: Path) -> bool:
        """Export the comparison in view; return whether it could be written."""
        if self.comparison is None:
            return False
        try:
            export.write(self.comparison, path)
        except UserError as error:
            self._report("The comparison was not exported", error)
            return False
        return True

    def show_trial(self, trial: int) -> None:
        """Show another trial's texts; while it runs, the one that runs is shown until another is chosen."""
        self._follows = self._running is not None and trial == self._running.trial.index
        if trial != self.trial:
            self.trial = trial
            self.changed.emit()

    def reply(self, arm: int) -> Reply | None:
        """An arm's reply in the trial shown, as the columns show it."""
        comparison = self.comparison
        if comparison is None or arm >= len(comparison.plan.arms):
            return None
        key = (self.trial, arm)
        if key not in self._shown:
            self._shown[key] = _displayed(comparison.reply(*key), comparison, arm)
        return self._shown[key]

    def close(self) -> None:
        """The window closes: what came so far is on disk already."""
        self._end()

    def _show(self, comparison: Comparison) -> None:
        self.comparison, self.trial, self._follows = comparison, 0, True
        self._shown.clear()
        self.changed.emit()

    def _start(self) -> None:
        assert self.comparison is not None
        self._stopped = False
        self._began = (time.monotonic(), self.comparison.done)
        self._next(warm_up=True)

    def _next(self, *, warm_up: bool = False) -> None:
        comparison = self.comparison
        trial = None if comparison is None or self._stopped else next(comparison.remaining, None)
        if comparison is None or trial is None or (self._running is not None and trial == self._running.trial):
            self._end()
            return
        self._number += len(comparison.plan.arms) + 1
        self._running = TrialRun(comparison, trial, self._number, self._journal, warm_up=warm_up)
        self._active = comparison.plan.order(trial)[0]
        if self._follows:
            self.trial = trial.index
        self._bridge.compare(self._running.command, self.words)
        self.changed.emit()

    def _end(self) -> None:
        was, self._running = self._running, None
        if self._journal is not None:
            try:
                self._journal.close()
            except UserError as error:
                self._report("The comparison was not kept whole", error)
            self._journal = None
        if was is not None:
            self._bridge.end_comparing()
        self.changed.emit()

    def _on_event(self, event: object) -> None:
        running = self._running
        if running is None:
            return
        match event:
            case Differed() if event.run == running.command.run:
                running.differ(event)
            case Compared() if event.run == running.command.run:
                if event.sentence is not None:
                    self._report("The comparison did not run", UserError(event.sentence, event.next_step))
                    self._stopped = True
                self._next()
            case EngineDied():
                self._end()
            case Compared() | Differed():
                pass
            case _:
                self._on_reply(running, event)  # type: ignore[arg-type]
        if running.trouble is not None and not self._stopped:
            self._report("The comparison was stopped", running.trouble)
            self.stop()

    def _on_reply(self, running: TrialRun, event: ReplyEvent) -> None:
        arm = running.arm_of(event.run)
        if arm is None:
            return
        shown = self._shown.get((running.trial.index, arm))
        running.take(event)
        if arm != self._active:
            self._active = arm
            self._bridge.comparing = self.words
            if not running.comparison.plan.interleaved:
                self._bridge.stateChanged.emit()
        if shown is not None:
            shown.take(event)
        if running.trial.index == self.trial:
            self.textChanged.emit()

    def _on_figures(self) -> None:
        if self.running:
            self.figuresChanged.emit()

    def _report(self, title: str, error: UserError) -> None:
        words = error.sentence if error.next_step is None else f"{error.sentence} {error.next_step}"
        self._bridge.report(Problem(title, words, warning=True))


def _displayed(kept: ArmReply, comparison: Comparison, arm: int) -> Reply:
    made = Reply(0, comparison.plan.arms[arm].params, f"arm {LETTERS[arm]}")
    for event in kept.events():
        made.take(event)
    return made
