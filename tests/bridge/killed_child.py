"""A program that writes a reply until it is killed: bridge, engine thread and store as in the window, no window."""

from __future__ import annotations

import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from PySide6.QtCore import QCoreApplication

from draftlens.bridge.archive import Archive
from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.bridge.next_reply import NextReply
from draftlens.core.params import SessionParams
from draftlens.runtime.engine_thread import EngineThread
from draftlens.store.opening import open_store
from fakes import ScriptedEngine, demo_folders, step


def main() -> None:
    """Stream in a chat below the folder named; print when each round was there."""
    app = QCoreApplication([])
    opened = open_store(Path(sys.argv[1]))
    engine = ScriptedEngine(rounds=[step(i, f" word{i}") for i in range(100_000)], pace=0.01)
    bridge = EngineBridge(
        lambda wake: EngineThread(lambda: engine, demo_folders, wake),
        NextReply(SessionParams()),
        archive=Archive(opened.database),
    )
    said = 0

    def say() -> None:
        nonlocal said
        reply = bridge.reply
        if reply is not None and len(reply.rounds) > said:
            said = len(reply.rounds)
            sys.stdout.write(f"{said} {time.time()}\n")
            sys.stdout.flush()

    bridge.textChanged.connect(say)
    bridge.modelChanged.connect(lambda: bridge.send("Write without end"))
    bridge.load(None)
    app.exec()


if __name__ == "__main__":
    main()
