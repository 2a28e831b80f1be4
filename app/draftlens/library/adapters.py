"""Recognise a folder that holds only the changes to a model: an adapter."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

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
    base, kind = None, ""
    if has_config:
        try:
            config = clipped(small_file.parsed(folder / "adapter_config.json"))
            base = config.get("base_model_name_or_path") or config.get("model")
            kind = _kind(config)
        except (OSError, ValueError, AttributeError):
            base = None
    named = f" for {base}" if isinstance(base, str) and base else ""
    return Verdict(
        role=Role.ADAPTER,
        reason=f"It holds only the changes{named}, not the model they belong to.",
        next="Fuse it with its base model first, and choose the fused folder.",
        evidence=tuple(weights or ("adapter_config.json",)),
        architecture=kind,
    )


def _kind(config: Mapping[str, Any]) -> str:
    """The kind of adapter with its rank, as PEFT or mlx-lm name them: "LoRA r16"."""
    numbers = config.get("lora_parameters")
    name = str(config.get("peft_type") or config.get("fine_tune_type") or "").casefold()
    rank = config.get("r") or (numbers.get("rank") if isinstance(numbers, dict) else None)
    said = {"lora": "LoRA", "dora": "DoRA"}.get(name, "")
    return f"{said} r{rank}" if said and type(rank) is int and 0 < rank < 100_000 else said
