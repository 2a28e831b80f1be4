"""The program, ended in a given state: by its button, by keys, by the system, or by an abort.

`close`, `keys` and `quit` end it at once, `abort` a second later. Prints the time at which it was told to close.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from draftlens import main
from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.bridge.state import State
from draftlens.ui import application
from draftlens.ui.main_window import MainWindow

REACHED: dict[str, Callable[[EngineBridge], bool]] = {
    "idle": lambda bridge: bridge.state is State.READY,
    "load": lambda bridge: bridge.state is State.LOADING,
    "prefill": lambda bridge: bridge.reply is not None and bridge.reply.prefill is not None and not bridge.reply.rounds,
    "streaming": lambda bridge: bridge.reply is not None and len(bridge.reply.rounds) > 3,
    "connecting": lambda bridge: False,
    "download": lambda bridge: (bridge.loading.fraction or 0.0) > 0.1 if bridge.loading is not None else False,
}


class Closing(MainWindow):
    """A window that is closed as soon as the state is reached."""

    def __init__(self, theme: Any, bridge: EngineBridge, *rest: Any) -> None:
        super().__init__(theme, bridge, *rest)
        for signal in (bridge.stateChanged, bridge.textChanged):
            signal.connect(self._look)
        bridge.problemChanged.connect(self._give_up)
        if sys.argv[1] == "connecting":
            QTimer.singleShot(0, self, self._connect)

    def _connect(self) -> None:
        """Go on with the download in the cache, whose hub accepts nothing."""
        models = self.models.models
        models.begin()
        models.resume(models.downloads.items[0])
        QTimer.singleShot(300, self, self._end)

    def _give_up(self) -> None:
        """A model that does not load is told at once: the state would be waited for in vain."""
        problem = self._bridge.problem
        if problem is not None and problem.can_retry:
            sys.stderr.write(f"{problem.title}: {problem.detail}\n")
            os._exit(3)

    def _look(self) -> None:
        if self.isVisible() and REACHED[sys.argv[1]](self._bridge):
            self._end()

    def _end(self) -> None:
        sys.stdout.write(f"{time.time()}\n")
        sys.stdout.flush()
        if sys.argv[2] == "close":
            self.close()
        elif sys.argv[2] == "abort":
            # As the Metal driver does when memory runs out: no Python handler sees it.
            QTimer.singleShot(1000, os.abort)
        elif sys.argv[2] == "quit":
            QApplication.quit()
        else:
            QTest.keyClick(self, Qt.Key.Key_Q, Qt.KeyboardModifier.ControlModifier)


if __name__ == "__main__":
    vars(application)[MainWindow.__name__] = Closing
    sys.exit(main.run(sys.argv[3:]))
