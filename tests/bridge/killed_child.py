"""A program that writes a reply until it is killed: bridge, engine thread and store as in the window, no window."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from PySide6.QtCore import QCoreApplication

from draftlens.bridge.archive import Archive
from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.bridge.next_reply import NextReply
from draftlens.core.params import SessionParams
from draftlens.core.round import Round
from draftlens.runtime.engine_thread import EngineThread
from draftlens.store.opening import open_store
from fakes import ScriptedEngine, demo_folders, step


class Timed(Sequence[Round]):
    """Rounds without end; prints when the engine has each."""

    def __getitem__(self, index: Any) -> Any:
        sys.stdout.write(f"{index + 1} {time.time()}\n")
        sys.stdout.flush()
        return step(index, f" word{index}")

    def __len__(self) -> int:
        return 100_000


def main() -> None:
    """Stream in a chat below the folder named."""
    app = QCoreApplication([])
    opened = open_store(Path(sys.argv[1]))
    engine = ScriptedEngine(rounds=Timed(), pace=0.01)
    bridge = EngineBridge(
        lambda wake: EngineThread(lambda: engine, demo_folders, wake),
        NextReply(SessionParams()),
        archive=Archive(opened.database),
    )
    bridge.modelChanged.connect(lambda: bridge.send("Write without end"))
    bridge.load(None)
    app.exec()


if __name__ == "__main__":
    main()
