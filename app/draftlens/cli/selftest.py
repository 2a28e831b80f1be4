"""`draftlens self-test`: what works on this machine, what is missing, and how to get it."""

from __future__ import annotations

import argparse
import json

from draftlens.cli.output import write
from draftlens.cli.rooms import Rooms

_MARKS = {"ok": "ok     ", "warning": "missing", "failed": "FAILED "}


def self_test(arguments: argparse.Namespace, rooms: Rooms) -> int:
    """Print the checks and return 1 if any failed; what is missing but not needed is a warning."""
    if arguments.distribution:
        from draftlens.cli.prove import prove

        return prove(arguments, rooms)
    checks = rooms.self_test()
    failed = any(state == "failed" for _, state, _, _ in checks)
    if arguments.json:
        rows = [{"name": n, "state": s, "sentence": t, "next": x} for n, s, t, x in checks]
        write(json.dumps({"ok": not failed, "checks": rows}, ensure_ascii=False, indent=2))
        return int(failed)
    for name, state, sentence, next_step in checks:
        write(f"{_MARKS[state]}  {name}: {sentence}{'' if next_step is None else ' ' + next_step}")
    return int(failed)
