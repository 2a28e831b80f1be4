"""Recognise a folder that holds only the changes to a model: an adapter."""

from __future__ import annotations

from pathlib import Path

from draftlens.library import small_file
from draftlens.library.config_values import clipped
from draftlens.library.roles import Role, Verdict

_WEIGHTS = ("adapters.safetensors", "adapter_model.safetensors", "adapter_model.bin", "adapters.npz")


def judge(folder: Path) -> Verdict | None:
    """The verdict on an adapter, None for anything else."""
    weights = [name for name in _WEIGHTS if (folder / name).exists()]
    has_config = (folder / "adapter_config.json").is_file()
    if not (weights or has_config) or any(folder.glob("model*.safetensors")):
        return None
    base = None
    if has_config:
        try:
            config = clipped(small_file.parsed(folder / "adapter_config.json"))
            base = config.get("base_model_name_or_path") or config.get("model")
        except (OSError, ValueError, AttributeError):
            base = None
    named = f" for {base}" if isinstance(base, str) and base else ""
    return Verdict(
        role=Role.ADAPTER,
        reason=f"It holds only the changes{named}, not the model they belong to.",
        next="Fuse it with its base model first, and choose the fused folder.",
        evidence=tuple(weights or ("adapter_config.json",)),
    )
