"""A judged folder in the terms of the engine: what to read of it, and under which name."""

from __future__ import annotations

from pathlib import Path

from draftlens.core.model import Folder
from draftlens.library import checkpoint, hub_cache, small_file, supported
from draftlens.library.roles import Verdict


def judge_folder(path: Path, as_draft: bool = False) -> Folder:
    """Return how to load a folder.

    Raises:
        UserError: it cannot stand alone, in the words of `checkpoint.require_standalone`.
    """
    return as_folder(path, checkpoint.require_standalone(path, as_draft))


def as_folder(path: Path, verdict: Verdict) -> Folder:
    """Return how to load what was found to stand alone; a lone config.json has no weights."""
    config = path if path.is_file() else path / "config.json"
    own = small_file.parsed(config).get("model_type")
    name = supported.loads_as(own)
    title = hub_cache.display_name(path)
    return Folder(path, verdict.weight_files, None if name == own else name, verdict.warnings, title)
