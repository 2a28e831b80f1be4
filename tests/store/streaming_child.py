"""A program that streams into a store until it is killed, and says on its standard output what it has appended."""

from __future__ import annotations

import sys
import threading
import time
from pathlib import Path

from draftlens.core.chat import prompt_below, reply_to
from draftlens.store import records
from draftlens.store.opening import open_store
from fakes import verify_round
from store.samples import RUN, saved


def main(folder: Path) -> None:
    """Begin a reply, then append some four hundred characters a second."""
    db = open_store(folder).database
    conversation = saved(db)
    prompt = prompt_below(None, "Stream")
    reply = reply_to(prompt.id, RUN)
    writer = records.begin(db, conversation.id, prompt, reply)
    writer.committed.result(10)
    out = sys.stdout
    out.write(f"{conversation.id} {reply.id}\n")
    out.flush()
    number = 0
    pace = threading.Event()
    while True:
        word = f"{number:07d} "
        writer.append([verify_round(number, [word[:4]], word[4:])], word)
        number += 1
        out.write(f"{time.monotonic()} {number * len(word)}\n")
        out.flush()
        pace.wait(0.02)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
