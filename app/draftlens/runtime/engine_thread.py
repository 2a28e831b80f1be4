"""The one thread that runs the engine: commands in, events out, nothing else shared."""

from __future__ import annotations

import itertools
import logging
import queue
import threading
from collections import deque
from collections.abc import Callable
from pathlib import Path

from draftlens.core.commands import Command, Compare, Count, Generate, Load, Quit, Request, Stop
from draftlens.core.engine import Engine
from draftlens.core.errors import UserError
from draftlens.core.events import (
    Cancelled,
    Compared,
    Counted,
    EngineDied,
    Event,
    Failed,
    Finished,
    LoadFailed,
    Loading,
    Prefill,
    RoundDone,
    Started,
    Unloaded,
)
from draftlens.core.proof import Prove
from draftlens.core.round import FinishReason

LOG = logging.getLogger("draftlens.runtime")

FetchDemo = Callable[[Callable[[Loading], None], Callable[[], bool]], tuple[Path, Path]]
"""Returns the demo pair's folders (target, drafter), fetching them first if need be; raises Cancelled on request."""


class EngineThread:
    """Owns the thread and both queues.

    Args:
        engine_factory: makes the engine; called on the thread at the first load, because it imports MLX.
        demo: fetches the demo pair, for a load without a target.
        wake: called without arguments, from the engine thread, when events wait that nobody was told of yet.
    """

    def __init__(
        self,
        engine_factory: Callable[[], Engine],
        demo: FetchDemo,
        wake: Callable[[], None] = lambda: None,
    ) -> None:
        self._factory = engine_factory
        self._demo = demo
        self._wake = wake
        self._commands: queue.SimpleQueue[tuple[int, Command]] = queue.SimpleQueue()
        self._numbers = itertools.count(1)
        self._sending = threading.Lock()
        # A stop reaches the commands sent before it and no later one, whether they run already or still wait:
        # so it is a number to compare with, not a flag that somebody would have to take back in time.
        self._stopped_at = 0
        self._quitting = False
        # Only the newest question matters: the text it was about has changed since the ones before.
        self._count: Count | None = None
        self._events: deque[Event] = deque()
        self._event_lock = threading.Lock()
        self._engine: Engine | None = None
        self._thread = threading.Thread(target=self._run, name="engine", daemon=False)

    def start(self) -> None:
        """Start the thread; it idles, without MLX, until the first load."""
        self._thread.start()

    def send(self, command: Command) -> None:
        """Queue a command. Stop and Quit take effect at once, also on what is running; Count between its rounds."""
        with self._sending:
            number = next(self._numbers)
            if isinstance(command, Stop):
                self._stopped_at = number
                return
            if isinstance(command, Quit):
                self._quitting = True
            if isinstance(command, Count):
                self._count = command
            self._commands.put((number, command))

    def drain(self) -> list[Event]:
        """Return the events since the last call, oldest first. Never waits."""
        with self._event_lock:
            events = list(self._events)
            self._events.clear()
        return events

    def join(self, timeout: float | None = None) -> bool:
        """Wait for the thread to end after Quit; return whether it has."""
        if self._thread.ident is not None:
            self._thread.join(timeout)
        return not self._thread.is_alive()

    @property
    def alive(self) -> bool:
        """Whether the thread runs."""
        return self._thread.is_alive()

    def _emit(self, event: Event) -> None:
        with self._event_lock:
            first = not self._events
            self._events.append(event)
        if first:
            self._wake()

    def _cancelled(self, number: int) -> bool:
        return self._quitting or self._stopped_at > number

    def _run(self) -> None:
        try:
            while not self._quitting:
                number, command = self._commands.get()
                if isinstance(command, Load):
                    self._load(number, command)
                elif isinstance(command, Generate):
                    self._generate(number, command.request)
                elif isinstance(command, Compare | Prove):
                    self._compare(number, command)
                elif isinstance(command, Count):
                    self._answer_count()
        except BaseException as error:
            LOG.exception("the engine thread ends")
            self._emit(EngineDied(f"The engine stopped: {_described(error)}."))
        finally:
            self._close()

    def _load(self, number: int, command: Load) -> None:
        def cancelled() -> bool:
            return self._cancelled(number)

        try:
            target, drafter = command.target, command.drafter
            if target is None:
                self._emit(Loading("Looking for the demo pair"))
                target, own = self._demo(self._emit, cancelled)
                drafter = drafter or own
            if self._engine is None:
                if cancelled():
                    raise Cancelled
                self._emit(Loading("Starting MLX"))
                self._engine = self._factory()
            if cancelled():
                raise Cancelled
            if command.first_unload:
                self._engine.unload()
                self._emit(Unloaded())
            self._emit(self._engine.load(target, drafter, self._emit, cancelled))
        except Cancelled:
            self._emit(LoadFailed("Loading was stopped."))
        except UserError as error:
            self._emit(LoadFailed(error.sentence, error.next_step))
        except Exception as error:
            LOG.exception("loading failed")
            self._emit(LoadFailed(f"Loading failed: {_described(error)}.", "The log has the details."))

    def _generate(self, number: int, request: Request) -> None:
        def cancelled() -> bool:
            return self._cancelled(number)

        def emit(event: Started | Prefill | RoundDone) -> None:
            self._emit(event)
            self._answer_count()

        try:
            if cancelled():
                self._emit(Finished(request.run, FinishReason.STOPPED, ""))
            elif self._engine is None:
                self._emit(Failed(request.run, "No model is loaded.", "Load one first."))
            else:
                self._emit(self._engine.reply(request, emit, cancelled))
        except Cancelled:
            self._emit(Finished(request.run, FinishReason.STOPPED, ""))
        except UserError as error:
            self._emit(Failed(request.run, error.sentence, error.next_step))
        except Exception as error:
            LOG.exception("a reply failed")
            self._emit(Failed(request.run, f"The reply failed: {_described(error)}.", "The log has the details."))

    def _compare(self, number: int, asked: Compare | Prove) -> None:
        def cancelled() -> bool:
            return self._cancelled(number)

        def emit(event: Event) -> None:
            self._emit(event)
            self._answer_count()

        done = Compared(asked.run)
        try:
            if self._engine is None:
                done = Compared(asked.run, "No model is loaded.", "Load one first.")
            elif isinstance(asked, Prove):
                emit(self._engine.prove(asked, emit, cancelled))
            elif not cancelled():
                self._engine.compare(asked, emit, cancelled)
        except Cancelled:
            LOG.info("a comparison or a proof was stopped")
        except UserError as error:
            done = Compared(asked.run, error.sentence, error.next_step)
        except Exception as error:
            LOG.exception("a comparison or a proof failed")
            what = "proof" if isinstance(asked, Prove) else "comparison"
            done = Compared(asked.run, f"The {what} failed: {_described(error)}.", "The log has the details.")
        self._emit(done)

    def _answer_count(self) -> None:
        """Answer the newest question, if it still waits; what cannot be counted is not answered."""
        with self._sending:
            asked, self._count = self._count, None
        if asked is None or self._engine is None:
            return
        try:
            tokens, context = self._engine.count(asked.messages)
        except UserError as error:
            LOG.info("not counted: %s", error.sentence)
        except Exception:
            LOG.exception("counting failed")
        else:
            self._emit(Counted(asked.ticket, tokens, context))

    def _close(self) -> None:
        if self._engine is None:
            return
        try:
            self._engine.close()
        except Exception:
            LOG.exception("closing the engine failed")
        self._engine = None


def _described(error: BaseException) -> str:
    """Name an unexpected error in the middle of a sentence: its first line, or its type if it says nothing."""
    text = str(error).strip()
    line = text.splitlines()[0].rstrip(" .") if text else ""
    return line or type(error).__name__
