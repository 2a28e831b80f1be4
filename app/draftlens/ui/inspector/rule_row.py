"""Which rule ran, what it guarantees, and who drafted."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from draftlens.bridge import figures
from draftlens.core.rules import RuleId
from draftlens.core.stats import RunStats
from draftlens.ui.theme import Theme


class RuleRow(QWidget):
    """Rule chip, guarantee badge and drafter kind; a rule with a long name gets a line of its own."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self.rule = QLabel()
        self.rule.setObjectName("rule")
        self.rule.setIndent(0)
        self.badge = QFrame()
        self._icon, self.guarantee = QLabel(), QLabel()
        inside = QHBoxLayout(self.badge)
        inside.setContentsMargins(6, 3, 8, 3)
        inside.setSpacing(4)
        inside.addWidget(self._icon)
        inside.addWidget(self.guarantee)
        self._words = QLabel("drafter kind")
        self._words.setProperty("tone", "3")
        self._words.setProperty("scale", "small")
        self.kind = QLabel()
        self.kind.setProperty("kind", "outline")
        self.kind.setIndent(0)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        self._first, self._second = QHBoxLayout(), QHBoxLayout()
        for row in (self._first, self._second):
            row.setSpacing(6)
            layout.addLayout(row)
        self._first.addWidget(self.rule, 0, Qt.AlignmentFlag.AlignLeft)
        self._second.addWidget(self.badge, 0, Qt.AlignmentFlag.AlignLeft)
        self._second.addStretch(1)
        self._second.addWidget(self._words)
        self._second.addWidget(self.kind)
        self._rule: RuleId | None = None
        self._shown: tuple[object, ...] | None = None
        theme.changed.connect(self._show_icon)

    def show_stats(self, stats: RunStats | None, *, running: bool = False) -> None:
        """Show the rule that judged, or that none did."""
        asked = (stats is None, running, stats and stats.rule, stats and stats.drafter)
        if asked == self._shown:
            # Asked four times a second: hiding and showing again would lay out the whole window.
            return
        self._shown = asked
        self._rule = None if stats is None else stats.rule
        rule = self._rule
        self._set(self.rule, "kind", "off" if rule is None else "rule")
        none = "no reply yet" if stats is None else "no verify round yet" if running else "no verify round ran"
        self.rule.setText(none if rule is None else f"rule={rule}")
        self.rule.setToolTip("" if rule is None else rule.sentence)
        self.badge.setVisible(rule is not None)
        self._words.setVisible(False)
        self.kind.setVisible(rule is not None)
        long = rule is not None and len(str(rule)) > len(RuleId.SAMPLER_MATCH)
        if not long and self._first.count() == 1:
            self._second.insertWidget(0, self.rule)
        elif long and self._first.count() == 0:
            self._first.addWidget(self.rule, 0, Qt.AlignmentFlag.AlignLeft)
        if rule is None or stats is None:
            return
        kind = "bad" if not rule.lossless else "caution" if rule is RuleId.SAMPLER_MATCH_NO_Q else "good"
        self._set(self.badge, "kind", kind)
        self.guarantee.setText(rule.guarantee)
        self.kind.setText(figures.drafter_label(stats.drafter))
        self._show_icon()
        self._fit()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Badges are never cut; the words before the last one give way."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        if self._rule is None:
            return
        first = self.rule.sizeHint().width() + 6 if self._first.count() == 0 else 0
        needed = first + self.badge.sizeHint().width() + self.kind.sizeHint().width() + self._words.sizeHint().width()
        self._words.setVisible(needed + 24 <= self.width())
        self.kind.setToolTip("drafter kind")

    def _show_icon(self) -> None:
        kind = self.badge.property("kind")
        name, color = {"bad": ("warning", "rejectedText"), "caution": ("info", "residualText")}.get(
            str(kind), ("check", "acceptedText")
        )
        self._icon.setPixmap(self._theme.pixmap(name, color, 12))

    @staticmethod
    def _set(widget: QWidget, name: str, value: str) -> None:
        if widget.property(name) == value:
            return
        widget.setProperty(name, value)
        for part in (widget, *widget.findChildren(QLabel)):
            part.style().unpolish(part)
            part.style().polish(part)
