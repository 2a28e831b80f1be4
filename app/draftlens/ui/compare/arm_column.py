"""One arm: its header, its text, and its rounds."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from draftlens.bridge.compare_setup import CompareSetup
from draftlens.bridge.reply import Phase, Reply
from draftlens.compare.arms import LETTERS, ArmSettings
from draftlens.compare.readings import DASH
from draftlens.core.round import Fate, Source
from draftlens.core.rules import RuleId
from draftlens.ui.chat.formats import Formats
from draftlens.ui.chat.formulas import Formulas
from draftlens.ui.compare.arm_menu import ArmMenu
from draftlens.ui.compare.guarantee import GuaranteeBadge
from draftlens.ui.compare.reply_page import ReplyPage
from draftlens.ui.eliding_label import ElidingLabel
from draftlens.ui.inspector.strip import RoundStrip
from draftlens.ui.shapes import MarkWidget
from draftlens.ui.theme import Theme
from draftlens.ui.toolbar.chip import Chip

_PHASES = {
    Phase.WAITING: "waiting",
    Phase.PREFILL: "reading prompt",
    Phase.STREAMING: "streaming",
    Phase.DONE: "finished",
    Phase.STOPPED: "stopped",
    Phase.INTERRUPTED: "interrupted",
    Phase.FAILED: "failed",
}
_MARKS = {Phase.STREAMING: "▸ ", Phase.DONE: "✓ "}
_NUMBERS = "88.8 tok/s · 8.88 / forward"
"""As wide as the figures get on most machines: the header does not change its shape while they grow."""


class ArmColumn(QFrame):
    """Shows what the comparison knows of one arm."""

    useAsked = Signal(int)
    continueAsked = Signal(int)

    def __init__(self, theme: Theme, setup: CompareSetup, arm: int, formats: Formats, formulas: Formulas) -> None:
        super().__init__()
        self._theme, self._arm = theme, arm
        self._reply: Reply | None = None
        self._two = self._tight = False
        self.setProperty("kind", "arm" if arm else "armFirst")
        self.letter = QLabel(LETTERS[arm])
        self.letter.setProperty("kind", "letter")
        self.letter.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.letter.setFixedSize(20, 20)
        self.rule = Chip(theme, f"chipArm{LETTERS[arm]}", "", mono=True)
        self.menu = ArmMenu(theme, setup, arm, self.rule.menu(), self)
        self.menu.useAsked.connect(self.useAsked)
        self.menu.continueAsked.connect(self.continueAsked)
        self.guarantee = GuaranteeBadge(theme)
        self.figures = ElidingLabel()
        self.figures.setProperty("tone", "2")
        self.phase = QLabel()
        self.phase.setProperty("kind", "badge")
        self.note = QLabel()
        self.note.setProperty("kind", "notice")
        self.note.setWordWrap(True)
        self.note.setMargin(6)
        self.note.hide()
        self.page = ReplyPage(theme, formats, formulas)
        self.page.setAccessibleName(f"Reply of arm {LETTERS[arm]}")
        self.page.roundAsked.connect(self._show_round)
        self.strip = RoundStrip(theme)
        self.strip.setAccessibleName(f"Rounds of arm {LETTERS[arm]}")
        self.strip.selected.connect(self.strip.select)
        self.strip.scrolled.connect(self._show_range)
        self.range = QLabel()
        self.range.setProperty("tone", "2")
        self.range.setProperty("scale", "small")
        self._words = {mark: QLabel(words) for mark, words in _legend(Source.TARGET)}
        theme.changed.connect(self._dress)
        self._lay_out()
        self._dress()

    def show_arm(self, settings: ArmSettings, *, can_change: bool, has_reply: bool) -> None:
        """Show what it is asked to be."""
        plain = settings.params.drafter == "none"
        text = "plain decoding" if plain else f"rule={settings.rule}"
        tip = "" if plain else settings.rule.sentence
        self.rule.show_value(text, title=f"Arm {LETTERS[self._arm]}", tip=tip, tinted=not plain, quiet=plain)
        self.guarantee.show_rule(None if plain else settings.rule, greedy=settings.params.sampling.greedy)
        self.menu.can_change, self.menu.has_reply = can_change, has_reply
        self._fit()

    def show_reply(self, reply: Reply | None) -> None:
        """Show a reply, or what it gained."""
        self._reply = reply
        self.page.show_reply(reply)

    def show_figures(self) -> None:
        """Show the reply's figures and rounds."""
        reply = self._reply
        self.strip.show_rounds([] if reply is None else reply.rounds)
        self._show_range()
        self.note.setVisible(reply is not None and reply.error is not None)
        if reply is None:
            self.figures.show_text("")
            self._fit()
            return
        stats = reply.stats
        speed = DASH if stats.tokens_per_second is None else f"{stats.tokens_per_second:.1f}"
        yielded = DASH if stats.tokens_per_forward is None else f"{stats.tokens_per_forward:.2f}"
        self.figures.show_text(f"{speed} tok/s · {yielded} / forward" if stats.generated else "")
        if reply.error is not None:
            self.note.setText(" ".join(filter(None, (reply.error.sentence, reply.error.next_step))))
        if stats.rule is not None:
            replaced = Source.RESIDUAL if stats.rule is RuleId.STOCHASTIC else Source.TARGET
            self._words[Source.TARGET].setText(dict(_legend(replaced))[replaced])
            self.guarantee.show_rule(stats.rule, greedy=stats.rule is RuleId.GREEDY_ARGMAX)
        self._fit()

    def align_rounds(self, height: int) -> None:
        """Give the rounds the height of the column with the longest blocks."""
        self._rounds.setContentsMargins(22, 0, 22, max(0, height - self.strip.minimumHeight()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """A narrow column gives its numbers a line of their own, a very narrow one leaves words out."""
        super().resizeEvent(event)
        self._fit()
        room = self.width() - 48 - self.range.sizeHint().width() - 16
        self._legend.setVisible(self._legend.sizeHint().width() <= room)

    def _dress(self) -> None:
        self.figures.setFont(self._theme.font("data"))
        self._fit()

    def _fit(self) -> None:
        width = self.width()
        self._tight = width < self._theme.px(380)
        side = 12 if self._tight else 24
        badge = self.phase.fontMetrics().horizontalAdvance(_marked(Phase.STREAMING)) + 14
        numbers = max(
            self.figures.fontMetrics().horizontalAdvance(_NUMBERS) + badge,
            self.figures.sizeHint().width() + self.phase.sizeHint().width(),
        )
        words = self.letter.width() + self.rule.sizeHint().width() + self.guarantee.sizeHint().width()
        two = width < 2 * side + words + numbers + 4 * self._first.spacing()
        self._first.setContentsMargins(side, 8, side, 4)
        self._second.setContentsMargins(side, 0, side, 4 if two else 0)
        self.guarantee.shorten(self._tight)
        self._show_phase()
        if two is not self._two:
            self._two = two
            for place, part in enumerate((self.guarantee, self.figures, self.phase)):
                if two:
                    self._second.insertWidget(place, part)
                else:
                    # Behind letter and rule; the stretch stands before the numbers.
                    self._first.insertWidget(2 if place == 0 else 3 + place, part)

    def _lay_out(self) -> None:
        self._first, self._second = QHBoxLayout(), QHBoxLayout()
        self._first.setContentsMargins(24, 8, 24, 4)
        self._second.setContentsMargins(24, 0, 24, 0)
        for row in (self._first, self._second):
            row.setSpacing(8)
        for part in (self.letter, self.rule, self.guarantee):
            self._first.addWidget(part)
        self._first.addStretch(1)
        self._first.addWidget(self.figures)
        self._first.addWidget(self.phase)
        self._second.addStretch(1)
        self._legend = QWidget()
        marks = QHBoxLayout(self._legend)
        marks.setContentsMargins(0, 0, 0, 0)
        marks.setSpacing(5)
        for mark, label in self._words.items():
            label.setProperty("tone", "2")
            label.setProperty("scale", "small")
            marks.addWidget(MarkWidget(mark, self._theme))
            marks.addWidget(label)
            marks.addSpacing(5)
        caption = QHBoxLayout()
        caption.setContentsMargins(24, 6, 24, 0)
        caption.addWidget(self.range)
        caption.addStretch(1)
        caption.addWidget(self._legend)
        below = QFrame()
        below.setProperty("kind", "strip")
        inside = QVBoxLayout(below)
        inside.setContentsMargins(0, 0, 0, 4)
        inside.setSpacing(2)
        inside.addLayout(caption)
        self._rounds = QHBoxLayout()
        self._rounds.addWidget(self.strip)
        self.align_rounds(0)
        inside.addLayout(self._rounds)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(self._first)
        column.addLayout(self._second)
        column.addWidget(self.note)
        column.addWidget(self.page, 1)
        column.addWidget(below)

    def _show_phase(self) -> None:
        """In a narrow column the numbers need the room, unless something went otherwise than it should."""
        phase = None if self._reply is None else self._reply.phase
        self.phase.setVisible(phase is not None and not (self._tight and phase in (Phase.STREAMING, Phase.DONE)))
        if phase is not None:
            self._set_kind(self.phase, "live" if phase is Phase.STREAMING else "badge")
            self.phase.setText(_marked(phase))
            self.phase.setAccessibleName(_PHASES[phase])

    def _show_range(self) -> None:
        shown = self.strip.visible_range()
        self.range.setText(f"Rounds {shown.partition(' ')[0]}" if shown else "No rounds yet")

    def _show_round(self, index: int) -> None:
        if self._reply is not None and self._reply.rounds:
            self.strip.select(index - self._reply.rounds[0].index)

    @staticmethod
    def _set_kind(label: QLabel, kind: str) -> None:
        if label.property("kind") != kind:
            label.setProperty("kind", kind)
            label.style().unpolish(label)
            label.style().polish(label)


def _marked(phase: Phase) -> str:
    return _MARKS.get(phase, "") + _PHASES[phase]


def _legend(replaced: Source) -> tuple[tuple[Fate | Source, str], ...]:
    return (
        (Fate.ACCEPTED, "accepted"),
        (Fate.REJECTED, "rejected"),
        (Fate.UNTESTED, "untested"),
        (replaced, "residual draw" if replaced is Source.RESIDUAL else "target draw"),
        (Source.BONUS, "bonus draw"),
    )
