"""Where the engine's events become state of the window: drained by a pump, told in signals without payload."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from draftlens.bridge.next_reply import NextReply
from draftlens.bridge.reply import Reply
from draftlens.bridge.state import STATES, Problem, State, Turn
from draftlens.core.events import (
    EngineDied,
    Event,
    Failed,
    Finished,
    Generate,
    Load,
    Loaded,
    LoadFailed,
    Loading,
    Prefill,
    Quit,
    Request,
    RoundDone,
    Stop,
)
from draftlens.runtime.engine_thread import EngineThread

LOG = logging.getLogger("draftlens.bridge")

PUMP_MS = 33
"""Text is shown at most this often, about 30 times a second."""
FIGURES_S = 0.25
"""Figures change at most four times a second, so that they can be read."""

ThreadFactory = Callable[[Callable[[], None]], EngineThread]


class EngineBridge(QObject):
    """Owns the engine thread and the state of this one chat.

    Args:
        make_thread: makes an engine thread that calls the given function when it has something to say.
        next_reply: the settings each prompt is sent with.
        system: the system prompt, none if empty.
    """

    modelChanged = Signal()
    stateChanged = Signal()
    turnAdded = Signal()
    textChanged = Signal()
    figuresChanged = Signal()
    problemChanged = Signal()
    _woken = Signal()

    def __init__(
        self, make_thread: ThreadFactory, next_reply: NextReply, system: str = "", parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._system = system
        self.next_reply = next_reply
        self.loaded: Loaded | None = None
        self.loading: Loading | None = None
        self.problem: Problem | None = None
        self.turns: list[Turn] = []
        self._make_thread = make_thread
        self._thread: EngineThread | None = None
        self._load: Load | None = None
        self._load_stopped = False
        self._fell_back = False
        self._closing = False
        self._runs = 0
        self._figures_dirty = False
        self._figures_at = 0.0
        self._timer = QTimer(self)
        self._timer.setInterval(PUMP_MS)
        self._timer.timeout.connect(self._pump)
        self._woken.connect(self._on_woken, Qt.ConnectionType.QueuedConnection)

    @property
    def reply(self) -> Reply | None:
        """The newest reply."""
        return self.turns[-1].reply if self.turns else None

    @property
    def running(self) -> bool:
        """Whether a reply is on its way."""
        return self.reply is not None and self.reply.phase.running

    @property
    def can_load(self) -> bool:
        """Whether models can be loaded now: not during a load or a reply."""
        return self.loading is None and not self.running

    @property
    def state(self) -> State:
        """What the window is doing."""
        if self.loading is not None:
            return State.LOADING
        if self.loaded is None:
            return State.NO_MODEL
        phase = None if self.reply is None else self.reply.phase
        return STATES.get(phase, State.READY) if phase is not None else State.READY

    def load(self, target: Path | None, drafter: Path | None = None) -> None:
        """Load models; None is the demo pair. What is loaded stays until the new one is ready."""
        if not self.can_load:
            return
        self.dismiss()
        self._load = Load(target, drafter)
        self._load_stopped = False
        self.loading = Loading("Starting")
        self._send(self._load)
        self.stateChanged.emit()

    def load_drafter(self, drafter: Path) -> None:
        """Pair the loaded target with another draft model."""
        if self.loaded is not None:
            self.load(self.loaded.target.path, drafter)

    def retry(self) -> None:
        """Try the last load again."""
        if self._load is not None:
            self.load(self._load.target, self._load.drafter)

    def send(self, text: str) -> bool:
        """Ask for a reply to `text`, with the turns before it; return whether it was sent."""
        if self.loaded is None or self.loading is not None or self.running or not text.strip():
            return False
        self.dismiss()
        self._runs += 1
        params = self.next_reply.params
        messages = (*self._history(), ("user", text))
        self.turns.append(Turn(text, Reply(self._runs, params, self.loaded.target.name)))
        self._send(Generate(Request(self._runs, params, messages)))
        self.turnAdded.emit()
        self.stateChanged.emit()
        self.figuresChanged.emit()
        return True

    def stop(self) -> None:
        """End the running reply after its round, or the running load at its next step."""
        if self._thread is not None and (self.running or self.loading is not None):
            self._load_stopped = self.loading is not None
            self._thread.send(Stop())

    def dismiss(self) -> None:
        """Take the current problem as read."""
        if self.problem is not None:
            self.problem = None
            self.problemChanged.emit()

    def quit(self) -> None:
        """Ask the thread to end, whatever it does; call `join` to wait for it."""
        self._closing = True
        self._timer.stop()
        if self._thread is not None:
            self._thread.send(Quit())

    def join(self, timeout: float) -> bool:
        """Wait for the thread to end; return whether it has."""
        return self._thread is None or self._thread.join(timeout)

    def _send(self, command: Load | Generate) -> None:
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
            self._pump()

    def _pump(self) -> None:
        events = self._thread.drain() if self._thread is not None else []
        before = self.state
        text = False
        for event in events:
            text |= self._take(event)
        if text:
            self.textChanged.emit()
        # Loading and prefill move without a change of state, and both are shown.
        if self.state is not before or any(isinstance(e, Loading | Prefill) for e in events):
            self.stateChanged.emit()
        now = time.monotonic()
        if self._figures_dirty and (not self.running or now - self._figures_at >= FIGURES_S):
            self._figures_dirty = False
            self._figures_at = now
            self.figuresChanged.emit()
        if not events and not self._figures_dirty:
            self._timer.stop()

    def _take(self, event: Event) -> bool:
        """Apply one event; return whether the reply's text or header changed."""
        match event:
            case Loading():
                self.loading = event if self.loading is not None else None
            case Loaded():
                self._on_loaded(event)
            case LoadFailed():
                self._on_load_failed(event)
            case EngineDied():
                self._on_died(event)
            case Prefill() | RoundDone() | Finished() | Failed():
                return self._on_reply(event)
        return False

    def _on_reply(self, event: Prefill | RoundDone | Finished | Failed) -> bool:
        reply = self.reply
        if reply is None or reply.run != event.run:
            return False
        self._figures_dirty = True
        match event:
            case Prefill():
                reply.read(event)
            case RoundDone():
                reply.add(event.round)
            case Finished():
                reply.end(event)
            case Failed():
                reply.fail(event)
                self._report(Problem("The reply ended with an error", _joined(event.sentence, event.next_step)))
        return True

    def _on_loaded(self, event: Loaded) -> None:
        self.loading = None
        self.loaded = event
        if event.drafter_refusal is not None:
            self._report(Problem("The draft model is not used", event.drafter_refusal, warning=True))
        chosen = self._load is not None and self._load.drafter is not None
        if event.drafter is None and self.next_reply.params.drafter == "draft-model":
            self.next_reply.set_drafter("prompt-lookup")
            self._fell_back = True
        elif event.drafter is not None and (chosen or self._fell_back):
            self.next_reply.set_drafter("draft-model")
            self._fell_back = False
        self.modelChanged.emit()

    def _on_load_failed(self, event: LoadFailed) -> None:
        self.loading = None
        if self._load_stopped:
            return
        kept = "" if self.loaded is None else f" {self.loaded.target.name} is still loaded."
        detail = _joined(event.sentence, event.next_step) + kept
        self._report(Problem("The model could not be loaded", detail, can_retry=True))

    def _on_died(self, event: EngineDied) -> None:
        self._thread = None
        self.loading = self.loaded = None
        if self.reply is not None and self.reply.phase.running:
            self.reply.fail(Failed(self.reply.run, event.sentence))
            self._figures_dirty = True
        self._report(Problem("The engine stopped", f"{event.sentence} The chat is kept.", can_retry=True))
        self.modelChanged.emit()
        self.textChanged.emit()

    def _report(self, problem: Problem) -> None:
        self.problem = problem
        LOG.warning("%s: %s", problem.title, problem.detail)
        self.problemChanged.emit()

    def _history(self) -> tuple[tuple[str, str], ...]:
        """The turns that got a reply; chat templates want users and assistants to take turns."""
        answered = [turn for turn in self.turns if turn.reply.text]
        system = (("system", self._system),) if self._system else ()
        return (*system, *(m for t in answered for m in (("user", t.user), ("assistant", t.reply.text))))


def _joined(sentence: str, next_step: str | None) -> str:
    return sentence if next_step is None else f"{sentence} {next_step}"
