"""A scripted engine whose arms play rounds of their own rules, and how a test runs a comparison on it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from pytestqt.qtbot import QtBot

from compare.made import play
from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.core.commands import Compare, Request
from draftlens.core.events import Differed, Loading, ReplyEvent, Started
from draftlens.core.round import Round
from draftlens.ui.compare.screen import CompareScreen
from draftlens.ui.main_window import MainWindow
from fakes import ScriptedEngine

PROMPT = "Why is the sky blue?"
Shown = Callable[..., tuple[CompareScreen, EngineBridge, MainWindow]]


@dataclass
class Arms(ScriptedEngine):
    """Every arm plays rounds of its own rule; from the second trial on it may be held."""

    hold_trial: int | None = None
    trials: int = 0

    def compare(
        self, asked: Compare, emit: Callable[[ReplyEvent | Loading | Differed], None], cancelled: Callable[[], bool]
    ) -> None:
        self.hold_after = 5 if self.trials == self.hold_trial else None
        self.trials += 1
        for arm in asked.arms:
            emit(self.reply(arm.request, emit, cancelled))

    def reply(self, request: Request, emit: Callable[..., None], cancelled: Callable[[], bool]):  # type: ignore[no-untyped-def]
        self.rounds = rounds_for(request)
        params = request.params
        emit(Started(request.run, 9, params.rule, params.drafter, None, params.seed or 0, False))
        return super().reply(request, emit, cancelled)


def rounds_for(request: Request) -> Sequence[Round]:
    seed = request.params.seed or 0
    return play(np.random.default_rng((seed, request.params.k)), request.params.rule, 14)[request.first_round :]


def run(made: CompareScreen, qtbot: QtBot, seeds: int = 1, *, wait: bool = True) -> None:
    made.prompt.edit.setText(PROMPT)
    made.prompt.again.click() if seeds > 1 else made.prompt.run.click()
    assert made.comparing.running
    if wait:
        qtbot.waitUntil(lambda: not made.comparing.running, timeout=10_000)


def cell(made: CompareScreen, row: int, column: int) -> str:
    return str(made.results.table.rows.index(row, column).data())


def words(text: str) -> list[str]:
    """The words of a column without its flag."""
    return re.sub(r"⚑ token \d+", "", text).split()
