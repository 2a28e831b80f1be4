"""`draftlens models`: what a checkpoint is, what is installed, and fetching or importing one."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from draftlens.cli.output import write
from draftlens.cli.progress import Progress
from draftlens.cli.rooms import Rooms
from draftlens.core.errors import INTERRUPTED

REFUSED = 2
_LOOK_SECONDS = 0.2


def models(arguments: argparse.Namespace, rooms: Rooms) -> int:
    """Do what `draftlens models` was asked for."""
    action = {"inspect": _inspect, "list": _list, "download": _download, "import": _import}[arguments.action]
    return action(arguments, rooms)


def _inspect(arguments: argparse.Namespace, rooms: Rooms) -> int:
    """Print the verdict on a folder, config.json or repository; 2 if it cannot be used as a model."""
    verdict, refused = rooms.inspect(arguments.path)
    checked = _check(arguments.path, rooms, discard=False) if arguments.check else None
    if checked is not None:
        verdict["check"] = checked
        refused = refused or bool(checked["damaged"])
    if arguments.json:
        write(json.dumps(verdict, ensure_ascii=False, indent=2))
    else:
        write(f"{arguments.path}: {verdict['role']}")
        for key in ("reason", "next"):
            if verdict.get(key):
                write(verdict[key])
        for line in (*verdict.get("evidence", ()), *verdict.get("warnings", ())):
            write(f"  {line}")
        if checked is not None:
            write(" ".join(filter(None, (checked["sentence"], checked["next"]))))
    return REFUSED if refused else 0


def _list(arguments: argparse.Namespace, rooms: Rooms) -> int:
    rows = rooms.installed()
    if arguments.json:
        write(json.dumps(rows, ensure_ascii=False, indent=2))
    for row in () if arguments.json else rows:
        write(f"{row['name']}  {row['role']}  {row['size']}  {row['path']}")
        if not row["ready"]:
            write(f"  {row['reason']}")
    if not rows and not arguments.json:
        write("No models are installed.")
    return 0


def _check(name: str, rooms: Rooms, *, discard: bool) -> dict[str, Any]:
    progress = Progress()
    try:
        return rooms.check(name, progress.stage, discard)
    finally:
        progress.clear()


def _download(arguments: argparse.Namespace, rooms: Rooms) -> int:
    if arguments.check and rooms.find(arguments.repo).is_dir():
        print(f"draftlens: {_check(arguments.repo, rooms, discard=True)['sentence']}", file=sys.stderr)
    progress = Progress()
    item = rooms.download(arguments.repo, arguments.file, arguments.anyway)
    try:
        while not item.over:
            sentence, fraction = item.state()
            progress.stage(sentence, fraction)
            time.sleep(_LOOK_SECONDS)
    except KeyboardInterrupt:
        item.stop()
        progress.clear()
        print("draftlens: Stopped; the part on disk is kept, and the same command goes on with it.", file=sys.stderr)
        return INTERRUPTED
    progress.clear()
    for note in item.notes:
        print(f"draftlens: Note: {note}.", file=sys.stderr)
    write(str(item.result()))
    return 0


def _import(arguments: argparse.Namespace, rooms: Rooms) -> int:
    progress = Progress()
    try:
        folder = rooms.import_gguf(Path(arguments.file), arguments.name, arguments.keep, progress.stage)
    finally:
        progress.clear()
    write(str(folder))
    return 0
