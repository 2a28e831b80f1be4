"""One position in full: what was drafted and emitted, the accept test, the odds of the likeliest tokens."""

from __future__ import annotations

import sys

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QScrollArea,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from draftlens.bridge import figures
from draftlens.bridge.branching import alternatives
from draftlens.bridge.positions import Position, position_of
from draftlens.bridge.selection import Selection
from draftlens.core.round import Fate
from draftlens.core.rules import RuleId
from draftlens.ui.inspector import bars
from draftlens.ui.inspector.accept_test import AcceptTest
from draftlens.ui.inspector.bars import Bars
from draftlens.ui.inspector.parts import BarLegend, Figure, TokenName, heading
from draftlens.ui.inspector.twin import Twin
from draftlens.ui.theme import Theme

NOTHING = "Choose a token in the reply, or a round: what was likely there is shown here."
NO_SNAPSHOT = "No snapshot was kept for this reply. Settings, Speculation: keep p and q of the top 12 tokens."


class Distribution(QWidget):
    """Follows the selection; moves it with its arrows and ⌥←, ⌥→."""

    branchAsked = Signal()
    copyAsked = Signal()

    def __init__(self, theme: Theme, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._selection = theme, selection
        self.position: Position | None = None
        self._free = False
        self.title, self.where = QLabel(), QLabel()
        self.title.setProperty("scale", "title")
        self.where.setProperty("tone", "3")
        self.where.setProperty("scale", "small")
        self.previous = self._arrow("Previous token", -1)
        self.following = self._arrow("Next token", 1)
        self.drafted, self.emitted = TokenName(theme), TokenName(theme)
        self.arrow = QLabel("→")
        self.arrow.setProperty("tone", "2")
        self.sentence = QLabel()
        self.sentence.setWordWrap(True)
        self.sentence.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.formula = QLabel()
        self.formula.setProperty("tone", "2")
        self.formula.setProperty("scale", "small")
        self.test = AcceptTest(theme)
        self.test_twin = Twin(self.test, ("", "value"))
        self.bars = Bars(theme)
        self.bars_twin = Twin(self.bars, ("token", "p", "q", "here"))
        self.rest = QLabel()
        self.rest.setProperty("tone", "3")
        self.rest.setProperty("scale", "small")
        self.rest.setWordWrap(True)
        self.figures = [Figure(theme) for _ in range(4)]
        self.branch = QPushButton("Branch from here…")
        self.copy = QPushButton("Copy as JSON")
        self._lay_out()
        self.branch.clicked.connect(self.branchAsked)
        self.copy.clicked.connect(self.copyAsked)
        for keys, by in (("Alt+Left", -1), ("Alt+Right", 1)):
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(lambda by=by: selection.step_token(by))
        theme.changed.connect(self._dress)
        self._dress()
        self.refresh()

    @property
    def twins(self) -> tuple[Twin, ...]:
        """The charts with their tables."""
        return self.test_twin, self.bars_twin

    def show_free(self, free: bool) -> None:
        """A branch can be written only while nothing else is."""
        self._free = free
        self.branch.setEnabled(free and self._can_branch())
        self.branch.setToolTip("Put another of these tokens here; the reply goes on from it as a new version.")

    def _can_branch(self) -> bool:
        return self.position is not None and bool(alternatives(self.position))

    def refresh(self) -> None:
        """Show the selected position, or what to do."""
        selection = self._selection
        round_ = selection.round
        self._area.setVisible(round_ is not None)
        self.empty.setVisible(round_ is None)
        self.copy.setEnabled(round_ is not None)
        if round_ is None or selection.reply is None:
            self.position = None
            self.branch.setEnabled(False)
            return
        position = self.position = position_of(round_, selection.slot)
        self.branch.setEnabled(self._free and self._can_branch())
        self.title.setText(position.title)
        count = selection.reply.stats.generated
        number = round_.position + position.slot + 1
        token = f"token {figures.count(number)} of {figures.count(count)} · " if position.emitted is not None else ""
        greedy = round_.rule is RuleId.GREEDY_ARGMAX
        self.where.setText(
            token + ("p before its argmax is taken" if greedy else "p and q after the full sampler chain")
        )
        self._show_outcome(position)
        self._show_test(position)
        self._show_odds(position)
        self._show_figures(position)

    def _show_outcome(self, position: Position) -> None:
        proposal, draw = position.proposal, position.draw
        self.drafted.setVisible(proposal is not None)
        self.arrow.setVisible(proposal is not None and draw is not None)
        self.emitted.setVisible(draw is not None)
        if proposal is not None:
            word = "drafted" if draw is not None else f"drafted, {figures.FATE_WORDS[proposal.fate]}"
            self.drafted.show_token(proposal.fate, position.drafted_text, word)
        if draw is not None:
            shown = "emitted" if position.emitted is not None else "drawn, not shown"
            self.emitted.show_token(draw.source, position.drawn_text, shown)
        self.sentence.setText(position.sentence())

    def _show_test(self, position: Position) -> None:
        self.formula.setText(position.comparison())
        self._test_box.setVisible(bool(position.comparison()))
        applies = AcceptTest.applies(position)
        self.test_twin.setVisible(applies)
        proposal = position.proposal
        if applies and proposal is not None:
            self.test.show_position(position)
            names = (("u", proposal.u), ("p(t)", proposal.p), ("q(t)", proposal.q), ("p/q", position.ratio))
            self.test_twin.show_rows([(name, figures.probability(value)) for name, value in names])

    def _show_odds(self, position: Position) -> None:
        odds = position.odds(bars.COUNT)
        self.bars_twin.setVisible(bool(odds))
        self._count.setText(f"Top {len(odds)} tokens" if odds else "Top tokens")
        untested = position.proposal is not None and position.proposal.fate is Fate.UNTESTED
        if not odds:
            self.rest.setText("Nothing was computed here beyond the draft itself." if untested else NO_SNAPSHOT)
            return
        self.bars.show_odds(odds)
        self.bars_twin.show_rows(bars.rows(odds))
        p = max(0.0, 1 - sum(o.p for o in odds))
        words = f"Rest of vocabulary: p {p:.3f}"
        if odds[0].q is not None:
            q = max(0.0, 1 - sum(o.q or 0.0 for o in odds))
            words = f"Solid end of p is the residual. {words}, q {q:.3f}"
        self.rest.setText(words)

    def _show_figures(self, position: Position) -> None:
        proposal = position.proposal
        low = None if proposal is None else proposal.sum_min
        prod = None if proposal is None else proposal.sum_prod
        headroom = figures.DASH if not prod or low is None else f"{low / prod:.2f}×"
        rest = None if low is None else max(0.0, 1 - low)
        values = (
            ("sum_min", figures.summary(low), "Σ min(p, q): how often stochastic accepts here"),
            ("sum_prod", figures.summary(prod), "Σ p·q: how often sampler-match accepts here"),
            ("headroom", headroom, "sum_min / sum_prod: the most a throughput test could show"),
            ("residual mass", figures.summary(rest), "1 − sum_min: how often the residual is drawn from"),
        )
        for view, (name, value, meaning) in zip(self.figures, values, strict=True):
            view.show_value(name, value, meaning)

    def _lay_out(self) -> None:
        heads = QVBoxLayout()
        heads.setSpacing(0)
        heads.addWidget(self.title)
        heads.addWidget(self.where)
        head = QHBoxLayout()
        head.setSpacing(8)
        head.addWidget(self.previous)
        head.addLayout(heads, 1)
        head.addWidget(self.following)
        card = QFrame()
        card.setProperty("kind", "tile")
        names = QHBoxLayout()
        names.setSpacing(6)
        for part in (self.drafted, self.arrow, self.emitted):
            names.addWidget(part)
        names.addStretch(1)
        inside = QVBoxLayout(card)
        inside.setContentsMargins(10, 10, 10, 10)
        inside.setSpacing(8)
        inside.addLayout(names)
        inside.addWidget(self.sentence)
        self._test_box = QWidget()
        test = QVBoxLayout(self._test_box)
        test.setContentsMargins(0, 0, 0, 0)
        test.setSpacing(6)
        test.addLayout(heading("Accept test", self.formula))
        test.addWidget(self.test_twin)
        self._count = QLabel("Top 12 tokens")
        legend = BarLegend(self._theme)
        tiles = QHBoxLayout()
        tiles.setSpacing(6)
        for figure in self.figures:
            tiles.addWidget(figure, 1)
        self.body = QWidget()
        self.body.setObjectName("inspectorBody")
        column = QVBoxLayout(self.body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(12)
        column.addLayout(head)
        column.addWidget(card)
        column.addWidget(self._test_box)
        odds = QVBoxLayout()
        odds.setSpacing(2)
        odds.addLayout(heading(self._count, legend))
        odds.addWidget(self.bars_twin)
        odds.addWidget(self.rest)
        column.addLayout(odds)
        column.addLayout(tiles)
        column.addStretch(1)
        area = self._area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(self.body)
        self.empty = QLabel(NOTHING)
        self.empty.setProperty("tone", "2")
        self.empty.setWordWrap(True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        keys = QLabel("⌥← ⌥→" if sys.platform == "darwin" else "Alt+← →")
        keys.setProperty("tone", "3")
        keys.setProperty("scale", "small")
        foot = QHBoxLayout()
        foot.setSpacing(8)
        foot.addWidget(self.branch)
        foot.addWidget(self.copy)
        foot.addStretch(1)
        foot.addWidget(keys)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(10)
        layout.addWidget(self.empty, 1)
        layout.addWidget(area, 1)
        layout.addLayout(foot)

    def _arrow(self, name: str, by: int) -> QToolButton:
        button = QToolButton()
        button.setProperty("kind", "step")
        button.setFixedSize(24, 24)
        button.setAccessibleName(name)
        button.setToolTip(name)
        button.clicked.connect(lambda: self._selection.step_token(by))
        return button

    def _dress(self) -> None:
        for button, icon in ((self.previous, "chevron-left"), (self.following, "chevron-right")):
            button.setIcon(self._theme.icon(icon, "text2", 12))
        self.copy.setIcon(self._theme.icon("copy", "text2", 14))
        self.branch.setIcon(self._theme.icon("branch", "text2", 14))
