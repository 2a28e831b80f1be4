"""The window's life: Qt started, parts joined, and an end that waits for the engine but not for ever."""

from __future__ import annotations

import logging
import logging.handlers
import os
import signal
import socket
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType

from PySide6.QtCore import QSocketNotifier, QTimer
from PySide6.QtWidgets import QApplication

from draftlens import paths
from draftlens.bridge.archive import Archive
from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.bridge.engine_link import ThreadFactory
from draftlens.bridge.next_reply import NextReply
from draftlens.bridge.preferences import Preferences
from draftlens.core.errors import UserError
from draftlens.core.params import SessionParams
from draftlens.store.instance import claim
from draftlens.store.opening import open_store
from draftlens.ui.garbage import Garbage
from draftlens.ui.main_window import MainWindow
from draftlens.ui.theme import Theme
from draftlens.ui.voice import Voice

LOG = logging.getLogger("draftlens.ui")
JOIN_SECONDS = 0.8
"""How long a closed window waits for the engine: a step inside MLX cannot be interrupted."""
CLEAN_SECONDS = 2.0
"""How long it waits for a load: a download that is stopped takes away what it had begun."""

_CUT_SHORT = UserError(
    "Draftlens ended unexpectedly while it wrote a reply: what was written is kept in the newest chat.",
    "Continue goes on with it; if memory ran out, a smaller model or a shorter chat needs less.",
)


@dataclass(frozen=True)
class Start:
    """How to begin.

    Attributes:
        preferences: the settings in force.
        notices: what was wrong with their file.
        asked: parameters given on the command line; they outrank the settings until the end.
        target, drafter: folders; None is the demo pair.
        load: whether to load at once.
        prompt: sent once a model is ready.
        system: the system prompt given on the command line.
    """

    preferences: Preferences
    notices: tuple[UserError, ...] = ()
    asked: SessionParams | None = None
    target: Path | None = None
    drafter: Path | None = None
    load: bool = False
    prompt: str | None = None
    system: str = ""

    def params(self) -> SessionParams:
        """What a chat without parameters of its own is asked to be."""
        return self.asked or self.preferences.settings.session()


def open_window(start: Start, make_thread: ThreadFactory) -> int:
    """Show the window until it is closed; return the exit code."""
    _log_to_file()
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    app.setApplicationName("Draftlens")
    voice = Voice()
    folder = paths.data_dir()
    try:
        instance = claim(folder, voice.wanted)
    except UserError as error:
        # Without the claim two windows could write the same chats: this one keeps nothing and says so.
        return _run(app, start, make_thread, voice, Archive(), (error,))
    if instance is None:
        return 0
    try:
        opened = open_store(folder, voice.store)
    except UserError as error:
        code = _run(app, start, make_thread, voice, Archive(), (error,))
    else:
        notices = (*opened.notices, *([_CUT_SHORT] if opened.interrupted else []))
        code = _run(app, start, make_thread, voice, Archive(opened.database), notices)
    instance.close()
    return code


def _run(
    app: QApplication,
    start: Start,
    make_thread: ThreadFactory,
    voice: Voice,
    archive: Archive,
    notices: tuple[UserError, ...],
) -> int:
    theme = Theme(app)
    theme.apply()
    archive.forget_old()
    preferences = start.preferences
    system = start.system or preferences.settings.system_prompt
    bridge = EngineBridge(make_thread, NextReply(start.params()), system, archive, start.params)
    if not start.system:
        preferences.changed.connect(lambda: bridge.follow_settings(preferences.settings.system_prompt))
    window = MainWindow(theme, bridge, _settings_file(), start.prompt, preferences)
    voice.attach(bridge, window, preferences)
    voice.say(*notices, *start.notices)
    bridge.modelChanged.connect(lambda: _remember_model(bridge, preferences, start))
    window.show()
    Garbage(window, bridge)
    if start.load:
        # After the first paint: the window is there before the engine takes the processor.
        QTimer.singleShot(0, window, lambda: bridge.load(start.target, start.drafter))
    with _ClosedBySignal(window.close):
        code = app.exec()
    patience = JOIN_SECONDS if bridge.loading is None else CLEAN_SECONDS
    bridge.quit()
    if archive.db is not None and not archive.db.close():
        LOG.error("not everything could be saved before the end")
    if not bridge.join(patience):
        # Still inside a step that nothing can interrupt. Everything worth keeping is written; leaving now skips
        # the destructors that would abort the process under a running MLX thread.
        LOG.warning("the engine did not end in time; leaving without it")
        logging.shutdown()
        sys.stdout.flush()
        os._exit(code)
    return code


def _remember_model(bridge: EngineBridge, preferences: Preferences, start: Start) -> None:
    """The folders chosen last are loaded at the next start; those of the command line are not."""
    asked = bridge.last_load
    if (
        bridge.loaded is not None
        and asked is not None
        and (asked.target, asked.drafter) != (start.target, start.drafter)
    ):
        preferences.set(target=asked.target, drafter=asked.drafter)


def _settings_file() -> Path | None:
    return paths.config_dir() / "window.ini"


def _log_to_file() -> None:
    """Keep a small log; without a place for it, errors still go to stderr."""
    log = logging.getLogger("draftlens")
    log.setLevel(logging.INFO)
    console = logging.StreamHandler()
    console.setLevel(logging.ERROR)
    log.addHandler(console)
    try:
        folder = paths.make_folder(paths.logs_dir())
        file = logging.handlers.RotatingFileHandler(
            folder / "draftlens.log", maxBytes=1_000_000, backupCount=2, encoding="utf-8", delay=True
        )
    except (UserError, OSError) as error:
        LOG.warning("no log file: %s", error)
    else:
        file.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
        log.addHandler(file)
    sys.excepthook = _log_exception


def _log_exception(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    LOG.error("unexpected error", exc_info=(kind, error, trace))


class _ClosedBySignal:
    """Ctrl+C and a polite kill close the window as its button does.

    A Python signal handler only runs when the interpreter does, and Qt's loop may sleep for hours: the signal
    number therefore arrives through a socket that the loop watches.
    """

    def __init__(self, close: Callable[[], object]) -> None:
        self._close = close
        self._reader, self._writer = socket.socketpair()
        self._writer.setblocking(False)

    def __enter__(self) -> None:
        self._before = [(number, signal.signal(number, self._ignore)) for number in (signal.SIGINT, signal.SIGTERM)]
        self._descriptor = signal.set_wakeup_fd(self._writer.fileno())
        self._notifier = QSocketNotifier(self._reader.fileno(), QSocketNotifier.Type.Read)
        self._notifier.activated.connect(self._arrived)

    def __exit__(self, *_: object) -> None:
        self._notifier.setEnabled(False)
        signal.set_wakeup_fd(self._descriptor)
        for number, handler in self._before:
            signal.signal(number, handler)
        self._reader.close()
        self._writer.close()

    def _arrived(self) -> None:
        self._reader.recv(16)
        self._close()

    @staticmethod
    def _ignore(_number: int, _frame: object) -> None:
        """The socket tells."""
