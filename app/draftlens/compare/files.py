"""Comparisons on disk: one append-only file each, so that a kill or a full disk costs the running round at most."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from draftlens.compare import record
from draftlens.compare.arms import LETTERS
from draftlens.compare.comparison import Comparison
from draftlens.core.errors import UserError
from draftlens.core.events import Differed, ReplyEvent
from draftlens.core.values import BadField, flat

SUFFIX = ".jsonl"
FOLDER = "comparisons"
"""Where they are kept, below the data folder."""


@dataclass(frozen=True)
class Saved:
    """A comparison in the list: its file, the prompt, when it began, and its arms in words."""

    path: Path
    title: str
    created: str
    arms: str


class Journal:
    """Appends a comparison's events to its file as they come.

    Owner: one thread at a time; the file is locked against other processes. What could not be written is kept and
    tried again with the next event, so that freeing some space is enough to lose nothing.

    Raises:
        UserError: the file cannot be made, or another process writes it.
    """

    def __init__(self, path: Path, comparison: Comparison, *, new: bool) -> None:
        self.path = path
        self._pending: list[bytes] = []
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("xb" if new else "r+b", buffering=0)
        except OSError as error:
            raise _refused(path, error) from error
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            self._file.close()
            raise UserError(f"{path.name} is being written by another Draftlens.", "End it there first.") from error
        self._size = 0 if new else self._whole_lines()
        self._empty = new
        if new:
            self._write(record.head(comparison))

    def take(self, trial: int, arm: int, event: ReplyEvent) -> None:
        """Keep an event of an arm.

        Raises:
            UserError: it cannot be written; it is tried again with the next one.
        """
        made = record.entry(trial, arm, event)
        if made is not None:
            self._empty = False
            self._write(made)

    def differ(self, trial: int, event: Differed) -> None:
        """Keep what was found out about two greedy arms; raises as `take` does."""
        self._write(record.difference(trial, event))

    def close(self) -> None:
        """Let go of the file, after a last attempt at what is still to be written; one without an event goes."""
        try:
            self._flush()
        finally:
            if self._empty:
                self.path.unlink(missing_ok=True)
            self._file.close()

    def _write(self, values: dict[str, Any]) -> None:
        self._pending.append(line(values).encode())
        self._flush()

    def _flush(self) -> None:
        try:
            while self._pending:
                self._file.seek(self._size)
                data = self._pending[0]
                if self._file.write(data) != len(data):
                    raise OSError(28, os.strerror(28))
                self._size += len(data)
                del self._pending[0]
        except OSError as error:
            # Half a line may stand there; the file ends with its last whole one again.
            with contextlib.suppress(OSError):
                self._file.truncate(self._size)
            raise _refused(self.path, error) from error

    def _whole_lines(self) -> int:
        """Cut a line that a kill left unfinished; return the size."""
        data = self._file.read()
        size = data.rfind(b"\n") + 1
        if size < len(data):
            self._file.truncate(size)
        return size


def line(values: dict[str, Any]) -> str:
    """One entry as it is written."""
    return json.dumps(values, default=flat, ensure_ascii=False, separators=(",", ":")) + "\n"


def new_path(folder: Path, comparison: Comparison) -> Path:
    """A name that tells when it began and on what, and that is free."""
    created = re.sub(r"[^0-9]", "", str(comparison.about.get("created", "")))[:14] or "comparison"
    words = "-".join(re.findall(r"[a-z0-9]+", comparison.plan.prompts[0].text.lower())[:6])[:48]
    stem = f"{created}-{words}" if words else created
    path, n = folder / f"{stem}{SUFFIX}", 2
    while path.exists():
        path, n = folder / f"{stem}-{n}{SUFFIX}", n + 1
    return path


def read(path: Path) -> Comparison:
    """Read a comparison, exported or append-only; a last line that was cut off by a kill is left out.

    Raises:
        UserError: one sentence that names what is wrong and where.
    """
    try:
        whole = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise _unreadable(path, "it is not text in UTF-8") from error
    except OSError as error:
        raise _unreadable(path, error.strerror or str(error)) from error
    if not whole.strip():
        raise _unreadable(path, "it is empty")
    try:
        if path.suffix == SUFFIX:
            return _from_lines(whole)
        return _from_object(_json(whole, "the file"))
    except BadField as error:
        raise _unreadable(path, str(error)) from error


def saved(folder: Path) -> list[Saved]:
    """The comparisons of a folder, newest first; a file that is none is left out."""
    return sorted(_heads(folder), key=lambda item: (item.created, item.path.name), reverse=True)


def _heads(folder: Path) -> Iterator[Saved]:
    for path in folder.glob(f"*{SUFFIX}"):
        try:
            with path.open(encoding="utf-8") as file:
                comparison = record.from_head(_json(file.readline(), "line 1"))
        except (OSError, UnicodeDecodeError, BadField):
            continue
        plan = comparison.plan
        arms = " · ".join(f"{LETTERS[i]} {arm.words(plan.arms[0].params)}" for i, arm in enumerate(plan.arms))
        yield Saved(path, plan.prompts[0].text, str(comparison.about.get("created", "")), arms)


def _from_lines(whole: str) -> Comparison:
    lines = whole.split("\n")
    # Every line ends with a newline once it is whole: what stands after the last one was being written.
    complete = [text for text in lines[:-1] if text.strip()]
    if not complete:
        raise BadField("line 1", "was never finished")
    comparison = record.from_head(_json(complete[0], "line 1"))
    for number, text in enumerate(complete[1:], 2):
        record.take(comparison, _json(text, f"line {number}"), f"line {number}")
    return comparison


def _from_object(data: Any) -> Comparison:
    comparison = record.from_head(data)
    events = data.get("events")
    if not isinstance(events, list):
        raise BadField("events", "is missing" if events is None else "must be a list")
    for number, item in enumerate(events):
        record.take(comparison, item, f"events[{number}]")
    return comparison


def _json(text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        place = f" (line {error.lineno}, column {error.colno})" if isinstance(error, json.JSONDecodeError) else ""
        raise BadField(where, f"is not JSON{place}") from error


def _unreadable(path: Path, reason: str) -> UserError:
    return UserError(f"{path.name} cannot be read as a comparison: {reason}.", "Choose a file that Draftlens wrote.")


def _refused(path: Path, error: OSError) -> UserError:
    reason = error.strerror or str(error)
    return UserError(
        f"The comparison cannot be saved in {path}: {reason}.",
        "What was written before is kept; free some space or choose another folder, then go on.",
    )
