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
from draftlens.bridge.engine_bridge import EngineBridge, ThreadFactory
from draftlens.bridge.next_reply import NextReply
from draftlens.core.errors import UserError
from draftlens.core.params import SessionParams
from draftlens.ui.main_window import MainWindow
from draftlens.ui.theme import Theme

LOG = logging.getLogger("draftlens.ui")
JOIN_SECONDS = 2.5
"""How long a closed window waits for the engine: a step inside MLX cannot be interrupted."""


@dataclass(frozen=True)
class Start:
    """How to begin: settings, folders (None is the demo pair), whether to load at once, a prompt to send."""

    params: SessionParams
    target: Path | None
    drafter: Path | None
    load: bool
    prompt: str | None
    system: str


def open_window(start: Start, make_thread: ThreadFactory) -> int:
    """Show the window until it is closed; return the exit code."""
    _log_to_file()
    app = QApplication.instance() or QApplication(sys.argv[:1])
    assert isinstance(app, QApplication)
    app.setApplicationName("Draftlens")
    theme = Theme(app)
    theme.apply()
    bridge = EngineBridge(make_thread, NextReply(start.params), start.system)
    window = MainWindow(theme, bridge, _settings_file(), start.prompt)
    window.show()
    if start.load:
        # After the first paint: the window is there before the engine takes the processor.
        QTimer.singleShot(0, window, lambda: bridge.load(start.target, start.drafter))
    with _ClosedBySignal(window.close):
        code = app.exec()
    bridge.quit()
    if not bridge.join(JOIN_SECONDS):
        # Still inside a step that nothing can interrupt. Everything worth keeping is written; leaving now skips
        # the destructors that would abort the process under a running MLX thread.
        LOG.warning("the engine did not end in time; leaving without it")
        logging.shutdown()
        sys.stdout.flush()
        os._exit(code)
    return code


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
