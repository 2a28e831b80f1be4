"""Fetching again what is damaged of a model, and nothing else."""

from __future__ import annotations

from pathlib import Path

from draftlens.core.errors import UserError
from draftlens.library import hub_cache, manifest
from draftlens.library.catalog import Installed
from draftlens.library.hub import Hub
from draftlens.library.manifest import Manifest, Part


def snapshot_of(path: Path) -> Path | None:
    """The snapshot in the hub cache that a model folder or GGUF file is, or is part of; None for any other."""
    return next((place for place in (path, path.parent) if hub_cache.repo_of_snapshot(place) is not None), None)


def can_check(item: Installed) -> bool:
    """Whether there are files to check; that those of other places have no hashes is what the check then says."""
    return not item.absent and not item.unfinished


def wanted(hub: Hub, snapshot: Path, names: tuple[str, ...]) -> Manifest:
    """What a download must bring to make these files whole; the hub is asked where no download of ours knows it.

    Raises:
        HubError: the hub cannot be asked.
        UserError: it does not have them any more.
    """
    kept = manifest.of_snapshot(snapshot)
    if kept is not None and {part.name for part in kept.files} >= set(names):
        return kept
    repo, commit = hub_cache.repo_of_snapshot(snapshot) or "", snapshot.name
    there = {file.name: Part(file.name, file.size, file.blob) for file in hub.listing(repo, commit).files}
    gone = [name for name in names if name not in there]
    if gone:
        raise UserError(f"{', '.join(gone)} of {repo} is not on the hub any more.", "Fetch the model again as a whole.")
    main = hub_cache.commit(snapshot.parent.parent) == commit
    return Manifest(repo, "main" if main else commit, commit, tuple(there[name] for name in names))
