"""The lower part of the screen: what the comparison says so far, and how far it may be trusted."""

from __future__ import annotations

import time
from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QComboBox, QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from draftlens.bridge.comparing import Comparing
from draftlens.compare.arms import LETTERS
from draftlens.compare.cells import rows
from draftlens.compare.comparison import Comparison
from draftlens.compare.readings import basis, notes
from draftlens.compare.same_law import FEWEST, law_check
from draftlens.compare.table import Table, table
from draftlens.compare.verdicts import text_sentence
from draftlens.ui.compare.results_table import ResultsTable
from draftlens.ui.eliding_label import ElidingLabel
from draftlens.ui.theme import Theme

EVERY_S = 1.0
_WIDE = 1160
"""Narrower than this the table shows the two arms that are held against each other, and no others."""
_KINDS = {"error": "bad", "warning": "caution", "ok": "good"}


class Results(QFrame):
    """One pair of arms at a time: the first and the one chosen."""

    trialChosen = Signal(int)

    def __init__(self, theme: Theme, comparing: Comparing, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._comparing = theme, comparing
        self._shown_at = 0.0
        self.setProperty("kind", "results")
        self.title = QLabel("Comparison")
        self.title.setProperty("scale", "heading")
        self.badge = QLabel()
        self.badge.setProperty("kind", "live")
        self.badge.hide()
        self.note = QFrame()
        self.sentence = ElidingLabel()
        self.sentence.setProperty("tone", "2")
        self.sentence.setProperty("scale", "small")
        self._inside = QHBoxLayout(self.note)
        self._inside.setContentsMargins(0, 2, 0, 2)
        self._inside.addWidget(self.sentence)
        self.pair, self.trials = QComboBox(), QComboBox()
        for choice in (self.pair, self.trials):
            choice.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToContents)
        self.pair.setAccessibleName("Arm held against A")
        self.trials.setAccessibleName("Trial whose texts are shown")
        self.pair.currentIndexChanged.connect(self.refresh)
        self.trials.activated.connect(self.trialChosen)
        self.ratio = QLabel("sum_min / sum_prod")
        self.ratio.setProperty("tone", "2")
        self.ratio.setProperty("scale", "small")
        self.headroom = QLabel()
        self.headroom.setProperty("kind", "headroom")
        self.headroom.setToolTip("sum_min / sum_prod: the most a throughput test could show.")
        self.table = ResultsTable(theme)
        self.foot = ElidingLabel()
        self.foot.setProperty("tone", "3")
        self.foot.setProperty("scale", "caption")
        top = QHBoxLayout()
        top.setSpacing(8)
        top.addWidget(self.title)
        top.addWidget(self.badge)
        top.addWidget(self.note)
        top.addStretch(1)
        for part in (self.pair, self.trials, self.ratio, self.headroom):
            top.addWidget(part)
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 8, 24, 6)
        column.setSpacing(4)
        column.addLayout(top)
        column.addWidget(self.table)
        column.addWidget(self.foot)

    def show_comparison(self) -> None:
        """Another comparison is in view, or another trial of it."""
        comparison = self._comparing.comparison
        self.setVisible(comparison is not None)
        if comparison is None:
            return
        arms, trials = len(comparison.plan.arms), list(comparison.plan.trials)
        names = [f"{LETTERS[arm]} − A" for arm in range(1, arms)]
        if [self.pair.itemText(i) for i in range(self.pair.count())] != names:
            self.pair.blockSignals(True)
            self.pair.clear()
            self.pair.addItems(names)
            self.pair.blockSignals(False)
        self.pair.setVisible(arms > 2)
        labels = [_trial_label(comparison, t.index) for t in trials]
        if [self.trials.itemText(i) for i in range(self.trials.count())] != labels:
            self.trials.clear()
            self.trials.addItems(labels)
        self.trials.setCurrentIndex(self._comparing.trial)
        self.trials.setVisible(len(trials) > 1)
        self.refresh()

    def refresh_soon(self) -> None:
        """Show the figures while they run: resampling takes a frame or two, so not with every update of the texts."""
        if time.monotonic() - self._shown_at >= EVERY_S:
            self.refresh()

    def refresh(self) -> None:
        """Show the figures as they are now."""
        comparison = self._comparing.comparison
        if comparison is None:
            return
        self._shown_at = time.monotonic()
        shown, arm = table(comparison), max(0, self.pair.currentIndex()) + 1
        narrow = self.width() < self._theme.px(_WIDE)
        listed = (0, arm) if narrow else range(len(shown.totals))
        heads = ["metric", *(f"{LETTERS[i]} {shown.totals[i].rule or 'no rule yet'}" for i in listed)]
        heads += [f"Δ ({LETTERS[arm]} − A)", "95% CI of Δ", "\u2002\u2009reading"]
        made = [replace(row, values=tuple(row.values[i] for i in listed)) for row in rows(shown, comparison, arm)]
        self.table.show_rows(made, heads)
        self.headroom.setVisible(shown.headroom is not None)
        self.ratio.setVisible(shown.headroom is not None)
        if shown.headroom is not None:
            self.headroom.setText(f"headroom {shown.headroom:.2f}×")
        self.foot.show_text(_foot(shown, comparison, self._comparing.trial, arm))
        self._show_note(shown, comparison)
        self._show_badge(comparison)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where room is scarce the ratio's name goes first; the number says it in its tooltip."""
        super().resizeEvent(event)
        self.ratio.setMaximumWidth(0 if self.width() < self._theme.px(900) else 16777215)
        if self._comparing.comparison is not None:
            self.refresh()

    def _show_note(self, shown: Table, comparison: Comparison) -> None:
        found = notes(shown, comparison)
        first = found[0] if found else None
        kind = "" if first is None else _KINDS.get(first.tone, "")
        self.sentence.show_text("" if first is None else first.sentence)
        self.sentence.setToolTip("\n".join(note.sentence for note in found))
        if self.note.property("kind") != kind:
            self.note.setProperty("kind", kind)
            self._inside.setContentsMargins(8 if kind else 0, 2, 8 if kind else 0, 2)
            for part in (self.note, self.sentence):
                part.style().unpolish(part)
                part.style().polish(part)

    def _show_badge(self, comparison: Comparison) -> None:
        comparing = self._comparing
        if comparing.running:
            progress = comparing.progress
            self.badge.setText(f"running, {progress}" if progress else "running, numbers so far")
        else:
            missing = len(list(comparison.remaining))
            self.badge.setText(f"stopped early, {comparison.plan.count - missing} of {comparison.plan.count} trials")
        self.badge.setVisible(comparing.running or next(comparison.remaining, None) is not None)


def _trial_label(comparison: Comparison, index: int) -> str:
    trial = list(comparison.plan.trials)[index]
    prompt = f" · prompt {trial.prompt + 1}" if len(comparison.plan.prompts) > 1 else ""
    return f"seed {trial.seed}{prompt}"


def _foot(shown: Table, comparison: Comparison, trial: int, arm: int) -> str:
    """What the intervals rest on, where the texts of the trial shown part, and whether the arms sample the same."""
    parts = [basis(shown, comparison), text_sentence(comparison, trial, arm)]
    if len(comparison.complete) >= FEWEST:
        parts.append(law_check(comparison, arm, 1).sentence)
    return " · ".join(parts)
