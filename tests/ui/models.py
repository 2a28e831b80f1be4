"""A hub and a cache with a few small models, and the window that shows them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from draftlens.library import hub_cache
from library.toy_folder import llama_config, llama_tensors, model_folder, write_tokenizer

DRAFTER = "z-lab/Qwen3.5-4B-DFlash"


def installed(cache: Path, repo: str, make: Callable[[Path], object]) -> Path:
    """A repository in a cache, whose one snapshot is made."""
    folder = hub_cache.repo_folder(cache, repo)
    snapshot = folder / "snapshots" / ("a" * 40)
    make(snapshot)
    (folder / "refs").mkdir()
    (folder / "refs" / "main").write_text("a" * 40)
    return snapshot


def numbered(config: dict[str, object]) -> dict[str, object]:
    """A config with the numbers that an estimate of memory needs."""
    return llama_config(hidden_size=64, num_attention_heads=4, intermediate_size=96) | config


def four_models(cache: Path) -> None:
    """A target, a drafter that goes with it, one that does not, and one that is bound."""
    installed(cache, "acme/Target-1B", lambda at: model_folder(at, numbered({})))
    installed(cache, "acme/Small", lambda at: model_folder(at, numbered({})))

    def other(at: Path) -> None:
        write_tokenizer(model_folder(at, numbered({})), {f"u{i}": i for i in range(8)})

    installed(cache, "acme/Other", other)
    config = llama_config(dflash_config={"target_layer_ids": [1]}, architectures=["DFlashDraftModel"])
    headless = [name for name in llama_tensors() if "embed" not in name]
    installed(cache, DRAFTER, lambda at: model_folder(at, config, headless))
