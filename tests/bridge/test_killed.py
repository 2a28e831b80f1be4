"""A program killed in the middle of a reply loses at most the last second, says so, and can go on."""

from __future__ import annotations

import os
import random
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

from pytestqt.qtbot import QtBot

from draftlens.bridge.archive import Archive
from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.bridge.next_reply import NextReply
from draftlens.core.chat import Status
from draftlens.core.params import SessionParams
from draftlens.runtime.engine_thread import EngineThread
from draftlens.store.opening import FILE_NAME, open_store
from fakes import ScriptedEngine, demo_folders, step

KILLS, AT_ONCE = 20, 5
CHILD = Path(__file__).with_name("killed_child.py")


def killed(folders: list[Path]) -> list[tuple[float, list[tuple[int, float]]]]:
    """Start a program in each folder and kill each at a moment of its own; when, and what its engine had by then."""
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    started = [
        subprocess.Popen(
            [sys.executable, str(CHILD), str(folder)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            text=True, env=environment,
        )
        for folder in folders
    ]  # fmt: skip
    ended = []
    for number, child in enumerate(started):
        assert child.stdout is not None
        seen = [child.stdout.readline() for _ in range(3)]
        # The first is young; the others have been writing while those before them were waited for.
        end = time.time() + (random.uniform(0.2, 1.2) if number == 0 else random.uniform(0.0, 0.3))
        while time.time() < end:
            seen.append(child.stdout.readline())
        at = time.time()
        child.kill()
        seen += child.stdout.read().splitlines()
        child.wait()
        child.stdout.close()
        pairs = [line.split() for line in seen if len(line.split()) == 2]
        ended.append((at, [(int(count), float(when)) for count, when in pairs]))
    return ended


def check(folder: Path, at: float, seen: list[tuple[int, float]], qtbot: QtBot) -> float:
    """Open what a killed program left: it is whole to a point, says so, and goes on. Seconds of the reply missing."""
    opened = open_store(folder)
    assert opened.notices == ()
    assert len(opened.interrupted) == 1
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"
    engine = ScriptedEngine()
    archive = Archive(opened.database)
    bridge = EngineBridge(
        lambda wake: EngineThread(lambda: engine, demo_folders, wake), NextReply(SessionParams()), archive=archive
    )
    assert bridge.open(archive.entries()[0].id)
    turn = bridge.turns[0]
    assert turn.user == "Write without end"
    kept = len(turn.reply.rounds)
    assert turn.reply.text == "".join(f" word{i}" for i in range(kept))
    lost = [when for count, when in seen if count > kept]
    last = bridge.chat.last
    assert last is not None and last.status is Status.INTERRUPTED
    engine.rounds = [step(kept, " end")]
    bridge.load(None)
    qtbot.waitUntil(lambda: bridge.loaded is not None)
    assert bridge.resume()
    qtbot.waitUntil(lambda: not bridge.running)
    assert bridge.turns[0].reply.text.endswith(" end")
    bridge.quit()
    assert bridge.join(3)
    assert opened.database.close()
    return at - lost[0] if lost else 0.0


def test_a_kill_in_the_middle_of_a_reply_costs_at_most_the_last_second(tmp_path: Path, qtbot: QtBot) -> None:
    missing: list[float] = []
    for first in range(0, KILLS, AT_ONCE):
        folders = [tmp_path / str(number) for number in range(first, first + AT_ONCE)]
        missing += [check(folder, at, seen, qtbot) for folder, (at, seen) in zip(folders, killed(folders), strict=True)]
    sys.stdout.write(f"seconds from engine to kill missing after {KILLS} kills: worst {max(missing):.2f}\n")
    assert max(missing) <= 1.0
