"""What can stand below the round strip in place of the table: the blocks' lengths, and where the time went."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from draftlens.bridge import figures
from draftlens.core.round import Round
from draftlens.core.stats import RunStats
from draftlens.ui.inspector.block_charts import LengthChart, PositionChart, length_rows, position_rows
from draftlens.ui.inspector.parts import heading, section
from draftlens.ui.inspector.paying import Paying
from draftlens.ui.inspector.time_chart import PARTS, TimeChart, TimeLegend, time_rows
from draftlens.ui.inspector.twin import Twin
from draftlens.ui.theme import Theme


class _Page(QScrollArea):
    """Scrolls where the window is low."""

    def __init__(self) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        body = QWidget()
        body.setObjectName("inspectorBody")
        self.column = QVBoxLayout(body)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(12)
        self.setWidget(body)


class BlocksPage(_Page):
    """Acceptance by position and the histogram of accepted lengths."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.positions = Twin(PositionChart(theme), ("position", "n", "acceptance", "95 % interval"))
        self.lengths = Twin(LengthChart(theme), ("length", "ended by a rejection", "no rejection seen"))
        self.forwards = _quiet("")
        self.column.addLayout(
            section(heading("Acceptance by position", _quiet("accepted / tested there")), self.positions)
        )
        self.column.addLayout(section(heading("Accepted lengths", _quiet("hatched: no rejection seen")), self.lengths))
        self.column.addWidget(self.forwards)
        self.column.addStretch(1)

    @property
    def twins(self) -> tuple[Twin, ...]:
        """The charts with their tables."""
        return self.positions, self.lengths

    def show_stats(self, stats: RunStats, waits: str = "") -> None:
        """Show a reply's blocks, or why there are none yet."""
        for twin, rows in ((self.positions, position_rows(stats)), (self.lengths, length_rows(stats))):
            twin.chart.show_stats(stats)  # type: ignore[attr-defined]
            twin.show_rows(rows)
        both, drafts = stats.tokens_per_forward, stats.drafts_per_forward
        words = waits or "No verify round ran."
        if both is not None and drafts is not None and stats.rounds:
            words = (
                f"Tokens per target forward: {both:.2f} with the draw that ends each block, "
                f"{drafts:.2f} accepted drafts alone. A block accepted whole is censored: it says only that its length "
                "would have been at least that."
            )
        self.forwards.setText(words)


class TimesPage(_Page):
    """Rounds as stacked times, the prompt, and whether speculation pays."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.paying = Paying(theme)
        self.chart = TimeChart(theme)
        self.times = Twin(self.chart, ("part", "in all", "mean", "share"))
        self.prompt = _quiet("")
        self.means = [_quiet("") for _ in PARTS]
        legend = QHBoxLayout()
        legend.setSpacing(4)
        for number, label in enumerate(self.means):
            legend.addWidget(TimeLegend(theme, number))
            legend.addWidget(label)
            legend.addSpacing(4)
        legend.addStretch(1)
        self.column.addLayout(section(heading("Is it paying?"), self.paying))
        self.column.addLayout(section(heading("Time of each round", _quiet("newest at the right")), self.times, legend))
        self.column.addWidget(self.prompt)
        self.column.addStretch(1)

    @property
    def twins(self) -> tuple[Twin, ...]:
        """The charts with their tables."""
        return (self.times,)

    def show_rounds(self, rounds: Sequence[Round], stats: RunStats, waits: str = "") -> None:
        """Show a reply's times, or why there are none yet."""
        self.chart.show_rounds(rounds, stats)
        self.times.show_rows(time_rows(stats))
        n = stats.forwards
        sums = (stats.draft_ms, stats.verify_ms, stats.judge_ms, stats.other_ms)
        for label, (name, _), ms in zip(self.means, PARTS, sums, strict=True):
            label.setText(f"{name} {figures.milliseconds(ms / n)}" if n else name)
        self.prompt.setText(
            f"Prompt: {figures.count(stats.prompt_tokens)} tokens read in {stats.prompt_ms:,.0f} ms, "
            f"{figures.count(stats.cached_tokens)} more taken from the turn before. "
            f"Time to first token {stats.prompt_ms:,.0f} ms."
            if stats.prompt_ms
            else waits or "The prompt was not timed."
        )


def _quiet(text: str) -> QLabel:
    label = QLabel(text)
    label.setProperty("tone", "3")
    label.setProperty("scale", "caption")
    label.setWordWrap(len(text) == 0)
    return label
