"""Comparisons, proofs and measurements on the engine: waited for, or aside, where the next command ends them."""

from __future__ import annotations

from draftlens.bridge.engine_link import EngineLink
from draftlens.core.commands import Command, Stop


class Trials(EngineLink):
    """What is tried is described in words while it runs; its events come as `comparisonEvent`, `Compared` last."""

    def compare(self, command: Command, words: str) -> None:
        """Run a trial or a proof."""
        self.comparing = words
        self._send(command)
        self.stateChanged.emit()

    def end_comparing(self) -> None:
        """Nothing is compared any more."""
        self.comparing = ""
        self.stateChanged.emit()

    def do_aside(self, command: Command, words: str) -> None:
        """Run a trial that nobody waits for: to the window the engine stays free."""
        self._send(command)
        self.aside = words
        self.stateChanged.emit()

    def end_aside(self) -> None:
        """What ran aside is over."""
        self.aside = ""
        self.stateChanged.emit()

    def _send(self, command: Command) -> None:
        if self.aside and self._thread is not None:
            self.aside = ""
            self._thread.send(Stop())
        super()._send(command)
