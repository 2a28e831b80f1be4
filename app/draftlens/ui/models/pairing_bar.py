"""Which two are to work together, and in one line whether they can."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from draftlens.bridge.models import Models
from draftlens.library.candidates import Candidate, in_words
from draftlens.library.catalog import Installed
from draftlens.ui.eliding_label import ElidingLabel
from draftlens.ui.theme import Theme
from draftlens.ui.toolbar.chip import Chip
from draftlens.ui.toolbar.menu_row import add_row

_NARROW = 560
_AROUND, _NOTES_LEAST = 94, 60
"""The margins, the icon and the gaps beside the verdict; and less than that says nothing."""


class PairingBar(QWidget):
    """Target chip, drafter chip, "Use pair", and the verdict below."""

    pairAsked = Signal(object, object)

    def __init__(self, theme: Theme, models: Models, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._models = theme, models
        title = self._title = QLabel("Pairing")
        title.setProperty("scale", "heading")
        self.target = Chip(theme, "pairTarget", "Target", elides=True)
        self.drafter = Chip(theme, "pairDrafter", "Drafter", elides=True)
        for chip in (self.target, self.drafter):
            chip.set_short("")
        plus = QLabel("+")
        plus.setProperty("tone", "3")
        self.use = QPushButton("Use pair")
        self.use.setProperty("kind", "primary")
        self.use.clicked.connect(self._use)
        top = QFrame()
        top.setObjectName("pairTop")
        row = QHBoxLayout(top)
        row.setContentsMargins(20, 0, 20, 0)
        row.setSpacing(10)
        for part in (title, self.target, plus, self.drafter):
            row.addWidget(part)
        row.addStretch(1)
        row.addWidget(self.use)
        self._icon, self.verdict, self.notes = QLabel(), ElidingLabel(), ElidingLabel()
        self.verdict.setObjectName("pairVerdict")
        self.notes.setProperty("tone", "2")
        self._below = QFrame()
        self._below.setObjectName("pairVerdictBar")
        line = QHBoxLayout(self._below)
        line.setContentsMargins(20, 0, 20, 0)
        line.setSpacing(8)
        line.addWidget(self._icon)
        line.addWidget(self.verdict)
        line.addSpacing(8)
        line.addWidget(self.notes)
        line.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(top)
        column.addWidget(self._below)
        self._top = top
        self.target.menu().aboutToShow.connect(self._fill_target)
        self.drafter.menu().aboutToShow.connect(self._fill_drafter)
        models.changed.connect(self.refresh)
        models.pairing.changed.connect(self.refresh)
        theme.changed.connect(self.refresh)
        self.refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where room is scarce, labels give way before names do, and notes before the verdict."""
        super().resizeEvent(event)
        narrow = self.width() < self._theme.px(_NARROW)
        self._title.setVisible(not narrow)
        for chip in (self.target, self.drafter):
            chip.set_compact(narrow)
        self._fit()

    def _fit(self) -> None:
        room, wanted = max(0, self.width() - _AROUND), self.verdict.sizeHint().width()
        self.verdict.setMinimumWidth(min(wanted, room))
        self.notes.setVisible(room - wanted > self._theme.px(_NOTES_LEAST))

    def refresh(self) -> None:
        """Show the pair in view and its verdict."""
        models, theme = self._models, self._theme
        self._top.setFixedHeight(theme.px(48))
        self._below.setFixedHeight(theme.px(32))
        target, drafter = models.pairing.target, models.pairing.drafter
        self.target.show_value("Choose…" if target is None else target.name, title="Target", quiet=target is None)
        none = "None" if target is not None else "–"
        self.drafter.show_value(none if drafter is None else drafter.name, title="Drafter", quiet=drafter is None)
        self.target.setEnabled(any(item.ready for item in models.items))
        self.drafter.setEnabled(target is not None)
        pair = models.pairing.pair
        self.use.setEnabled(target is not None and (drafter is None or (pair is not None and pair.ok)))
        self.use.setText("Use target" if target is not None and drafter is None else "Use pair")
        self._say(target, drafter, pair)

    def _say(self, target: Installed | None, drafter: Installed | None, pair: Candidate | None) -> None:
        models = self._models
        icon, color, text, notes = "info", "text3", "", ""
        if target is None:
            text = "Choose a target; every installed model is then judged as its drafter."
            if not any(item.ready for item in models.items):
                text = "No model here can be loaded yet." if models.scanned else "Looking at the disk…"
        elif drafter is None:
            text = in_words(models.estimate(target), models.context, f"{target.name} needs")
            notes = "without a drafter"
        elif pair is None:
            text = "Comparing the vocabularies…"
        elif pair.ok:
            icon, color, text = "check", "acceptedText", pair.sentence
            notes = "    ".join((*pair.notes, *pair.warnings))
        else:
            icon, color, text = "warning", "rejectedText", f"{_upper(pair.sentence)}. These two cannot be paired."
        if pair is not None and pair.ok and pair.warnings:
            notes = "    ".join((*pair.warnings, *pair.notes))
        self._icon.setPixmap(self._theme.pixmap(icon, color, 14))
        self.verdict.show_text(text)
        self.verdict.setStyleSheet(
            f"color: {self._theme.color(color).name()}; font-weight: {600 if pair is not None and pair.ok else 400};"
        )
        self.notes.show_text(notes)
        self._fit()
        self._below.setAccessibleName(f"{text}. {notes}".strip())

    def _use(self) -> None:
        pairing = self._models.pairing
        if pairing.target is not None:
            self.pairAsked.emit(pairing.target, pairing.drafter)

    def _fill_target(self) -> None:
        menu, models = self.target.menu(), self._models
        menu.clear()
        for item in models.items:
            if item.ready:
                chosen = models.pairing.target is not None and models.pairing.target.path == item.path
                add_row(menu, self._theme, item.name, models.in_words(item), self._choose(item, None), ticked=chosen)

    def _fill_drafter(self) -> None:
        menu, pairing = self.drafter.menu(), self._models.pairing
        menu.clear()
        target = pairing.target
        if target is None:
            return
        alone = self._choose(target, None, suggest=False)
        add_row(menu, self._theme, "None", "One token a round, no drafts.", alone, ticked=pairing.drafter is None)
        for pair in pairing.pairs:
            chosen = pairing.drafter is not None and pairing.drafter.path == pair.item.path
            choose = self._choose(target, pair.item)
            add_row(menu, self._theme, pair.item.name, pair.line, choose, ticked=chosen, alarming=not pair.ok)
        if not pairing.pairs:
            add_row(
                menu, self._theme, "No other model", "Fetch a small one of the same family.", _nothing, enabled=False
            )

    def _choose(self, target: Installed, drafter: Installed | None, *, suggest: bool = True) -> Callable[[], None]:
        return lambda: self._models.pairing.choose(target, drafter, suggest=suggest)


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:]


def _nothing() -> None:
    """Nothing to choose."""
