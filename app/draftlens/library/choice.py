"""Which files of a repository belong to the model: what is loaded, and nothing that would only take time and space."""

from __future__ import annotations

import re
from collections.abc import Sequence

from draftlens.core.errors import UserError
from draftlens.library.hub import Listing, RemoteFile
from draftlens.library.manifest import Manifest, Part

_SIDE = re.compile(r"[^/]+\.(?:json|jinja|model|tiktoken)|merges\.txt|vocab\.txt|LICENSE[^/]*|README\.md")
_WEIGHTS = re.compile(r"model[^/]*\.safetensors")
_OTHER_WEIGHTS = re.compile(r"[^/]+\.safetensors")


def manifest_of(listing: Listing, gguf: str | None = None, revision: str = "main") -> Manifest:
    """What a download brings.

    Args:
        gguf: the one file that is wanted of a repository of GGUF files.

    Raises:
        UserError: the repository holds nothing that could be loaded.
    """
    chosen = _gguf(listing, gguf) if gguf or _only_gguf(listing.files) else _model(listing)
    parts = tuple(Part(file.name, file.size, file.blob) for file in chosen)
    return Manifest(listing.repo, revision, listing.commit, parts)


def ggufs(files: Sequence[RemoteFile]) -> list[RemoteFile]:
    """The GGUF files of a repository, smallest first; parts of a split one are left out."""
    whole = [f for f in files if f.name.endswith(".gguf") and not re.search(r"-\d{5}-of-\d{5}\.gguf$", f.name)]
    return sorted(whole, key=lambda file: file.size)


def _only_gguf(files: Sequence[RemoteFile]) -> bool:
    return bool(ggufs(files)) and not any(_WEIGHTS.fullmatch(file.name) for file in files)


def _gguf(listing: Listing, name: str | None) -> list[RemoteFile]:
    there = ggufs(listing.files)
    found = [file for file in there if file.name == name]
    if found:
        return found
    names = ", ".join(file.name for file in there[:6]) + ("…" if len(there) > 6 else "")
    if name is None and len(there) == 1:
        return there
    raise UserError(
        f"{listing.repo} holds {len(there)} GGUF files: {names}." if name is None else f"{listing.repo} has no {name}.",
        "Choose one of them." if name is None else f"It has {names or 'no GGUF file'}.",
    )


def _model(listing: Listing) -> list[RemoteFile]:
    weights = [file for file in listing.files if _WEIGHTS.fullmatch(file.name)]
    if not weights:
        # Adapters and some drafters name their weights otherwise.
        weights = [file for file in listing.files if _OTHER_WEIGHTS.fullmatch(file.name)]
    if not weights:
        raise UserError(
            f"{listing.repo} holds no safetensors and no GGUF files, so nothing of it could be loaded.",
            "Look for an MLX version of this model.",
        )
    return [*(file for file in listing.files if _SIDE.fullmatch(file.name)), *weights]
