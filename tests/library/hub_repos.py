"""Repositories for the loopback hub: real headers, a few hundred kilobytes of weights."""

from __future__ import annotations

import random
from pathlib import Path

from library.hub_server import Repo
from library.toy_folder import llama_config, llama_tensors, model_folder


def repo_of(folder: Path) -> Repo:
    """A folder as a repository, weights stored apart."""
    files = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
    return Repo(files, frozenset(name for name in files if name.endswith((".safetensors", ".gguf"))))


def whole_model(place: Path, weights: int = 400_000) -> Repo:
    """A complete small model whose weights are as long as asked."""
    repo = repo_of(model_folder(place))
    name = "model.safetensors"
    repo.files[name] += random.Random(5).randbytes(weights - len(repo.files[name]))
    repo.config = llama_config()
    return repo


def bound_drafter(place: Path) -> Repo:
    """A DFlash drafter: a block in its config and no embedding."""
    config = llama_config(dflash_config={"target_layer_ids": [1, 8]}, architectures=["DFlashDraftModel"])
    tensors = [name for name in llama_tensors() if "embed" not in name]
    return repo_of(model_folder(place, config, tensors))
