"""What a reply measured: tiles, the closed form and its verdict, the round strip, and table, blocks or times below."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QStackedWidget, QToolButton, QVBoxLayout, QWidget

from draftlens.bridge import figures
from draftlens.bridge.reply import Reply, not_yet
from draftlens.bridge.round_model import RoundModel
from draftlens.bridge.selection import Selection
from draftlens.core import report
from draftlens.core.round import Fate, FinishReason, Source
from draftlens.core.rules import RuleId
from draftlens.core.stats import RunStats, Tone
from draftlens.ui.eliding_label import ElidingLabel
from draftlens.ui.inspector.gauge import Gauge
from draftlens.ui.inspector.log_line import LogLine
from draftlens.ui.inspector.pages import BlocksPage, TimesPage
from draftlens.ui.inspector.parts import heading, section
from draftlens.ui.inspector.round_table import RoundTable
from draftlens.ui.inspector.segments import Segments
from draftlens.ui.inspector.strip import RoundStrip
from draftlens.ui.inspector.tiles import Tiles
from draftlens.ui.inspector.twin import Twin
from draftlens.ui.shapes import MarkWidget
from draftlens.ui.theme import Theme

_LEGEND: tuple[tuple[Fate | Source, str], ...] = (
    (Fate.ACCEPTED, "accepted"),
    (Fate.REJECTED, "rejected"),
    (Fate.UNTESTED, "untested"),
    (Source.RESIDUAL, "residual"),
    (Source.BONUS, "bonus"),
)
_TONES: dict[Tone, tuple[str, str]] = {
    "ok": ("check", "acceptedText"),
    "info": ("info", "text3"),
    "warning": ("warning", "residualText"),
    "error": ("warning", "rejectedText"),
}
_ROOMY = 680
_FRAME_MS = 8


class _Below(QStackedWidget):
    """Takes what height is left, and asks for no more than its least."""

    def sizeHint(self) -> QSize:
        """The least."""
        return QSize(380, self.minimumHeight())


class RunTab(QWidget):
    """Live while a reply runs; the selected round is the selection's."""

    def __init__(self, theme: Theme, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("inspectorBody")
        # Opaque: four times a second something here changes, and nothing behind it needs painting for that.
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self._theme, self._selection = theme, selection
        self._reply: Reply | None = None
        self._tone: Tone = "none"
        self.model = RoundModel(self)
        self.tiles = Tiles(theme)
        self.gauge = Gauge(theme)
        self.gauge_twin = Twin(self.gauge, ("", "value"))
        self.strip = RoundStrip(theme)
        self.table = RoundTable(theme, self.model)
        self.blocks, self.times = BlocksPage(theme), TimesPage(theme)
        self.log = LogLine(theme)
        self.tested, self.shown = QLabel(), QLabel()
        for label in (self.tested, self.shown):
            label.setProperty("tone", "3")
            label.setProperty("scale", "small")
        self._verdict_icon = QLabel()
        self._verdict_icon.setFixedWidth(20)
        self.verdict = QLabel()
        self.verdict.setProperty("tone", "2")
        self.verdict.setWordWrap(True)
        self.verdict_row = QHBoxLayout()
        self.verdict_row.setSpacing(2)
        self.verdict_row.addWidget(self._verdict_icon, 0, Qt.AlignmentFlag.AlignTop)
        self.verdict_row.addWidget(self.verdict, 1)
        self.forms_on = QToolButton()
        self.forms_on.setText("Turn on closed forms")
        self.forms_on.setProperty("kind", "link")
        self.verdict_row.addWidget(self.forms_on, 0, Qt.AlignmentFlag.AlignTop)
        self.prove = QToolButton()
        self.prove.setText("Prove it…")
        self.prove.setProperty("kind", "link")
        self.prove.setToolTip(
            "Hold what the loaded pair emits against the target’s distribution, with a wrong rule beside."
        )
        self.choice = Segments(("Table", "Blocks", "Times"), quiet=True)
        self.below = _Below()
        for page in (self.table, self.blocks, self.times):
            self.below.addWidget(page)
        self._lay_out()
        self.strip.selected.connect(selection.choose)
        self.strip.openAsked.connect(self.table.toggle)
        self.table.placeSelected.connect(selection.choose)
        self.choice.chosen.connect(self._show_page)
        self.strip.scrolled.connect(lambda: self.shown.setText(self.strip.visible_range()))
        theme.changed.connect(self._show_tone)
        self._rounds_soon = QTimer(self, singleShot=True, interval=_FRAME_MS)
        self._rounds_soon.timeout.connect(self._show_rounds)
        self._page_soon = QTimer(self, singleShot=True, interval=_FRAME_MS)
        self._page_soon.timeout.connect(self._fill_page)

    @property
    def twins(self) -> tuple[Twin, ...]:
        """The charts with their tables."""
        return self.gauge_twin, *self.blocks.twins, *self.times.twins

    def show_reply(self, reply: Reply | None, following: RuleId, ratio: str = "") -> None:
        """Show a reply, or what it gained since the last call.

        Args:
            following: the rule the next reply asks for.
            ratio: how its speed compares with plain decoding, in words.
        """
        grows = reply is not None and reply is self._reply and reply.phase.running
        self._reply = reply
        stats = None if reply is None else reply.stats
        self.tiles.show_tiles(figures.tiles(stats, None if reply is None else reply.params, ratio))
        greedy = stats is not None and stats.rule is RuleId.GREEDY_ARGMAX
        self.gauge_twin.setVisible(not greedy)
        self.gauge.show_stats(stats)
        self.gauge_twin.show_rows(_gauge_rows(stats))
        self.tested.setText(figures.tested_label(stats))
        self.tested.setVisible(bool(self.tested.text()))
        # The row has no room for both in full; the menu has the proof too.
        self.prove.setHidden(stats is not None and stats.tested > 0 and stats.finish is FinishReason.STOPPED)
        if grows:
            # Strip and table are painted in a frame of their own, after the figures.
            self._rounds_soon.start()
        else:
            self._show_rounds()
            self._fill_page()
        waits = not_yet(reply)
        if waits or stats is None:
            self.forms_on.hide()
            self.verdict.setText(waits)
            self._tone = "none"
        else:
            verdict = stats.verdict()
            # "z = 0.4" stays on one line.
            self.verdict.setText(verdict.sentence.replace(" = ", "\u00a0=\u00a0"))
            self._tone = verdict.tone
            self.forms_on.setVisible(stats.tested > 0 and not greedy and stats.closed_form_min is None)
        rule = following if stats is None or stats.rule is None else stats.rule
        self._draw_word.show_text("residual" if rule is RuleId.STOCHASTIC else "target draw")
        self._show_tone()
        over = reply is not None and not reply.phase.running and bool(reply.rounds)
        self.log.show_text(log_lines(reply) if over and reply is not None else "")

    def follow(self) -> None:
        """Show what is selected."""
        row = self._selection.row
        if row >= len(self.model.rounds):
            self._show_rounds()
        self.strip.select(row)
        self.table.select_place(row, self._selection.slot)

    def paintEvent(self, event: QPaintEvent) -> None:
        """The panel between the sections."""
        painter = QPainter(self)
        painter.fillRect(event.rect(), self._theme.color("panel"))
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """A low window keeps the sections and loses the air between them."""
        super().resizeEvent(event)
        gap = 14 if self.height() >= _ROOMY else 8
        layout = self.layout()
        if layout is not None and layout.spacing() != gap:
            layout.setSpacing(gap)

    def _show_rounds(self) -> None:
        self._rounds_soon.stop()
        self.model.show([] if self._reply is None else self._reply.rounds)
        self.strip.show_rounds(self.model.rounds)
        if self._reply is not None and self._reply.phase.running and self.choice.current:
            self._page_soon.start()

    def _show_page(self, number: int) -> None:
        self.below.setCurrentIndex(number)
        self._fill_page()

    def _fill_page(self) -> None:
        """Only the page in view is kept up to date."""
        self._page_soon.stop()
        stats = RunStats() if self._reply is None else self._reply.stats
        if self.below.currentWidget() is self.blocks:
            self.blocks.show_stats(stats, not_yet(self._reply))
        elif self.below.currentWidget() is self.times:
            self.times.show_rounds(self.model.rounds, stats, not_yet(self._reply))

    def _lay_out(self) -> None:
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(14)
        layout.addWidget(self.tiles)
        closed = heading("Measured against closed form", self.prove, self.tested)
        layout.addLayout(section(closed, self.gauge_twin, self.verdict_row))
        rounds = QHBoxLayout()
        rounds.setSpacing(10)
        name = QLabel("Rounds")
        name.setProperty("scale", "heading")
        rounds.addWidget(name)
        rounds.addWidget(self.choice)
        rounds.addStretch(1)
        rounds.addWidget(self.shown)
        layout.addLayout(section(rounds, self.strip, self._legend()))
        self.below.setMinimumHeight(self._theme.px(96))
        layout.addWidget(self.below, 1)
        layout.addWidget(self.log)

    def _legend(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(self._theme.px(5))
        words = [ElidingLabel() for _ in _LEGEND]
        for (mark, name), word in zip(_LEGEND, words, strict=True):
            if row.count():
                row.addSpacing(self._theme.px(4))
            word.show_text(name)
            word.setProperty("scale", "caption")
            word.setProperty("tone", "2")
            row.addWidget(MarkWidget(mark, self._theme))
            row.addWidget(word)
        self._draw_word = words[3]
        row.addStretch(1)
        return row

    def _show_tone(self) -> None:
        tone = _TONES.get(self._tone)
        self._verdict_icon.setVisible(tone is not None)
        if tone is not None:
            self._verdict_icon.setPixmap(self._theme.pixmap(*tone, 15))


def log_lines(reply: Reply) -> str:
    """The lines the command line prints after the same run; empty if no verify round ran."""
    stats = reply.stats
    if stats.rounds == 0:
        return ""
    lines = [report.acceptance_line(stats), report.diagnostic_line(stats)]
    if stats.drafter == "prompt-lookup":
        lines.append(report.lookup_line(stats, reply.shadow_confirmations))
    return "\n".join(line for line in lines if line)


def _gauge_rows(stats: RunStats | None) -> list[tuple[str, ...]]:
    s = stats or RunStats()
    interval = s.interval
    return [
        ("measured", figures.summary(s.per_position_acceptance if s.tested else None)),
        ("95 % interval", f"{interval[0]:.4f}–{interval[1]:.4f}" if interval else figures.DASH),
        ("sum_prod", figures.summary(s.closed_form_prod)),
        ("sum_min", figures.summary(s.closed_form_min)),
        ("expected by the rule", figures.summary(s.expected)),
    ]
