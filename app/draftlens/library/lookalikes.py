"""Recognise what looks like a model that writes text and is none, by its class, its files or its tensors."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from draftlens.library.roles import Role

Refusal = tuple[Role, str, str, tuple[str, ...]]

PICK_STANDALONE = "Choose a complete model; a small one with the target's vocabulary can draft."
MLX_VERSION = "Use an MLX or plain safetensors version of this model."
_FUSE = "Fuse it with its base model first, and choose the fused folder."
_EMBEDDING_FILES = ("modules.json", "config_sentence_transformers.json", "1_Pooling")
_SCORING_HEAD = re.compile(r"^(?:model\.)?(?:score|classifier|v_head|value_head|reward_head|regression_head)\.")
_UNFUSED = re.compile(r"\.lora_(?:[abAB]|embedding_[AB])(?:\.|$)")
_PACKED = re.compile(r"\.(?:qweight|qzeros|weight_packed|absmax|SCB)$|\.quant_state\.")
# In these families a model's layers are under "model."; only a bare body, saved to make vectors, has them at the top.
_BODY_UNDER_MODEL = ("llama", "mistral", "qwen2", "qwen3")


def pipeline(folder: Path) -> Refusal | None:
    """A diffusers pipeline keeps a config in each of its parts and an index of them at the top."""
    index = folder / "model_index.json"
    if not index.is_file():
        return None
    reason = "It is a diffusers pipeline, which makes pictures or sound and does not write text."
    return Role.UNSUPPORTED, reason, PICK_STANDALONE, (index.name,)


def without_type(config: Mapping[str, Any]) -> Refusal | None:
    """A config of another library names no model_type; its own marks say what it belongs to."""
    if "_diffusers_version" in config or "_class_name" in config:
        reason = "It is a part of a diffusers pipeline and does not write text."
        return Role.UNSUPPORTED, reason, PICK_STANDALONE, ("_class_name",)
    if "peft_type" in config:
        return (
            Role.ADAPTER,
            "It holds only the changes to a model, not the model they belong to.",
            _FUSE,
            ("peft_type",),
        )
    return None


def by_class(names: tuple[str, ...], folder: Path | None) -> Refusal | None:
    """An embedding model shares config and layers with a chat model; only its class or its companions tell."""
    if names and all(re.search(r"(?<!LMHead)Model$", name) for name in names):
        reason = f"It is a {names[0]}: layers without an output head, made to turn text into vectors."
        return Role.EMBEDDING, reason, PICK_STANDALONE, (f"architectures {' '.join(names)}",)
    companion = next((name for name in _EMBEDDING_FILES if folder is not None and (folder / name).exists()), None)
    if companion is not None:
        return Role.EMBEDDING, "It is set up to turn text into vectors.", PICK_STANDALONE, (companion,)
    return None


def by_tensors(config: Mapping[str, Any], names: Collection[str]) -> Refusal | None:
    """What the tensor names give away although the config is that of a chat model; such weights cannot be loaded."""
    if (name := _first(_UNFUSED, names)) is not None:
        return Role.ADAPTER, f"It holds the changes of an adapter that is not fused ({name}).", _FUSE, (name,)
    if (name := _first(_SCORING_HEAD, names)) is not None:
        reason = f"It has a head that scores text instead of writing it ({name})."
        return Role.UNSUPPORTED, reason, PICK_STANDALONE, (name,)
    declared = any(config.get(key) for key in ("quantization", "quantization_config"))
    if not declared and (name := _first(_PACKED, names)) is not None:
        reason = f"It holds packed weights ({name}), and its config.json does not say how they are packed."
        return Role.UNSUPPORTED, reason, MLX_VERSION, (name,)
    if config.get("model_type") in _BODY_UNDER_MODEL and any(name.startswith("layers.0.") for name in names):
        reason = "It holds layers without the frame of a chat model, as saved to turn text into vectors."
        return Role.EMBEDDING, reason, PICK_STANDALONE, ("layers.0 at the top",)
    return None


def _first(pattern: re.Pattern[str], names: Collection[str]) -> str | None:
    return next((name for name in names if pattern.search(name)), None)
