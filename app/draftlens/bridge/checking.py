"""Checking a model's files against the hub's hashes: in the background, with progress, until it is done or stopped."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, Qt, Signal

from draftlens.bridge.background import Background
from draftlens.core.errors import UserError
from draftlens.library import content_hash, repair
from draftlens.library.catalog import Installed
from draftlens.library.content_hash import Checked
from draftlens.library.transfer import Stop, Stopped

_STEP = 0.005


class Checking(QObject):
    """Owner: the window's thread. One model at a time; what was found stays until the next check."""

    progressed = Signal(float)
    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.item: Installed | None = None
        self.fraction: float | None = None
        self.found: Checked | None = None
        self.problem: UserError | None = None
        self._stop = Stop()
        self._background = Background(self)
        self.progressed.connect(self._take_progress, Qt.ConnectionType.QueuedConnection)

    def concerns(self, item: Installed) -> bool:
        """Whether this model is being checked, or was the last that was."""
        return self.item is not None and self.item.path == item.path

    def begin(self, item: Installed) -> None:
        """Check a model; of one that is not from the hub it is said at once that nothing could be checked."""
        snapshot = repair.snapshot_of(item.path)
        self.cancel()
        if snapshot is None:
            self.item, self.fraction, self.found, self.problem = item, None, Checked(0, ()), None
            self.changed.emit()
            return
        self.item, self.fraction, self.found, self.problem = item, 0.0, None, None
        stop = self._stop = Stop()
        told = 0.0

        def report(fraction: float) -> None:
            nonlocal told
            if fraction - told >= _STEP:
                told = fraction
                self.progressed.emit(fraction)

        def work() -> Checked | None:
            try:
                return content_hash.check(snapshot, report, stop)
            except Stopped:
                return None
            except OSError as error:
                where = Path(error.filename or snapshot).name
                raise UserError(f"{where} cannot be read: {error.strerror or error}.") from error

        self._background.run("check", work, self._take, self._fail)
        self.changed.emit()

    def cancel(self) -> None:
        """Stop the check that runs."""
        self._stop.ask()
        if self.fraction is not None:
            self.item, self.fraction = None, None
            self.changed.emit()

    def forget(self) -> None:
        """What was found is being mended."""
        self.item, self.found = None, None
        self.changed.emit()

    def close(self) -> None:
        """The window closes."""
        self._stop.ask()
        self._background.close()

    def _take_progress(self, fraction: float) -> None:
        if self.fraction is not None:
            self.fraction = max(self.fraction, fraction)

    def _take(self, found: Checked | None) -> None:
        if found is not None:
            self.fraction, self.found = None, found
            self.changed.emit()

    def _fail(self, error: UserError) -> None:
        self.fraction, self.problem = None, error
        self.changed.emit()
