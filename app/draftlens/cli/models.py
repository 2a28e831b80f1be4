"""`draftlens models inspect`: what a checkpoint is, and whether it can stand alone."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from draftlens.cli.output import write
from draftlens.cli.rooms import Rooms

REFUSED = 2


def models(arguments: argparse.Namespace, rooms: Rooms) -> int:
    """Print the verdict on a folder or config.json; 2 if it cannot be used as a model."""
    verdict, refused = rooms.inspect(Path(arguments.path))
    if arguments.json:
        write(json.dumps(verdict, ensure_ascii=False, indent=2))
    else:
        write(f"{arguments.path}: {verdict['role']}")
        for key in ("reason", "next"):
            if verdict.get(key):
                write(verdict[key])
        for line in verdict.get("evidence", ()):
            write(f"  {line}")
    return REFUSED if refused else 0
