"""A set of prompts from a file: JSON, JSON lines, or plain text with one prompt a line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from draftlens.core.errors import UserError

MOST = 10_000


def read_prompts(path: Path) -> tuple[str, ...]:
    """Return the prompts of a file.

    `.json` is a list, `.jsonl` one value a line, each a text or an object with "prompt"; any other file has one prompt
    a line, blank lines left out.

    Raises:
        UserError: naming the file, the place and the reason.
    """
    try:
        whole = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise _bad(path, "it is not UTF-8 text") from error
    except OSError as error:
        raise _bad(path, error.strerror or str(error)) from error
    found = tuple(_prompts(path, whole))
    if not found:
        raise _bad(path, "there is no prompt in it")
    if len(found) > MOST:
        raise _bad(path, f"it holds {len(found):,} prompts, more than {MOST:,}")
    return found


def _prompts(path: Path, whole: str) -> list[str]:
    if path.suffix.lower() == ".json":
        data = _json(path, whole, "it")
        if not isinstance(data, list):
            raise _bad(path, "it is not a list of prompts")
        return [_prompt(path, item, f"prompt {i}") for i, item in enumerate(data, 1)]
    lines = [(i, line) for i, line in enumerate(whole.splitlines(), 1) if line.strip()]
    if path.suffix.lower() == ".jsonl":
        return [_prompt(path, _json(path, line, f"line {i}"), f"line {i}") for i, line in lines]
    return [line.strip() for _, line in lines]


def _prompt(path: Path, item: Any, where: str) -> str:
    text = item.get("prompt") if isinstance(item, dict) else item
    if not isinstance(text, str) or not text.strip():
        raise _bad(path, f'{where} is neither a text nor an object with a text under "prompt"')
    return text


def _json(path: Path, text: str, where: str) -> Any:
    try:
        return json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        raise _bad(path, f"{where} is not JSON") from error


def _bad(path: Path, reason: str) -> UserError:
    return UserError(f"{path} cannot be read as prompts: {reason}.", "Write one prompt a line, or a JSON list.")
