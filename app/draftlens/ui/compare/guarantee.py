"""The badge that says what a rule guarantees: a tick, a note, or a warning."""

from __future__ import annotations

from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QWidget

from draftlens.core.rules import RuleId
from draftlens.ui.theme import Theme


class GuaranteeBadge(QFrame):
    """Shape first: the icon tells it without the colour."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._rule: RuleId | None = None
        self._icon, self.words = QLabel(), QLabel()
        row = QHBoxLayout(self)
        row.setContentsMargins(6, 3, 8, 3)
        row.setSpacing(4)
        row.addWidget(self._icon)
        row.addWidget(self.words)
        theme.changed.connect(self._show)
        self.hide()

    def show_rule(self, rule: RuleId | None, *, greedy: bool) -> None:
        """Show what a rule guarantees at this temperature; None hides it."""
        self.setVisible(rule is not None)
        if rule is not None:
            self._rule = RuleId.GREEDY_ARGMAX if greedy else rule
            self._show()

    def shorten(self, on: bool) -> None:
        """Where room is scarce, the icon alone stays, its words in the tooltip."""
        self.words.setVisible(not on)

    def _show(self) -> None:
        rule = self._rule
        if rule is None:
            return
        kind = "bad" if not rule.lossless else "caution" if rule is RuleId.SAMPLER_MATCH_NO_Q else "good"
        name, color = {"bad": ("warning", "rejectedText"), "caution": ("info", "residualText")}.get(
            kind, ("check", "acceptedText")
        )
        self._icon.setPixmap(self._theme.pixmap(name, color, 12))
        self.words.setText("lossless" if rule.lossless else "biased")
        self.setToolTip(f"{rule.guarantee}. {rule.sentence}")
        self.setAccessibleName(rule.guarantee)
        if self.property("kind") != kind:
            self.setProperty("kind", kind)
            for part in (self, self.words):
                part.style().unpolish(part)
                part.style().polish(part)
