"""One line of progress on standard error, only where somebody watches; it is gone before the reply begins."""

from __future__ import annotations

import sys
import time

from draftlens.core.events import Prefill

_AFTER = 0.5


class Progress:
    """Overwrites its own line on a terminal; elsewhere prints each stage once."""

    def __init__(self) -> None:
        self._terminal = sys.stderr is not None and sys.stderr.isatty()
        self._shown = ""
        self._stage = ""
        self._started = time.monotonic()

    def stage(self, name: str, fraction: float | None) -> None:
        """Show a stage of loading or fetching."""
        if self._terminal:
            self._write(name if fraction is None else f"{name} {100 * fraction:.0f} %")
        elif name != self._stage and sys.stderr is not None:
            print(name, file=sys.stderr, flush=True)
        self._stage = name

    def prompt(self, event: Prefill) -> None:
        """Show how much of a long prompt has been read."""
        if self._terminal and time.monotonic() - self._started > _AFTER and event.done < event.total:
            self._write(f"Reading prompt {event.done:,} / {event.total:,}")

    def clear(self) -> None:
        """Remove the line."""
        if self._shown:
            self._write("")

    def _write(self, text: str) -> None:
        print(f"\r{text:<{len(self._shown)}}\r{text}", end="", file=sys.stderr, flush=True)
        self._shown = text
