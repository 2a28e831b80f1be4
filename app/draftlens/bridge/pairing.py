"""A target and what may draft for it: every model judged with its reason, and the pair in view."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QObject, Signal

from draftlens.bridge.background import Background
from draftlens.core.errors import UserError
from draftlens.library.candidates import Candidate
from draftlens.library.catalog import Installed

Judge = Callable[[Installed], list[Candidate]]


class Pairing(QObject):
    """Owner: the window's thread; judging is done on another.

    Args:
        judge: every model as drafter for a target.
        trouble: told why that could not be done.
    """

    changed = Signal()

    def __init__(self, judge: Judge, trouble: Callable[[UserError], None], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._judge, self._trouble = judge, trouble
        self._background = Background(self)
        self._suggests = True
        self.target: Installed | None = None
        self.drafter: Installed | None = None
        self.pairs: list[Candidate] = []
        self.done = False

    @property
    def pair(self) -> Candidate | None:
        """The verdict on the pair in view."""
        return next((c for c in self.pairs if self.drafter is not None and c.item.path == self.drafter.path), None)

    def choose(self, target: Installed | None, drafter: Installed | None = None, *, suggest: bool = True) -> None:
        """Judge every model as drafter for a target, and choose one or suggest the first that fits."""
        self.target, self.drafter, self._suggests = target, drafter, suggest
        self.pairs, self.done = [], False
        self.changed.emit()
        if target is not None:
            self._background.run("pairs", lambda: self._judge(target), self._take, self._trouble)

    def look_again(self, items: list[Installed]) -> None:
        """The disk has changed: what is gone is not chosen any more, the rest is judged anew."""
        there = {item.path: item for item in items}
        self.target = there.get(self.target.path) if self.target is not None else None
        self.drafter = there.get(self.drafter.path) if self.drafter is not None else None
        if self.target is not None:
            self.choose(self.target, self.drafter, suggest=self._suggests)

    def close(self) -> None:
        """The window closes."""
        self._background.close()

    def _take(self, pairs: list[Candidate]) -> None:
        self.pairs, self.done = pairs, True
        if self.drafter is None and self._suggests:
            self.drafter = next((c.item for c in pairs if c.ok), None)
        self.changed.emit()
