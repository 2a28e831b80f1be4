"""How soon the program is there: help on the terminal, a window on the screen before any model is loaded."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

from bench.figures import REPEATS, Figure, bench, median, spread

_SHOWN = """
import os, resource, sys
from PySide6.QtCore import QEvent, QObject
from PySide6.QtWidgets import QApplication, QWidget
from draftlens import main

class Watch(QObject):
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint and isinstance(watched, QWidget) and watched.window().isVisible():
            used = resource.getrusage(resource.RUSAGE_SELF)
            print(used.ru_utime + used.ru_stime, flush=True)
            os._exit(0)
        return False

shown = QApplication.__init__
def watched(self, *arguments):
    shown(self, *arguments)
    self._watch = Watch()
    self.installEventFilter(self._watch)
QApplication.__init__ = watched
main.run([])
"""


@bench("start.help")
def start_help() -> Iterator[Figure]:
    """Seconds of wall time for `draftlens --help`."""
    times = []
    for _ in range(REPEATS + 1):
        started = time.perf_counter()
        subprocess.run([sys.executable, "-m", "draftlens", "--help"], check=True, stdout=subprocess.DEVNULL)
        times.append(time.perf_counter() - started)
    yield Figure("start.help", median(times[1:]), 0.4, False, "s", spread(times[1:]))


@bench("start.window")
def start_window() -> Iterator[Figure]:
    """Seconds of CPU until the window's first paint, on an empty data folder, so that nothing is loaded."""
    times = []
    with tempfile.TemporaryDirectory() as empty:
        environment = {**os.environ, "DRAFTLENS_DATA_DIR": empty}
        if sys.platform == "linux":
            environment.setdefault("QT_QPA_PLATFORM", "offscreen")
        for _ in range(REPEATS + 1):
            command = [sys.executable, "-c", _SHOWN]
            done = subprocess.run(command, check=True, capture_output=True, text=True, env=environment)
            times.append(float(done.stdout.split()[-1]))
    yield Figure("start.window", median(times[1:]), 1.5, False, "s", spread(times[1:]))
