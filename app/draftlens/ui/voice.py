"""What other threads have to say: the store that saving fails, another start that the window is wanted."""

from __future__ import annotations

import logging

from PySide6.QtCore import QObject, Qt, Signal

from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.bridge.preferences import Preferences
from draftlens.bridge.state import Problem, joined
from draftlens.core.errors import UserError
from draftlens.store.events import SaveFailed, SaveResumed, StoreEvent
from draftlens.ui.main_window import MainWindow

LOG = logging.getLogger("draftlens.ui")
_SAVING = "Changes are not being saved"


class Voice(QObject):
    """Brings events of other threads to the window's; until there is a window they wait."""

    _stored = Signal(object)
    _wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._bridge: EngineBridge | None = None
        self._window: MainWindow | None = None
        self._preferences: Preferences | None = None
        queued = Qt.ConnectionType.QueuedConnection
        self._stored.connect(self._on_stored, queued)
        self._wanted.connect(self._on_wanted, queued)

    def store(self, event: StoreEvent) -> None:
        """Called on the store's thread."""
        self._stored.emit(event)

    def wanted(self) -> None:
        """Called on the thread that hears of another start."""
        self._wanted.emit()

    def attach(self, bridge: EngineBridge, window: MainWindow, preferences: Preferences) -> None:
        """Speak through this window."""
        self._bridge, self._window, self._preferences = bridge, window, preferences
        preferences.troubled.connect(self._on_settings)
        bridge.archive.trouble = self.say

    def say(self, *notices: UserError) -> None:
        """Show notices, together if there are several."""
        if notices and self._bridge is not None:
            words = " ".join(joined(n.sentence, n.next_step) for n in notices)
            self._bridge.report(Problem("Something needs to be known", words, warning=True, stays=True))

    def _on_settings(self) -> None:
        if self._preferences is not None and self._preferences.trouble is not None:
            self.say(self._preferences.trouble)

    def _on_stored(self, event: StoreEvent) -> None:
        bridge = self._bridge
        if bridge is None:
            return
        if isinstance(event, SaveFailed):
            bridge.report(Problem(_SAVING, joined(event.error.sentence, event.error.next_step)))
            # A reply need not wait for a disk that refuses.
            bridge.start_unsaved()
        elif isinstance(event, SaveResumed) and bridge.problem is not None and bridge.problem.title == _SAVING:
            bridge.dismiss()

    def _on_wanted(self) -> None:
        if self._window is not None:
            self._window.come_forward()
