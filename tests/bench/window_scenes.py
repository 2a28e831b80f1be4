"""What `window` measures, one scene a process; the last line on standard output is JSON."""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from PySide6.QtCore import QMimeData, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from draftlens.bridge.archive import Archive
from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.bridge.next_reply import NextReply
from draftlens.core.chat import Attachment, RunSummary, new_conversation, prompt_below, reply_to
from draftlens.core.params import SessionParams
from draftlens.core.round import FinishReason, Round, Source
from draftlens.runtime.engine_thread import EngineThread
from draftlens.store import conversations, records
from draftlens.store.opening import open_store
from draftlens.ui.garbage import Garbage
from draftlens.ui.main_window import MainWindow
from draftlens.ui.theme import Theme
from fakes import ScriptedEngine, demo_folders, step, verify_round

MESSAGES = 2000
_WORDS = (
    "the",
    "draft",
    "model",
    "proposes",
    "tokens",
    "and",
    "target",
    "keeps",
    "those",
    "it",
    "would",
    "have",
    "drawn",
)
_FRAME = 0.016


def reply_rounds(seed: int, tokens: int = 120) -> list[Round]:
    """Rounds of a reply with prose, a list and now and then some code."""
    made = [step(0, f"Answer {seed}", Source.PREFILL)]
    count = 1
    while count < tokens:
        n = len(made)
        word = [f" {_WORDS[(seed * 7 + n * 3 + i) % len(_WORDS)]}" for i in range(4)]
        if n % 12 == 0:
            word[3] = ".\n\n- point"
        if n == 25 and seed % 5 == 0:
            word[3] = "\n\n```python\ndef f(x):\n    return x + 1\n```\n\n"
        made.append(verify_round(n, word[:3], word[3]) if n % 3 else verify_round(n, word[:1], word[3], ["a", "b"]))
        count += len(made[-1].emitted)
    return made


def stored_chat(folder: Path, count: int) -> tuple[Archive, str]:
    """Write a chat of so many messages, half of them replies with rounds."""
    opened = open_store(folder)
    db = opened.database
    conversation = new_conversation("Long")
    conversations.create(db, conversation)
    run = RunSummary("model", "drafter", SessionParams())
    parent: str | None = None
    for number in range(count // 2):
        prompt = prompt_below(parent, f"Question {number}: how does speculative decoding keep the text the same?")
        answer = reply_to(prompt.id, run)
        writer = records.begin(db, conversation.id, prompt, answer)
        rounds = reply_rounds(number)
        writer.append(rounds, "".join(r.text for r in rounds))
        writer.finish(FinishReason.END_OF_TEXT)
        parent = answer.id
    db.flush()
    return Archive(db), conversation.id


class Scene:
    """A window on a scripted engine and a stored chat."""

    def __init__(self, count: int, rounds: list[Round] | None = None, hold: float = 0.0) -> None:
        self.app = QApplication([])
        self.theme = Theme(self.app)
        self.theme.apply()
        self.archive, self.id = stored_chat(Path(os.environ["DRAFTLENS_DATA_DIR"]) / "chats", count)
        self.engine = ScriptedEngine(rounds=rounds or [])
        if hold:
            self.engine.pace = hold
        self.bridge = EngineBridge(
            lambda wake: EngineThread(lambda: self.engine, demo_folders, wake),
            NextReply(SessionParams()),
            archive=self.archive,
        )
        self.window = MainWindow(self.theme, self.bridge)
        self.window.resize(1440, 900)
        self.window.show()
        Garbage(self.window, self.bridge)
        self.bridge.load(None)
        self.until(lambda: self.bridge.loaded is not None)
        self.rest(0.5)

    def until(self, done: Callable[[], bool], seconds: float = 60) -> None:
        """Run the event loop until something is so."""
        end = time.monotonic() + seconds
        while not done() and time.monotonic() < end:
            self.app.processEvents()
            time.sleep(0.001)

    def rest(self, seconds: float) -> None:
        """Run the event loop for a while."""
        self.until(lambda: False, seconds)

    def gaps(self, act: Callable[[int], bool]) -> dict[str, float]:
        """How late each frame was painted, in milliseconds from when it was due: 60 a second, the loop never idle.

        What the window does between two frames counts where it holds up the next. `own` counts this thread's processor
        time only, from the start of the turn that ran into the frame: what is left if others want the processor.
        """
        found: list[float] = []
        own: list[float] = []
        due = time.perf_counter() + _FRAME
        going = True
        while going:
            used = time.thread_time()
            while time.perf_counter() < due:
                used = time.thread_time()
                self.app.processEvents()
                time.sleep(0.0005)
            going = act(len(found))
            self.app.processEvents()
            now = time.perf_counter()
            found.append(1000 * (now - due))
            own.append(1000 * (time.thread_time() - used))
            due = max(due + _FRAME, now)
        return {
            "p99": percentile(found, 0.99),
            "worst": max(found),
            "own_p99": percentile(own, 0.99),
            "own_worst": max(own),
        }

    def close(self) -> None:
        """End everything."""
        self.window.close()
        self.bridge.join(3)
        if self.archive.db is not None:
            self.archive.db.close()


def memory() -> float:
    """Megabytes resident now."""
    if sys.platform == "linux":
        pages = int(Path("/proc/self/statm").read_text().split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6


def percentile(values: list[float], part: float) -> float:
    """The value below which a part of them lies."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def long_chat() -> dict[str, float]:
    """Open, scroll, type."""
    scene = Scene(MESSAGES)
    start = time.perf_counter()
    scene.bridge.open(scene.id)
    scene.window.grab()
    paint = time.perf_counter() - start
    scene.rest(1)
    bar = scene.window.chat.transcript.verticalScrollBar()
    bar.setValue(bar.maximum() // 2)
    scene.rest(1)

    def scroll(number: int) -> bool:
        bar.setValue(bar.value() + (60 if number < 300 else -60))
        return number < 600

    gaps = scene.gaps(scroll)
    edit = scene.window.chat.composer.edit
    edit.setFocus()
    keys = []
    for number in range(60):
        start = time.perf_counter()
        QTest.keyClick(edit, Qt.Key.Key_A if number % 6 else Qt.Key.Key_Space)
        scene.app.processEvents()
        keys.append(1000 * (time.perf_counter() - start))
        scene.rest(0.02)
    seen = {**gaps, "paint": paint, "key": max(keys), "memory": memory()}
    scene.close()
    return seen


def streaming() -> dict[str, float]:
    """A reply of 1,200 tokens at 200 a second."""
    rounds = [r for n in range(10) for r in reply_rounds(n)]
    scene = Scene(MESSAGES, rounds, hold=0.0175)
    scene.bridge.open(scene.id)
    scene.rest(1)
    # Past the composer, which would refuse so long a chat: the scripted engine has a real context's size.
    scene.bridge.send("Go on")
    scene.until(lambda: scene.bridge.running and scene.bridge.reply is not None and len(scene.bridge.reply.rounds) > 5)
    gaps = scene.gaps(lambda _: scene.bridge.running)
    scene.close()
    return gaps


def long_reply() -> dict[str, float]:
    """100,000 characters in pieces of four tokens, each update timed until it is laid out."""
    from draftlens.bridge.chat import Chat
    from draftlens.bridge.reply import Reply

    scene = Scene(2)
    prompt = prompt_below(None, "Write")
    answer = reply_to(prompt.id, RunSummary("model", None, SessionParams()))
    chat = Chat(Archive())
    chat.conversation = chat.conversation.add(prompt).add(answer)
    reply = Reply(1, SessionParams(), "model", message=answer.id)
    chat.follow(reply)
    view = scene.window.chat.transcript
    view.show_chat(chat)
    times = []
    seed = 0
    while len(reply.text) < 100_000:
        for round_ in reply_rounds(seed):
            reply.add(round_)
            start = time.perf_counter()
            view.refresh()
            scene.app.processEvents()
            times.append(1000 * (time.perf_counter() - start))
        seed += 1
    tenth = len(times) // 10
    first, last = sum(times[:tenth]), sum(times[-tenth:])
    scene.close()
    return {"ratio": last / first, "worst": max(times)}


def paste() -> dict[str, float]:
    """A word that must not be wrapped."""
    scene = Scene(2)
    composer = scene.window.chat.composer
    data = QMimeData()
    data.setText("x" * 200_000)
    start = time.perf_counter()
    composer.edit.insertFromMimeData(data)
    scene.app.processEvents()
    pasted = time.perf_counter() - start
    assert composer.files == (Attachment("pasted text", "x" * 200_000),)
    composer.attachments.show_files(())
    start = time.perf_counter()
    composer.replace("x" * 200_000)
    scene.app.processEvents()
    shown = time.perf_counter() - start
    composer.replace("")
    scene.close()
    return {"seconds": pasted, "text": shown}


SCENES = {"long_chat": long_chat, "streaming": streaming, "long_reply": long_reply, "paste": paste}

if __name__ == "__main__":
    print(json.dumps(SCENES[sys.argv[1]]()))
