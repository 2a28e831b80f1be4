"""Prove it, as the window has it: begun, its progress, stopped, and what came out."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.core import proof
from draftlens.core.events import Compared, EngineDied

_RUN = 1 << 42
"""Runs of proofs count from here, beyond those of chats, comparisons and measurements."""


class Proving(QObject):
    """Owns the proof that runs.

    Attributes:
        done, total: trials.
        result: of the newest proof, None before one or if it was stopped.
        problem: why there is none.
    """

    changed = Signal()

    def __init__(self, bridge: EngineBridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._run = _RUN
        self.running = False
        self.done, self.total = 0, 0
        self.result: proof.Proved | None = None
        self.problem = ""
        bridge.comparisonEvent.connect(self._on_event)
        bridge.stateChanged.connect(self.changed)

    @property
    def can_begin(self) -> bool:
        """Whether a pair is loaded and idle."""
        return self._bridge.loaded is not None and self._bridge.can_load

    def begin(self) -> None:
        """Prove what the next reply would do: its drafter, rule and sampler."""
        if not self.can_begin:
            return
        self._run += 1
        self.running, self.result, self.problem = True, None, ""
        self.done, self.total = 0, 0
        self._bridge.compare(proof.Prove(self._run, self._bridge.next_reply.params), "Proving the rule")

    def stop(self) -> None:
        """End it; nothing is concluded."""
        if self.running:
            self._bridge.stop()

    def _on_event(self, event: object) -> None:
        if not self.running:
            return
        match event:
            case proof.Proving() if event.run == self._run:
                self.done, self.total = event.done, event.total
                self.changed.emit()
            case proof.Proved() if event.run == self._run:
                self.result = event
            case Compared() if event.run == self._run:
                if event.sentence is not None:
                    self.problem = " ".join(filter(None, (event.sentence, event.next_step)))
                elif self.result is None:
                    self.problem = "Stopped; nothing can be concluded."
                self._end()
            case EngineDied():
                self.problem = event.sentence
                self._end()

    def _end(self) -> None:
        self.running = False
        self._bridge.end_comparing()
        self.changed.emit()
