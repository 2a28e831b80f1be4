"""Killed at any moment, a streaming program loses at most the last second of the reply, and nothing before it."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from draftlens.core.chat import Status
from draftlens.core.round import FinishReason
from draftlens.store import messages, records
from draftlens.store.opening import FILE_NAME, open_store
from store.samples import RUN

CHILD = Path(__file__).with_name("streaming_child.py")
KILLS = 20
TOGETHER = 5
SEED = 20260301
LOSS = 1.0


@dataclass(frozen=True)
class Killed:
    """What a killed program had appended: (moment, characters), in its own clock, which all processes share."""

    conversation: str
    reply: str
    appended: list[tuple[float, int]]
    at: float


def start(folder: Path) -> subprocess.Popen[str]:
    tests = Path(__file__).parents[1]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(tests), str(tests.parent / "app")])}
    return subprocess.Popen(
        [sys.executable, str(CHILD), str(folder)], stdout=subprocess.PIPE, text=True, env=environment
    )


def killed_at(child: subprocess.Popen[str], begun: str, moment: float) -> Killed:
    """Kill a streaming child at a moment; what it says till then fits into the pipe."""
    with pytest.raises(subprocess.TimeoutExpired):
        child.wait(max(0.0, moment - time.monotonic()))
    at = time.monotonic()
    child.send_signal(signal.SIGKILL)
    lines = child.communicate()[0].splitlines(keepends=True)
    conversation, reply = begun.split()
    appended = [(float(when), int(count)) for when, count in (line.split() for line in lines if line.endswith("\n"))]
    return Killed(conversation, reply, appended, at)


def begun(child: subprocess.Popen[str]) -> str:
    """Wait for a child to begin streaming; return what it says then."""
    assert child.stdout is not None
    return child.stdout.readline()


def check(folder: Path, killed: Killed) -> float:
    """Assert what must hold after the kill; return how many seconds of text are missing."""
    with contextlib.closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    opened = open_store(folder)
    assert (opened.notices, opened.interrupted) == ((), (killed.reply,))
    conversation = messages.load(opened.database, killed.conversation)
    assert conversation is not None
    prompt, reply = conversation.path
    assert (prompt.content, reply.status) == ("Stream", Status.INTERRUPTED)
    whole = "".join(f"{n:07d} " for n in range(len(reply.content) // 8))
    assert reply.content == whole
    (run,) = records.runs(opened.database, reply.id)
    assert "".join(r.text for r in run.rounds) == whole
    unsaved = [moment for moment, count in killed.appended if count > len(whole)]
    assert reply.can_continue
    writer = records.resume(opened.database, reply, RUN)
    writer.append([], "and on")
    writer.finish(FinishReason.END_OF_TEXT).result(5)
    continued = messages.load(opened.database, killed.conversation)
    assert continued is not None and continued.path[-1].content == whole + "and on"
    assert opened.database.close()
    return killed.at - unsaved[0] if unsaved else 0.0


def test_twenty_kills_cost_at_most_a_second_each(tmp_path: Path) -> None:
    moments = random.Random(SEED)
    waits = [moments.uniform(0.0, 2.4) for _ in range(KILLS)]
    missing: list[float] = []
    # Together, because starting takes longer than streaming.
    for first in range(0, KILLS, TOGETHER):
        folders = [tmp_path / str(i) for i in range(first, first + TOGETHER)]
        children = [start(folder) for folder in folders]
        streaming = [begun(child) for child in children]
        begin = time.monotonic()
        killed = {}
        for i in sorted(range(TOGETHER), key=lambda i: waits[first + i]):
            killed[folders[i]] = killed_at(children[i], streaming[i], begin + waits[first + i])
        missing += [check(folder, result) for folder, result in killed.items()]
    mean = sum(missing) / KILLS
    sys.stdout.write(f"seconds of text missing after {KILLS} kills: worst {max(missing):.2f}, mean {mean:.2f}\n")
    assert max(missing) <= LOSS
