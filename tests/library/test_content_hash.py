"""What a check of files says: which hold what their hash says, which do not, and of which nothing can be said."""

from __future__ import annotations

import hashlib
from pathlib import Path

from draftlens.library import content_hash


def _snapshot(cache: Path, content: bytes) -> Path:
    """A model as another program keeps it: a blob named by its hash, a link to it, and a file beside it."""
    repo = cache / "models--acme--toy"
    blob = repo / "blobs" / hashlib.sha256(content).hexdigest()
    snapshot = repo / "snapshots" / ("a" * 40)
    for folder in (blob.parent, snapshot):
        folder.mkdir(parents=True)
    blob.write_bytes(content)
    (snapshot / "model.safetensors").symlink_to(blob)
    return snapshot


def test_what_has_no_hash_is_counted_apart_and_named(tmp_path: Path) -> None:
    snapshot = _snapshot(tmp_path, b"weights")
    assert content_hash.check(snapshot).sentence("acme/toy") == (
        "The one file of acme/toy with a hash is whole: each holds what the hub’s hash says."
    )
    (snapshot / "config.json").write_text("{}")
    (snapshot / "notes.txt").write_text("mine")
    found = content_hash.check(snapshot)
    assert (found.files, found.damaged, found.unknown) == (1, (), ("config.json", "notes.txt"))
    assert found.sentence("acme/toy").endswith(
        "Not checked, because the hub names no hash for it: config.json and 1 more."
    )


def test_damage_is_named_beside_what_could_not_be_checked(tmp_path: Path) -> None:
    snapshot = _snapshot(tmp_path, b"weights")
    (snapshot / "model.safetensors").resolve().write_bytes(b"weighty")
    (snapshot / "config.json").write_text("{}")
    assert content_hash.check(snapshot).sentence("acme/toy") == (
        "1 of 1 files of acme/toy is damaged: model.safetensors. "
        "Not checked, because the hub names no hash for it: config.json."
    )


def test_where_nothing_has_a_hash_nothing_is_called_whole(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    assert content_hash.check(tmp_path).sentence("it") == (
        "No file of it carries a hash of the hub, so there is nothing to check it against."
    )
