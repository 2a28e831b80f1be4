"""Loads a pair, reads a long prompt, writes a little; prints the process' peak in bytes and the context it used."""

from __future__ import annotations

import resource
import sys
from dataclasses import replace
from pathlib import Path

from draftlens import main
from draftlens.core.commands import Request
from draftlens.core.events import Prefill, RoundDone, Started
from draftlens.core.params import SessionParams

target, drafter, wanted = Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3])
engine = main.open_engine()
engine.load(target, drafter, lambda event: None, lambda: False)
used = 0


def take(event: Started | Prefill | RoundDone) -> None:
    """Count the context."""
    global used
    used = event.prompt_tokens if isinstance(event, Started) else used + isinstance(event, RoundDone)


params = replace(SessionParams(), max_tokens=24, drafter="draft-model", seed=1)
engine.reply(Request(0, params, prompt="word and other things in the list, " * (wanted // 8)), take, lambda: False)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
print(peak, used)
engine.close()
