"""Formulas set on a thread of their own: the first takes as long as loading a font, and the window must not wait."""

from __future__ import annotations

import queue
import threading

from PySide6.QtCore import QByteArray, QObject, QRectF, Qt, Signal
from PySide6.QtGui import QImage, QPainter
from PySide6.QtSvg import QSvgRenderer

from draftlens.render.code import knows
from draftlens.render.maths import Formula, formula, latex

_RATIO = 2


class Formulas(QObject):
    """Gives a formula at once if it is known, and tells when one that was asked for is.

    Owner: the window's thread; only the queue is shared with the worker, which ends with the program.
    """

    ready = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._known: dict[tuple[str, float, str], Formula | None] = {}
        self._asked: queue.SimpleQueue[tuple[str, float, str]] = queue.SimpleQueue()
        self._waiting: set[tuple[str, float, str]] = set()
        self._thread: threading.Thread | None = None
        # The first code block would wait for the lexers to be read.
        threading.Thread(target=lambda: knows("python"), name="lexers", daemon=True).start()

    def get(self, written: str, size: float, color: str) -> Formula | None:
        """The formula, or None while it is not set or if it cannot be."""
        key = (written, size, color)
        if key in self._known:
            return self._known[key]
        if key not in self._waiting:
            self._waiting.add(key)
            self._asked.put(key)
            if self._thread is None:
                self._thread = threading.Thread(target=self._work, name="formulas", daemon=True)
                self._thread.start()
        return None

    def _work(self) -> None:
        while True:
            key = self._asked.get()
            written, size, color = key
            tex, display = latex(written)
            self._known[key] = formula(tex, size, color, display=display)
            if self._asked.empty():
                try:
                    self.ready.emit()
                except RuntimeError:
                    # The window is gone and so is the object that would tell it.
                    return


def picture(made: Formula) -> QImage:
    """The formula as an image, sharp on any screen."""
    image = QImage(
        max(1, round(made.width * _RATIO)),
        max(1, round(made.height * _RATIO)),
        QImage.Format.Format_ARGB32_Premultiplied,
    )
    image.fill(Qt.GlobalColor.transparent)
    painter = QPainter(image)
    QSvgRenderer(QByteArray(made.svg.encode())).render(painter, QRectF(0, 0, image.width(), image.height()))
    painter.end()
    image.setDevicePixelRatio(_RATIO)
    return image
