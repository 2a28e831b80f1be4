"""The small files beside the weights: read only if they are ordinary, and JSON however deep is an error at most."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_MOST = 512 << 20


class TooDeep(ValueError):
    """JSON that is nested deeper than can be read."""


def content(path: Path) -> bytes:
    """The bytes of a file; a pipe or device, which might never end, is not read.

    Raises:
        OSError: it is not there, is no ordinary file or cannot be read.
        ValueError: it is larger than any such file.
    """
    size = path.stat().st_size
    if not path.is_file():
        raise OSError(0, "it is not an ordinary file", str(path))
    if size > _MOST:
        raise ValueError("too large")
    return path.read_bytes()


def decoded(text: bytes) -> Any:
    """The value of a JSON text; a byte-order mark is no part of it.

    Raises:
        ValueError: it is no JSON, or nested too deeply.
    """
    try:
        return json.loads(text.decode("utf-8-sig"))
    except RecursionError:
        raise TooDeep from None


def parsed(path: Path) -> Any:
    """The JSON of a file.

    Raises:
        OSError: it cannot be read, as for `content`.
        ValueError: it is no JSON.
    """
    return decoded(content(path))
