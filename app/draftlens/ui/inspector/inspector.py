"""The newest reply's figures and rounds, in an order that never changes."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from draftlens.bridge import figures
from draftlens.bridge.reply import Phase, Reply
from draftlens.bridge.round_model import RoundModel
from draftlens.core import report
from draftlens.core.round import Fate, Source
from draftlens.core.rules import RuleId
from draftlens.core.stats import Tone
from draftlens.ui.inspector.gauge import Gauge
from draftlens.ui.inspector.log_line import LogLine
from draftlens.ui.inspector.round_table import RoundTable
from draftlens.ui.inspector.rule_row import RuleRow
from draftlens.ui.inspector.strip import RoundStrip
from draftlens.ui.inspector.tiles import Tiles
from draftlens.ui.shapes import MarkWidget
from draftlens.ui.theme import Theme

_TONES: dict[Tone, tuple[str, str]] = {
    "ok": ("check", "acceptedText"),
    "info": ("info", "text3"),
    "warning": ("warning", "residualText"),
    "error": ("warning", "rejectedText"),
}

_ROOMY = 720
_FRAME_MS = 8


class Inspector(QWidget):
    """Rule, tiles, closed form, rounds, table, log."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("inspector")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._theme = theme
        self._reply: Reply | None = None
        self._selected = -1
        self._tone: Tone = "none"
        self.model = RoundModel(self)
        self.rule = RuleRow(theme)
        self.tiles = Tiles(theme)
        self.gauge = Gauge(theme)
        self.strip = RoundStrip(theme)
        self.table = RoundTable(theme, self.model)
        self.log = LogLine(theme)
        self.tested = QLabel()
        self.shown = QLabel()
        for label in (self.tested, self.shown):
            label.setProperty("tone", "3")
            label.setProperty("scale", "small")
        self._verdict_icon = QLabel()
        self._verdict_icon.setFixedWidth(20)
        self.verdict = QLabel()
        self.verdict.setProperty("tone", "2")
        self.verdict.setWordWrap(True)
        verdict = QHBoxLayout()
        verdict.setSpacing(2)
        verdict.addWidget(self._verdict_icon, 0, Qt.AlignmentFlag.AlignTop)
        verdict.addWidget(self.verdict, 1)

        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 12)
        layout.setSpacing(14)
        layout.addWidget(self.rule)
        layout.addWidget(self.tiles)
        layout.addLayout(_section(_heading("Measured against closed form", self.tested), self.gauge, verdict))
        layout.addLayout(_section(_heading("Rounds", self.shown), self.strip, self._legend()))
        layout.addWidget(self.table, 1)
        layout.addWidget(self.log)
        self.strip.selected.connect(self.select)
        self.table.roundSelected.connect(self.select)
        self.strip.scrolled.connect(lambda: self.shown.setText(self.strip.visible_range()))
        theme.changed.connect(self._show_tone)
        self._rounds_soon = QTimer(self)
        self._rounds_soon.setSingleShot(True)
        self._rounds_soon.setInterval(_FRAME_MS)
        self._rounds_soon.timeout.connect(self._show_rounds)
        self.show_reply(None, RuleId.SAMPLER_MATCH)

    def show_reply(self, reply: Reply | None, following: RuleId) -> None:
        """Show a reply, or what it gained since the last call; `following` is the rule the next one asks for."""
        grows = reply is not None and reply is self._reply and reply.phase.running
        if reply is not self._reply:
            self._selected = -1
            self.strip.select(-1)
        self._reply = reply
        stats = None if reply is None else reply.stats
        self.rule.show_stats(stats)
        self.tiles.show_tiles(figures.tiles(stats, None if reply is None else reply.params))
        greedy = stats is not None and stats.rule is RuleId.GREEDY_ARGMAX
        self.gauge.setVisible(not greedy)
        self.gauge.show_stats(stats)
        self.tested.setText(figures.tested_label(stats))
        if grows:
            # Strip and table are painted in a frame of their own, after the figures.
            self._rounds_soon.start()
        else:
            self._show_rounds()
        if stats is not None:
            verdict = stats.verdict()
            # "z = 0.4" stays on one line.
            self.verdict.setText(verdict.sentence.replace(" = ", "\u00a0=\u00a0"))
            self._tone = verdict.tone
        else:
            self.verdict.setText("Send a prompt: its rounds are measured here.")
            self._tone = "none"
        rule = following if stats is None or stats.rule is None else stats.rule
        self._draw_word.setText("residual" if rule is RuleId.STOCHASTIC else "target draw")
        self._show_tone()
        over = reply is not None and reply.phase in (Phase.DONE, Phase.STOPPED) and bool(reply.rounds)
        self.log.show_text(_log(reply) if over and reply is not None else "")

    def resizeEvent(self, event: QResizeEvent) -> None:
        """A low window keeps the sections and loses the air between them."""
        super().resizeEvent(event)
        gap = 14 if self.height() >= _ROOMY else 8
        layout = self.layout()
        if layout is not None and layout.spacing() != gap:
            layout.setSpacing(gap)

    def select(self, row: int) -> None:
        """Select a round everywhere it is shown."""
        if row == self._selected or not 0 <= row < len(self.model.rounds):
            return
        self._selected = row
        self.strip.select(row)
        self.table.select_round(row)

    def step(self, by: int) -> None:
        """Select the next or the previous round."""
        count = len(self.model.rounds)
        if count:
            start = self._selected if self._selected >= 0 else (count if by < 0 else -1)
            self.select(min(max(start + by, 0), count - 1))

    def _show_rounds(self) -> None:
        self._rounds_soon.stop()
        self.model.show([] if self._reply is None else self._reply.rounds)
        self.strip.show_rounds(self.model.rounds)

    def _legend(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(5)
        self._draw_word = QLabel("residual")
        for mark, word in (
            (Fate.ACCEPTED, QLabel("accepted")),
            (Fate.REJECTED, QLabel("rejected")),
            (Fate.UNTESTED, QLabel("untested")),
            (Source.RESIDUAL, self._draw_word),
            (Source.BONUS, QLabel("bonus")),
        ):
            word.setProperty("scale", "caption")
            word.setProperty("tone", "2")
            row.addWidget(MarkWidget(mark, self._theme))
            row.addWidget(word)
            row.addSpacing(6)
        row.addStretch(1)
        return row

    def _show_tone(self) -> None:
        tone = _TONES.get(self._tone)
        self._verdict_icon.setVisible(tone is not None)
        if tone is not None:
            self._verdict_icon.setPixmap(self._theme.pixmap(*tone, 15))


def _section(*parts: QWidget | QHBoxLayout) -> QVBoxLayout:
    column = QVBoxLayout()
    column.setSpacing(6)
    for part in parts:
        if isinstance(part, QWidget):
            column.addWidget(part)
        else:
            column.addLayout(part)
    return column


def _heading(text: str, right: QLabel) -> QHBoxLayout:
    row = QHBoxLayout()
    label = QLabel(text)
    label.setProperty("scale", "heading")
    row.addWidget(label)
    row.addStretch(1)
    row.addWidget(right)
    return row


def _log(reply: Reply) -> str:
    """The lines the command line prints after the same run."""
    stats = reply.stats
    if stats.rounds == 0:
        return ""
    lines = [report.acceptance_line(stats), report.diagnostic_line(stats)]
    if stats.drafter == "prompt-lookup":
        lines.append(report.lookup_line(stats, reply.shadow_confirmations))
    return "\n".join(line for line in lines if line)
