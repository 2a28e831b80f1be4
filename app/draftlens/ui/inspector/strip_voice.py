"""The columns of a strip to a screen reader: one child a round in view, named by its sentence."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QAccessible
from PySide6.QtWidgets import QLabel, QWidget

from draftlens.bridge import figures
from draftlens.core.round import Round


class StripVoice:
    """Labels without text over the painted columns, made only while a screen reader listens.

    Interfaces of our own would do the same, but Qt keeps them by address and frees those without a QObject a second
    time at the end of the program.
    """

    def __init__(self, over: QWidget) -> None:
        self._over = over
        self._labels: list[QLabel] = []

    def show_rounds(self, rounds: Sequence[Round], first: int, places: Sequence[QRect]) -> None:
        """Name the rounds from `first` on, one for each place."""
        if not QAccessible.isActive():
            places = ()
        while len(self._labels) < len(places):
            label = QLabel(self._over)
            label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
            self._labels.append(label)
        for row, place in enumerate(places, first):
            # A round keeps its label while the strip moves on, so that only what is new is told.
            label = self._labels[row % len(self._labels)]
            label.setGeometry(place)
            label.setAccessibleName(figures.round_sentence(rounds[row]))
            label.show()
        named = {row % len(self._labels) for row in range(first, first + len(places))}
        for number, label in enumerate(self._labels):
            if number not in named:
                label.hide()
