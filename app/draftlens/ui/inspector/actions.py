"""What the inspector asks for, done: files, branches, the plain baseline, the proof."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QFileDialog, QMenu

from draftlens.bridge import figures, measuring, run_files
from draftlens.bridge.branching import alternatives, branch
from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.bridge.measuring import Measuring
from draftlens.bridge.positions import position_of
from draftlens.bridge.proving import Proving
from draftlens.bridge.state import Problem
from draftlens.core.chat import Role
from draftlens.core.errors import UserError
from draftlens.ui.dialogs.proof import ProofDialog
from draftlens.ui.inspector.inspector import Inspector

if TYPE_CHECKING:
    from draftlens.ui.main_window import MainWindow

_FILES = "Run records (*.jsonl)"


class InspectorActions(QObject):
    """Owner: the window. Everything that goes wrong is said in its banner."""

    def __init__(self, window: MainWindow, inspector: Inspector, bridge: EngineBridge) -> None:
        super().__init__(window)
        self._window, self._inspector, self._bridge = window, inspector, bridge
        self.measuring = Measuring(bridge, lambda: window.preferences.settings.idle_baseline, self)
        self._proof: ProofDialog | None = None
        window.chat.tokenAsked.connect(self.show_token)
        inspector.log.exportAsked.connect(self.export)
        inspector.log.openAsked.connect(self.open)
        inspector.log.runAsked.connect(bridge.select)
        inspector.log.shown.connect(self.list_runs)
        inspector.distribution.branchAsked.connect(self.offer_branches)
        paying = inspector.run.times.paying
        paying.measureAsked.connect(self.measure)
        paying.offAsked.connect(lambda: bridge.next_reply.set_speculation(False))
        self.proving = Proving(bridge, self)
        inspector.run.prove.clicked.connect(self.prove)
        inspector.run.forms_on.clicked.connect(self.turn_forms_on)
        self.measuring.changed.connect(bridge.figuresChanged)
        self.measuring.changed.connect(bridge.stateChanged)
        bridge.pathChanged.connect(self.list_runs)
        bridge.chatChanged.connect(self.list_runs)
        bridge.listChanged.connect(self.list_runs)
        bridge.selectionChanged.connect(self.list_runs)
        bridge.stateChanged.connect(self.refresh)

    def show_reply(self) -> None:
        """Show the reply whose figures are asked for, with what is known of plain decoding."""
        reply = self._bridge.reply
        baseline = None if reply is None else self.measuring.baseline(reply)
        words = measuring.tile_words(reply, baseline)
        self._inspector.show_reply(reply, self._bridge.next_reply.rule, words)
        self.refresh()

    def show_token(self, message: str, row: int, slot: int) -> None:
        """Show a token of the transcript everywhere."""
        self._bridge.select(message)
        self._window.chat.token_steps.choose(row, slot)

    def refresh(self) -> None:
        """Show whether it pays, and offer what can be done about it."""
        bridge = self._bridge
        reply = bridge.reply
        baseline = None if reply is None else self.measuring.baseline(reply)
        found = measuring.gain_of(reply, baseline)
        self._inspector.run.times.paying.show_words(
            measuring.paying_words(reply, baseline, running=self.measuring.running),
            can_measure=self.measuring.can_measure(reply),
            loses=found is not None and found.loses and bridge.next_reply.speculation,
            measured=baseline is not None,
        )
        self._inspector.distribution.show_free(bridge.loaded is not None and bridge.can_load)

    def list_runs(self) -> None:
        """Offer the replies of the chat in the Log tab, if it is in view: there may be thousands."""
        if not self._inspector.log.isVisible():
            return
        chat = self._bridge.chat
        replies = [m for m in chat.path if m.role is Role.ASSISTANT]
        current = self._bridge.reply
        labels = [
            (m.id, f"Reply {n} of {len(replies)} · {m.model or 'Reply'} · {figures.opening(m.content)}")
            for n, m in enumerate(replies, 1)
        ]
        self._inspector.log.show_runs(labels, "" if current is None else current.message)

    def prove(self) -> None:
        """Show the proof; it is begun there."""
        if self._proof is None:
            self._proof = ProofDialog(self._window.theme, self.proving, self._window)
        self._proof.refresh()
        self._proof.show()
        self._proof.raise_()
        self._proof.activateWindow()

    def turn_forms_on(self) -> None:
        """From the next reply on, here and in new chats."""
        self._window.preferences.set(closed_forms=True)
        following = self._bridge.next_reply
        following.take(replace(following.params, closed_forms=True))

    def measure(self) -> None:
        """Measure plain decoding for the reply shown."""
        reply = self._bridge.reply
        if reply is not None:
            self.measuring.measure(reply)

    def export(self) -> None:
        """Write the run record of the reply shown."""
        reply = self._bridge.reply
        if reply is None:
            return
        name = f"{figures.opening(self._bridge.chat.conversation.title) or 'run'}.jsonl"
        path, _ = QFileDialog.getSaveFileName(self._window, "Export run record", name, _FILES)
        if path:
            self.export_to(Path(path))

    def export_to(self, path: Path) -> None:
        """Write the run record of the reply shown to a file."""
        bridge, reply = self._bridge, self._bridge.reply
        if reply is not None:
            self._try(
                "The run record was not written",
                lambda: run_files.export(bridge.archive, bridge.chat, reply, bridge.system, path),
            )

    def open(self) -> None:
        """Choose a run record and show it."""
        path, _ = QFileDialog.getOpenFileName(self._window, "Open run record", "", f"{_FILES};;All files (*)")
        if path:
            self.open_file(Path(path))

    def open_file(self, path: Path) -> None:
        """Show a run record as a chat of its own."""
        bridge = self._bridge

        def show() -> None:
            bridge.open(run_files.take(bridge.archive, path))
            bridge.listChanged.emit()

        self._try("The run record was not opened", show)

    def offer_branches(self) -> None:
        """Let the person choose another token for the selected place."""
        distribution, selection = self._inspector.distribution, self._bridge.selection
        menu = QMenu(distribution.branch)
        menu.setAccessibleName("Tokens to branch with")
        round_ = selection.round
        choices = () if round_ is None else alternatives(position_of(round_, selection.slot))
        for odds in choices:
            action = menu.addAction(f"{odds.text}\tp {odds.p:.3f}")
            action.triggered.connect(lambda _, token=odds.token: self.branch(token))
        if not choices:
            menu.addAction("No other token was kept for this place").setEnabled(False)
        menu.popup(distribution.branch.mapToGlobal(distribution.branch.rect().topLeft()) - menu.rect().bottomLeft())

    def branch(self, token: int) -> None:
        """Write a new version of the reply with another token at the selected place."""
        selection = self._bridge.selection
        if selection.reply is not None:
            branch(self._bridge, selection.reply.message, selection.row, selection.slot, token)

    def _try(self, title: str, act: Callable[[], None]) -> None:
        try:
            act()
        except UserError as error:
            words = error.sentence if error.next_step is None else f"{error.sentence} {error.next_step}"
            self._bridge.report(Problem(title, words, warning=True))
