"""Python looks through all that is kept for garbage only while nothing moves: with a long chat it takes four frames."""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.ui.main_window import MainWindow

REST_MS = 2000
_DUE = 10
"""Python's own measure of when a full look is worth it: so many looks through what is young."""
_NEVER = 1_000_000_000


class Garbage(QObject):
    """Owner: one for the program. Young garbage, which is nearly all of it, is still looked for at any time."""

    def __init__(self, window: MainWindow, bridge: EngineBridge) -> None:
        super().__init__(window)
        self._bridge = bridge
        # What is there from the start stays to the end and need never be looked at.
        gc.freeze()
        young, middle, _ = gc.get_threshold()
        gc.set_threshold(young, middle, _NEVER)
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._rest.timeout.connect(self._look)
        window.chat.transcript.verticalScrollBar().valueChanged.connect(lambda _: self._rest.start())
        window.chat.composer.changed.connect(self._rest.start)
        bridge.stateChanged.connect(self._rest.start)

    def _look(self) -> None:
        if self._bridge.running or self._bridge.loading is not None:
            self._rest.start()
        elif gc.get_count()[2] >= _DUE:
            gc.collect()
