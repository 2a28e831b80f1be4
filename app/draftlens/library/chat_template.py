"""The chat template of a folder, whichever of its files keeps it."""

from __future__ import annotations

import contextlib
from pathlib import Path

from draftlens.library import small_file


def of_folder(folder: Path) -> str | None:
    """The template's text; None if there is none."""
    with contextlib.suppress(OSError, ValueError):
        return small_file.content(folder / "chat_template.jinja").decode()
    for name in ("chat_template.json", "tokenizer_config.json"):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            found = small_file.parsed(folder / name).get("chat_template")
            if found:
                return str(found)
    return None
