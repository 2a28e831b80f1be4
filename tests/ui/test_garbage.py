"""A full look for garbage waits until nothing moves, and then is made."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator

import pytest
from pytestqt.qtbot import QtBot

from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.ui import garbage
from draftlens.ui.garbage import Garbage
from draftlens.ui.main_window import MainWindow
from fakes import ScriptedEngine, step


class Knot:
    """Holds itself, so that only a look for garbage frees it."""

    def __init__(self) -> None:
        self.me = self


@pytest.fixture
def as_before() -> Iterator[None]:
    threshold = gc.get_threshold()
    yield
    gc.set_threshold(*threshold)
    gc.unfreeze()


def old_knot() -> weakref.ref[Knot]:
    """Garbage that only a full look finds."""
    knot = Knot()
    gc.collect()
    for _ in range(20):
        gc.collect(1)
    return weakref.ref(knot)


def test_old_garbage_stays_while_a_reply_runs_and_goes_at_rest(
    window: Callable[..., tuple[MainWindow, EngineBridge]],
    qtbot: QtBot,
    monkeypatch: pytest.MonkeyPatch,
    as_before: None,
) -> None:
    monkeypatch.setattr(garbage, "REST_MS", 50)
    engine = ScriptedEngine(rounds=[step(i, " a") for i in range(3)], hold_after=2)
    shown, bridge = window(engine)
    Garbage(shown, bridge)
    bridge.send("Go")
    qtbot.waitUntil(engine.holding.is_set)
    knot = old_knot()
    made = [[] for _ in range(200_000)]  # type: ignore[var-annotated]
    qtbot.wait(200)
    assert knot() is not None
    bridge.stop()
    qtbot.waitUntil(lambda: knot() is None)
    assert len(made) == 200_000
