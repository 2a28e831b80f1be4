"""Work that must not hold up the window: done on another thread, its result delivered on the window's own."""

from __future__ import annotations

import contextlib
import logging
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from PySide6.QtCore import QObject, Qt, Signal

from draftlens.core.errors import UserError

LOG = logging.getLogger("draftlens.bridge")
T = TypeVar("T")


class Background(QObject):
    """Runs functions elsewhere. Only what was asked last under a name is delivered; older answers are dropped."""

    _done = Signal(str, int, object, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._numbers: dict[str, int] = {}
        self._takers: dict[str, tuple[Callable[[Any], None], Callable[[UserError], None]]] = {}
        self._closed = False
        self._done.connect(self._deliver, Qt.ConnectionType.QueuedConnection)

    def run(
        self, name: str, work: Callable[[], T], take: Callable[[T], None], failed: Callable[[UserError], None]
    ) -> None:
        """Do `work` on another thread, then call `take` or `failed` here."""
        if self._closed:
            return
        number = self._numbers[name] = self._numbers.get(name, 0) + 1
        self._takers[name] = (take, failed)
        # Not a pool: its threads would hold up the end of the program while one waits for the network.
        threading.Thread(target=self._work, args=(name, number, work), name=f"models {name}", daemon=True).start()

    def close(self) -> None:
        """Deliver nothing any more."""
        self._closed = True

    def _work(self, name: str, number: int, work: Callable[[], object]) -> None:
        result: object = None
        error: UserError | None = None
        try:
            result = work()
        except UserError as told:
            error = told
        except Exception as unexpected:  # whoever waits for an answer must get one
            LOG.exception("%s failed", name)
            error = UserError(f"That did not work: {type(unexpected).__name__}.", "The log says more.")
        if not self._closed:
            # The window may have gone between the question and the answer.
            with contextlib.suppress(RuntimeError):
                self._done.emit(name, number, result, error)

    def _deliver(self, name: str, number: int, result: object, error: UserError | None) -> None:
        if self._closed or self._numbers.get(name) != number:
            return
        take, failed = self._takers[name]
        if error is not None:
            failed(error)
        else:
            take(result)
