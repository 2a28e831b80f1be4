"""The chat: provenance bar, transcript or what to do first, composer."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QProgressBar, QPushButton, QSizePolicy, QStackedWidget, QVBoxLayout, QWidget

from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.bridge.reply import Phase
from draftlens.bridge.state import State
from draftlens.core.round import Source
from draftlens.core.rules import RuleId
from draftlens.samples import sample_prompt
from draftlens.ui.chat.composer import Composer
from draftlens.ui.chat.provenance_bar import ProvenanceBar
from draftlens.ui.chat.transcript import Transcript
from draftlens.ui.column import Column
from draftlens.ui.theme import Theme


class EmptyChat(QWidget):
    """In place of the first turn: how far the load is, then what will appear here and one thing to do."""

    sampleAsked = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.title, self.words = QLabel(), QLabel()
        self.title.setProperty("scale", "title")
        self.words.setProperty("tone", "2")
        self.words.setWordWrap(True)
        self.words.setFixedSize(420, 44)
        for label in (self.title, self.words):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop)
        self.progress = QProgressBar()
        self.progress.setTextVisible(False)
        self.progress.setFixedWidth(320)
        self.progress.setRange(0, 1000)
        self.progress.setAccessibleName("Loading")
        self.sample = QPushButton("Write a sample prompt")
        self.sample.clicked.connect(self.sampleAsked)
        layout = QVBoxLayout(self)
        layout.setSpacing(10)
        layout.addStretch(2)
        for part in (self.title, self.words, self.progress, self.sample):
            layout.addWidget(part, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(3)

    def show_loading(self, stage: str, fraction: float | None) -> None:
        """Show a load's progress; without a known fraction only its stage."""
        self.title.setText(f"{stage}…" if fraction is None else f"{stage}, {fraction:.0%}")
        self.words.setText("A prompt can be written meanwhile; Send waits until the model is ready.")
        self.progress.setVisible(fraction is not None)
        self.progress.setValue(round(1000 * (fraction or 0)))
        self.sample.hide()

    def show_ready(self, model: str) -> None:
        """Show what to do."""
        self.title.setText(f"{model} is ready")
        self.words.setText("Replies appear here as they are drafted and decided, with every round beside them.")
        self.progress.hide()
        self.sample.show()


class ChatPane(QWidget):
    """Everything between the toolbar and the inspector."""

    def __init__(self, theme: Theme, bridge: EngineBridge, shortcut: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setMinimumWidth(420)
        self._bridge = bridge
        self.provenance = ProvenanceBar(theme, shortcut)
        self.transcript = Transcript(theme)
        self.empty = EmptyChat()
        self.composer = Composer(theme)
        self._stack = QStackedWidget()
        self._stack.addWidget(self.empty)
        self._stack.addWidget(self.transcript)
        self._stack.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 16)
        layout.setSpacing(0)
        layout.addWidget(self.provenance)
        layout.addWidget(self._stack, 1)
        layout.addWidget(Column(self.composer))
        self.provenance.switch.toggled.connect(self.transcript.set_tinted)
        self.composer.sendAsked.connect(self.send)
        self.composer.stopAsked.connect(bridge.stop)
        self.empty.sampleAsked.connect(self._write_sample)
        bridge.turnAdded.connect(self._on_turn)
        bridge.textChanged.connect(self.transcript.refresh)
        bridge.stateChanged.connect(self.refresh)
        bridge.modelChanged.connect(self.refresh)
        bridge.figuresChanged.connect(self._on_figures)
        bridge.next_reply.changed.connect(self._name_replacement)
        self._name_replacement()
        self.refresh()

    def send(self) -> None:
        """Send what is written."""
        if self._bridge.send(self.composer.text):
            self.composer.take()

    def refresh(self) -> None:
        """Show the state the bridge is in."""
        bridge, state = self._bridge, self._bridge.state
        loading, loaded = bridge.loading, bridge.loaded
        self._stack.setCurrentWidget(self.transcript if bridge.turns else self.empty)
        if loading is not None:
            self.empty.show_loading(loading.stage, loading.fraction)
        elif loaded is not None:
            self.empty.show_ready(loaded.target.name)
        hint = "" if loading is None else f"{loading.stage}…"
        if loading is not None and loading.fraction is not None:
            hint = f"{loading.stage}, {loading.fraction:.0%}"
        self.composer.show_state(
            ready=loaded is not None and loading is None and not bridge.running,
            can_stop=loading is not None or bridge.running,
            usable=loaded is not None or loading is not None,
            hint=hint if bridge.turns else "",
        )
        self.transcript.refresh()
        if state is State.FAILED and bridge.reply is not None and not bridge.reply.pieces:
            # Nothing came of it: the prompt goes back, so that it need not be written again.
            self.composer.put(bridge.turns[-1].user)

    def _on_turn(self) -> None:
        self.transcript.add(self._bridge.turns[-1])
        self._stack.setCurrentWidget(self.transcript)

    def _on_figures(self) -> None:
        reply = self._bridge.reply
        if reply is not None and reply.phase is not Phase.WAITING:
            self.transcript.refresh_header()
            self._name_replacement()

    def _name_replacement(self) -> None:
        reply = self._bridge.reply
        rule = self._bridge.next_reply.rule
        if reply is not None and reply.stats.rule is not None:
            rule = reply.stats.rule
        self.provenance.show_replacement(Source.RESIDUAL if rule is RuleId.STOCHASTIC else Source.TARGET)

    def _write_sample(self) -> None:
        self.composer.put(sample_prompt())
        self.composer.edit.setFocus()
