"""Prove it: what is tested, how far it is, and the result in words with its figures."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QHBoxLayout, QLabel, QProgressBar, QPushButton, QVBoxLayout, QWidget

from draftlens.bridge.proving import Proving
from draftlens.ui.dialogs.room import make_room
from draftlens.ui.theme import Theme

WORDS = (
    "Runs the loaded pair with the drafter, rule and sampler of the next reply on a few short contexts, each of which "
    "may go on with four tokens only, and holds the tokens that come out against the target’s own distribution. The "
    "wrong rule “resample from p” runs too and must be rejected: a test that cannot fail proves nothing."
)


class ProofDialog(QDialog):
    """Not modal; closing it leaves the proof running."""

    def __init__(self, theme: Theme, proving: Proving, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._proving = theme, proving
        self.setWindowTitle("Prove it")
        words = QLabel(WORDS)
        words.setProperty("tone", "2")
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setAccessibleName("Trials made")
        self.state, self.own, self.wrong = QLabel(), QLabel(), QLabel()
        self._icon = QLabel()
        for label in (words, self.state, self.own, self.wrong):
            label.setWordWrap(True)
            label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        for label in (self.own, self.wrong):
            label.setProperty("tone", "2")
        self.run = QPushButton("Run")
        self.run.setDefault(True)
        self.stop = QPushButton("Stop")
        self.run.clicked.connect(proving.begin)
        self.stop.clicked.connect(proving.stop)
        verdict = QHBoxLayout()
        verdict.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignTop)
        verdict.addWidget(self.state, 1)
        foot = QHBoxLayout()
        foot.addStretch(1)
        foot.addWidget(self.stop)
        foot.addWidget(self.run)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(20, 18, 20, 18)
        layout.setSpacing(12)
        layout.addWidget(words)
        layout.addWidget(self.bar)
        layout.addLayout(verdict)
        layout.addWidget(self.own)
        layout.addWidget(self.wrong)
        layout.addStretch(1)
        layout.addLayout(foot)
        proving.changed.connect(self.refresh)
        theme.changed.connect(self.refresh)

    def refresh(self) -> None:
        """Show how far it is, or what came out."""
        proving, result = self._proving, self._proving.result
        self.bar.setVisible(proving.running)
        self.bar.setRange(0, max(1, proving.total))
        self.bar.setValue(proving.done)
        self.run.setEnabled(proving.can_begin)
        self.run.setText("Run" if result is None else "Run again")
        self.stop.setEnabled(proving.running)
        self.own.setText("" if result is None else result.own.sentence())
        self.wrong.setText("" if result is None else f"{result.wrong.sentence()} {_rejected(result.wrong.fits)}")
        for label in (self.own, self.wrong):
            label.setVisible(result is not None)
        if proving.running:
            self.state.setText(
                f"Trial {proving.done:,} of {proving.total:,}" if proving.total else "Reading the contexts"
            )
        elif result is not None:
            self.state.setText(result.verdict())
        else:
            self.state.setText(
                proving.problem or ("" if proving.can_begin else "Load a pair first, or wait until it is idle.")
            )
        self.state.setVisible(bool(self.state.text()))
        self._icon.setVisible(result is not None and not proving.running)
        if result is not None:
            name, color = ("check", "acceptedText") if result.holds else ("warning", "residualText")
            self._icon.setPixmap(self._theme.pixmap(name, color, 15))
        make_room(self, self._theme.px(520))


def _rejected(fits: bool) -> str:
    return "It was not rejected." if fits else "It was rejected, as it must be."
