"""What `inspector` measures, one scene a process."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from PySide6.QtCore import QEventLoop, QTimer
from PySide6.QtWidgets import QApplication

from bench.window_scenes import Scene, reply_rounds
from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.bridge.next_reply import NextReply
from draftlens.core.commands import Generate, Load, Quit, Request
from draftlens.core.events import Loaded, RoundDone
from draftlens.core.params import SamplingParams, SessionParams
from draftlens.core.round import Candidates, Round
from draftlens.core.rules import RuleId
from draftlens.core.stats import RunStats
from draftlens.library import demo
from draftlens.main import fetch_demo, open_engine
from draftlens.runtime.engine_thread import EngineThread
from draftlens.ui.main_window import MainWindow
from draftlens.ui.theme import Theme

PROMPT = "Explain in a few sentences why the sky is blue."
ASKED = SessionParams(
    SamplingParams(temperature=0.7), rule=RuleId.STOCHASTIC, max_tokens=96, seed=1, closed_forms=False
)
_ROW = Candidates(
    tuple(range(100, 113)),
    tuple(0.3 / (i + 1) for i in range(13)),
    tuple(0.2 / (i + 1) for i in range(13)),
    tuple(f" word{i}" for i in range(13)),
)


def window() -> None:
    """The real pair in a window with the inspector open, closed forms and snapshots on."""
    app = QApplication([])
    theme = Theme(app)
    theme.apply()
    asked = replace(ASKED, closed_forms=True, candidates=12)
    bridge = EngineBridge(lambda wake: EngineThread(open_engine, fetch_demo, wake), NextReply(asked))
    shown = MainWindow(theme, bridge)
    shown.resize(1440, 900)
    shown.show()
    pair = demo.ensure(lambda stage, fraction: None)
    bridge.load(pair.target, pair.drafter)

    def until(done: Callable[[], bool]) -> None:
        # A real event loop, as the program has: asking again and again would cost what is being measured.
        loop, look = QEventLoop(), QTimer()
        look.timeout.connect(lambda: loop.quit() if done() else None)
        look.start(20)
        loop.exec()

    until(lambda: bridge.loaded is not None)
    assert shown.inspector.isVisible()
    for _ in sys.stdin:
        bridge.new_chat()
        bridge.send(PROMPT)
        until(lambda: not bridge.running)
        assert bridge.reply is not None and bridge.reply.rounds[1].next_candidates is not None
        print(bridge.reply.stats.tokens_per_second, flush=True)
    shown.close()
    bridge.join(10)


def headless() -> None:
    """The engine thread alone, closed forms and snapshots off."""
    thread = EngineThread(open_engine, fetch_demo)
    thread.start()
    pair = demo.ensure(lambda stage, fraction: None)
    thread.send(Load(pair.target, pair.drafter))
    while not any(isinstance(event, Loaded) for event in thread.drain()):
        time.sleep(0.05)
    for number, _ in enumerate(sys.stdin):
        thread.send(Generate(Request(number, ASKED, (("user", PROMPT),))))
        stats = RunStats()
        while stats.finish is None:
            for event in thread.drain():
                if isinstance(event, RoundDone):
                    stats.add(event.round)
            time.sleep(0.05)
        print(stats.tokens_per_second, flush=True)
    thread.send(Quit())
    thread.join(10)


def _with_snapshots(rounds: list[Round]) -> list[Round]:
    made = []
    for number, round_ in enumerate(rounds):
        proposals = tuple(replace(p, candidates=_ROW) for p in round_.proposals)
        made.append(replace(round_, index=number, proposals=proposals, next_candidates=_ROW))
    return made


def streaming(tab: int) -> dict[str, float]:
    """1,200 tokens at 200 a second, a tab of the inspector open and a round of the reply selected."""
    rounds = _with_snapshots([r for n in range(10) for r in reply_rounds(n)])
    scene = Scene(2, rounds, hold=0.0175)
    scene.window.inspector.tabs.choose(tab)
    scene.bridge.send("Go on")
    scene.until(lambda: scene.bridge.running and scene.bridge.reply is not None and len(scene.bridge.reply.rounds) > 9)
    scene.bridge.selection.choose(5)
    found = scene.gaps(lambda _: scene.bridge.running)
    scene.close()
    return found


def long_run() -> dict[str, float]:
    """20,000 rounds in the inspector, the selection moved by a round each frame."""
    scene = Scene(2)
    scene.bridge.open(scene.id)
    scene.rest(0.5)
    reply = scene.bridge.reply
    assert reply is not None
    for made in _with_snapshots(reply_rounds(1) * 500)[:20_000]:
        reply.add(replace(made, index=len(reply.rounds)))
    begun = time.perf_counter()
    scene.window.inspector_actions.show_reply()
    scene.app.processEvents()
    shown = 1000 * (time.perf_counter() - begun)
    scene.rest(0.5)

    def scrub(number: int) -> bool:
        scene.bridge.selection.choose(9_000 + 3 * number)
        return number < 300

    found = scene.gaps(scrub)
    scene.close()
    return {**found, "shown": shown}


if __name__ == "__main__":
    match sys.argv[1]:
        case "window":
            window()
        case "headless":
            headless()
        case "long_run":
            print(json.dumps(long_run()))
        case tab:
            print(json.dumps(streaming(("run", "distribution", "log").index(tab))))
