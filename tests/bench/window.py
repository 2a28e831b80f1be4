"""The window with a long chat: how soon it is painted, how evenly it scrolls and streams, what typing and pasting cost.

Each runs in a process of its own on values, without a model, so that memory and time are the window's alone.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.figures import Figure, bench

_HERE = Path(__file__).resolve().parent


def _measured(scene: str) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as data:
        environment = {**os.environ, "DRAFTLENS_DATA_DIR": data}
        if sys.platform == "linux":
            environment["QT_QPA_PLATFORM"] = "offscreen"
        command = [sys.executable, str(_HERE / "window_scenes.py"), scene]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment)
    made: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return made


def _gaps(name: str, seen: dict[str, Any]) -> Iterator[Figure]:
    """Wall time is what a person sees; the window's own share of it tells whether other programs were in the way."""
    yield Figure(f"{name}.gap_p99", seen["p99"], 16, False, "ms", f"own processor time {seen['own_p99']:.1f} ms")
    yield Figure(f"{name}.gap_worst", seen["worst"], 50, False, "ms", f"own processor time {seen['own_worst']:.1f} ms")


@bench("window.long_chat")
def long_chat() -> Iterator[Figure]:
    """A stored chat of 2,000 messages: opened, scrolled end to end, typed into."""
    seen = _measured("long_chat")
    yield Figure("window.long_chat.first_paint", seen["paint"], 1.0, False, "s")
    yield from _gaps("window.long_chat.scroll", seen)
    yield Figure("window.long_chat.key_worst", seen["key"], 30, False, "ms")
    yield Figure("window.long_chat.memory", seen["memory"], 350, False, "MB")


@bench("window.streaming")
def streaming() -> Iterator[Figure]:
    """A reply at 200 tokens a second below a chat of 2,000 messages."""
    seen = _measured("streaming")
    yield from _gaps("window.streaming", seen)


@bench("window.long_reply")
def long_reply() -> Iterator[Figure]:
    """A reply of 100,000 characters: the last updates against the first."""
    seen = _measured("long_reply")
    yield Figure("window.long_reply.last_by_first_tenth", seen["ratio"], 1.5, False, "×")
    yield Figure("window.long_reply.update_worst", seen["worst"], 50, False, "ms")


@bench("window.closing")
def closing() -> Iterator[Figure]:
    """The window closed, quit by keys and by the system in every state, ten times each, on the real demo pair."""
    from draftlens.library import demo
    from ui.closing import STATES, WAYS, closed

    pair = demo.ensure(lambda stage, fraction: None)
    for state in STATES:
        seen = []
        for number in range(10):
            with tempfile.TemporaryDirectory() as data:
                seen.append(closed(state, WAYS[number % len(WAYS)], pair, Path(data)))
        bad = sum(ended.code != 0 for ended in seen)
        worst = max(ended.seconds for ended in seen)
        yield Figure(f"window.closing.{state}", worst, 3.0, False, "s", f"{bad} of 10 ended with an error")


@bench("window.paste")
def paste() -> Iterator[Figure]:
    """One word of 200,000 characters pasted, shown as an attachment; and the same shown as text."""
    seen = _measured("paste")
    yield Figure("window.paste", seen["seconds"], 1.0, False, "s")
    yield Figure("window.paste.as_text", seen["text"], 1.0, False, "s")
