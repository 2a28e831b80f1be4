"""A GGUF file becomes a folder among our own models: whole or not at all."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from draftlens import paths
from draftlens.core.errors import UserError
from draftlens.library import gguf, staging
from draftlens.library.gguf_pack import Keep

Report = Callable[[str, float | None], None]

_WORK_NAME = "gguf-import"
_RECIPE = "gguf-1"
_MARGIN = 50_000_000
_LONGEST_NAME = 200


def import_file(source: Path, name: str | None, keep: Keep, report: Report, dtype: str = gguf.DEFAULT_DTYPE) -> Path:
    """Import a file under a name, its own without one, and return the folder. An interrupted import leaves nothing.

    Raises:
        UserError: the file cannot be imported, the name is taken or the disk is full.
    """
    if not source.is_file():
        raise UserError(
            f"{source} is not {'a file' if source.exists() else 'there'}.", "Choose a file that ends in .gguf."
        )
    models = paths.models_dir()
    place = models / _folder_name(name or re.sub(r"\.gguf$", "", source.name, flags=re.I))
    if place.exists():
        raise UserError(f"{place} is there already.", "Choose another name with --name, or remove that folder.")

    def waiting() -> None:
        report("Waiting for another import", None)

    with staging.exclusive(models, _WORK_NAME, waiting) as work:
        assert work is not None
        fresh = work / "model"
        fresh.mkdir()
        needed = source.stat().st_size

        def require(size: int) -> None:
            nonlocal needed
            needed = size + _MARGIN
            staging.require_space(models, needed, place.name)

        try:
            gguf.import_gguf(source, fresh, report, dtype, keep, require)
        except OSError as error:
            if staging.is_disk_full(error):
                raise staging.disk_full(models, needed, place.name) from error
            raise UserError(f"{source.name} could not be imported: {error.strerror or error}.") from error
        staging.mark_complete(fresh, _RECIPE)
        staging.move_into_place(fresh, place, work / "old")
    return place


def remove_leftovers() -> None:
    """Delete what a killed import left behind; worth calling once at start."""
    staging.remove_leftovers(paths.models_dir(), _WORK_NAME)


def _folder_name(name: str) -> str:
    cleaned = re.sub(r"[^\w.+-]+", "-", name).strip("-.")
    if not cleaned:
        raise UserError(f"{name!r} is not a name for a folder.", "Use letters, digits, dots and dashes.")
    if len(cleaned.encode()) > _LONGEST_NAME:
        raise UserError(f"{cleaned[:40]}… is too long for the name of a folder.", "Choose a shorter one with --name.")
    return cleaned
