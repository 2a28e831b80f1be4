"""The engine as the window sees it: its thread, what is loaded, and a pump that drains its events."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from draftlens.bridge.next_reply import NextReply
from draftlens.bridge.state import Problem, joined
from draftlens.core.commands import Command, Count, Load, Quit, Stop
from draftlens.core.events import Compared, Counted, Differed, EngineDied, Event, Loaded, LoadFailed, Loading, Unloaded
from draftlens.core.proof import Proved, Proving
from draftlens.runtime.engine_thread import EngineThread

LOG = logging.getLogger("draftlens.bridge")

PUMP_MS = 33
"""Text is shown at most this often, about 30 times a second."""
FIGURES_S = 0.25
"""Figures change at most four times a second, so that they can be read."""
HEAVY_S = 0.008
"""After an update of the text that took so long, one is left out."""
SLOW_MS = 20_000
"""A load that says nothing for so long is called slow."""

ThreadFactory = Callable[[Callable[[], None]], EngineThread]


class EngineLink(QObject):
    """Owns the engine thread; knows of loading and of trouble, but of no conversation.

    Args:
        make_thread: makes an engine thread that calls the given function when it has something to say.
        next_reply: the settings each prompt is sent with; a load changes the drafter to one that can run.
    """

    modelChanged = Signal()
    stateChanged = Signal()
    textChanged = Signal()
    figuresChanged = Signal()
    problemChanged = Signal()
    counted = Signal()
    comparisonEvent = Signal(object)
    _woken = Signal()

    def __init__(self, make_thread: ThreadFactory, next_reply: NextReply, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.next_reply = next_reply
        self.loaded: Loaded | None = None
        self.loading: Loading | None = None
        self.problem: Problem | None = None
        self.count: Counted | None = None
        self.slow = False
        self.comparing = ""
        self.aside = ""
        self._make_thread = make_thread
        self._thread: EngineThread | None = None
        self._load: Load | None = None
        self._load_stopped = False
        self._load_next: Load | None = None
        self._fell_back = False
        self._closing = False
        self._tickets = 0
        self._figures_dirty = False
        self._figures_at = 0.0
        self._breathes = False
        self._timer = QTimer(self)
        self._timer.setInterval(PUMP_MS)
        self._timer.timeout.connect(self._pump)
        self._figures_soon = QTimer(self)
        self._figures_soon.setSingleShot(True)
        self._figures_soon.setInterval(PUMP_MS // 2)
        self._figures_soon.timeout.connect(self.figuresChanged)
        self._patience = QTimer(self)
        self._patience.setSingleShot(True)
        self._patience.setInterval(SLOW_MS)
        self._patience.timeout.connect(self._on_slow)
        self._woken.connect(self._on_woken, Qt.ConnectionType.QueuedConnection)

    @property
    def running(self) -> bool:
        """Whether a reply or a comparison is on its way."""
        return bool(self.comparing)

    @property
    def can_load(self) -> bool:
        """Whether models can be loaded now: not during a load or a reply."""
        return self.loading is None and not self.running

    @property
    def last_load(self) -> Load | None:
        """What was asked to be loaded last."""
        return self._load

    def load(self, target: Path | None, drafter: Path | None = None, *, first_unload: bool = False) -> None:
        """Load models; None is the demo pair. What is loaded stays until the new one is ready, or goes first."""
        if not self.can_load:
            return
        if self.problem is not None and not self.problem.stays:
            self.dismiss()
        self._load = Load(target, drafter, first_unload)
        self._load_stopped = False
        self.loading = Loading("Starting")
        self._patience.start()
        self._send(self._load)
        self.stateChanged.emit()

    def load_drafter(self, drafter: Path) -> None:
        """Pair the loaded target with another draft model."""
        if self.loaded is not None:
            self.load(self.loaded.target.path, drafter)

    def retry(self) -> None:
        """Try the last load again; one that still goes on is stopped first."""
        if self._load is None:
            return
        if self.loading is not None:
            self._load_next = self._load
            self.stop()
        else:
            self.load(self._load.target, self._load.drafter, first_unload=self._load.first_unload)

    def stop(self) -> None:
        """End the running reply after its round, or the running load at its next step."""
        if self._thread is not None and (self.running or self.loading is not None):
            self._load_stopped = self.loading is not None
            self._thread.send(Stop())

    def ask_count(self, messages: tuple[tuple[str, str], ...]) -> int:
        """Ask how many tokens a chat takes; the answer with the returned ticket comes as `count`."""
        self._tickets += 1
        if self.loaded is not None and self._thread is not None and messages:
            self._thread.send(Count(self._tickets, messages))
        return self._tickets

    def report(self, problem: Problem) -> None:
        """Tell the person about a problem."""
        self.problem = problem.behind(self.problem)
        LOG.warning("%s: %s", problem.title, problem.detail)
        self.problemChanged.emit()

    def dismiss(self) -> None:
        """Take the current problem as read."""
        if self.problem is not None:
            self.problem = None
            self.problemChanged.emit()

    def quit(self) -> None:
        """Ask the thread to end, whatever it does; call `join` to wait for it."""
        self._closing = True
        self._timer.stop()
        self._patience.stop()
        if self._thread is not None:
            self._thread.send(Quit())

    def join(self, timeout: float) -> bool:
        """Wait for the thread to end; return whether it has."""
        return self._thread is None or self._thread.join(timeout)

    def _send(self, command: Command) -> None:
        if self._thread is None:
            self._thread = self._make_thread(self._wake)
            self._thread.start()
        self._thread.send(command)

    def _wake(self) -> None:
        """Called on the engine thread: nothing but the fact crosses, and it is queued."""
        if not self._closing:
            self._woken.emit()

    def _on_woken(self) -> None:
        if not self._timer.isActive() and not self._closing:
            self._timer.start()
            if not self.running:
                self._pump()
            # While a reply streams, the engine now builds its next forward in Python and both would want the
            # interpreter; a pump later it computes without it.

    def _pump(self) -> None:
        if self._breathes:
            # The last update took much of a frame, or the figures take the next: what was typed meanwhile comes first.
            self._breathes = False
            return
        start = time.monotonic()
        events = self._thread.drain() if self._thread is not None else []
        self._take_all(events)
        now = time.monotonic()
        if self._figures_dirty and (not (self.running or self.aside) or now - self._figures_at >= FIGURES_S):
            self._figures_dirty = False
            self._figures_at = now
            if self.running and events:
                # Not in one go with the text: each alone is painted within a frame.
                self._figures_soon.start()
            else:
                self._figures_soon.stop()
                self.figuresChanged.emit()
        self._breathes = self.running and (self._figures_soon.isActive() or time.monotonic() - start > HEAVY_S)
        if not events and not self._figures_dirty:
            self._timer.stop()

    def _take_all(self, events: list[Event]) -> None:
        """Apply events in order and tell once what changed; the conversations override it."""
        for event in events:
            self._take(event)

    def _take(self, event: Event) -> None:
        """Apply an event that concerns no reply."""
        match event:
            case Loading():
                self.loading = event if self.loading is not None else None
                self.slow = False
                self._patience.start()
            case Loaded():
                self._on_loaded(event)
            case Unloaded():
                self.loaded = None
                self.modelChanged.emit()
            case LoadFailed():
                self._on_load_failed(event)
            case Counted():
                self.count = event
                self.counted.emit()
            case Differed() | Compared() | Proving() | Proved():
                self.comparisonEvent.emit(event)
            case EngineDied():
                self._on_died(event)
            case _:
                pass

    def _on_slow(self) -> None:
        if self.loading is not None:
            self.slow = True
            self.stateChanged.emit()

    def _load_over(self) -> None:
        self.loading = None
        self.slow = False
        self._patience.stop()

    def _on_loaded(self, event: Loaded) -> None:
        self._load_over()
        self.loaded = event
        if event.drafter_refusal is not None:
            self.report(Problem("The draft model is not used", event.drafter_refusal, warning=True))
        elif event.warnings:
            self.report(Problem(f"{event.target.name} is ready, with a note", " ".join(event.warnings), warning=True))
        chosen = self._load is not None and self._load.drafter is not None
        if event.drafter is None and self.next_reply.params.drafter == "draft-model":
            self.next_reply.set_drafter("prompt-lookup")
            self._fell_back = True
        elif event.drafter is not None and (chosen or self._fell_back):
            self.next_reply.set_drafter("draft-model")
            self._fell_back = False
        self.modelChanged.emit()

    def _on_load_failed(self, event: LoadFailed) -> None:
        self._load_over()
        again, self._load_next = self._load_next, None
        if again is not None:
            self.load(again.target, again.drafter, first_unload=again.first_unload)
            return
        if self._load_stopped:
            return
        kept = "" if self.loaded is None else f" {self.loaded.target.name} is still loaded."
        detail = joined(event.sentence, event.next_step) + kept
        self.report(Problem("The model could not be loaded", detail, can_retry=True))

    def _on_died(self, event: EngineDied) -> None:
        self._thread = None
        self._load_over()
        self.loaded = None
        if self.comparing or self.aside:
            self.comparisonEvent.emit(event)
        self.report(Problem("The engine stopped", f"{event.sentence} The chat is kept.", can_retry=True))
        self.modelChanged.emit()
