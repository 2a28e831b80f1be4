"""Recognise what looks like a model that writes text and is none, by its class, its files or its tensors."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from draftlens.library import expected_tensors, supported
from draftlens.library.roles import Role

Refusal = tuple[Role, str, str, tuple[str, ...]]

PICK_STANDALONE = "Choose a complete model; a small one with the target's vocabulary can draft."
FETCH_AGAIN = "Fetch what is missing, or fetch the model again."
MLX_VERSION = "Use an MLX or plain safetensors version of this model."
_FUSE = "Fuse it with its base model first, and choose the fused folder."
_EMBEDDING_FILES = ("modules.json", "config_sentence_transformers.json", "sentence_bert_config.json")
# The steps after the layers, each in a folder of its own: 1_Pooling, 2_Dense, 3_Normalize, 1_LogitScore.
_STEP = re.compile(r"\d+_[A-Z]\w*")
_SCORING_HEAD = re.compile(r"^(?:model\.)?(?:score|classifier|v_head|value_head|reward_head|regression_head)\.")
_UNFUSED = re.compile(r"\.lora_(?:[abAB]|embedding_[AB])(?:\.|$)")
_PACKED = re.compile(r"\.(?:qweight|qzeros|weight_packed|absmax|SCB|weight_scale_inv)$|\.quant_state\.")


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


def encoder(config: Mapping[str, Any], names: tuple[str, ...], folder: Path | None) -> Refusal | None:
    """A type that only reads text, in its bare class or with the companions of an embedding model beside it."""
    if not re.search(r"bert|mpnet|electra|^gte$|^new$", str(config.get("model_type")), re.I):
        return None
    return by_class(names, folder)


def by_class(names: tuple[str, ...], folder: Path | None) -> Refusal | None:
    """An embedding model shares config and layers with a chat model; only its class or its companions tell."""
    if names and all(re.search(r"(?<!LMHead)Model$", name) for name in names):
        reason = f"It is a {names[0]}: layers without an output head, made to turn text into vectors."
        return Role.EMBEDDING, reason, PICK_STANDALONE, (f"architectures {' '.join(names)}",)
    beside = () if folder is None else sorted(path.name for path in folder.iterdir())
    steps = [name for name in beside if _STEP.fullmatch(name)]
    companion = next((name for name in (*steps, *_EMBEDDING_FILES) if name in beside), None)
    if companion is not None:
        purpose = "score how well texts fit together" if "Score" in companion else "turn text into vectors"
        return Role.EMBEDDING, f"It is set up to {purpose}.", PICK_STANDALONE, (companion,)
    return None


def by_tensors(config: Mapping[str, Any], names: Collection[str]) -> Refusal | None:
    """What the tensor names give away although the config is that of a chat model; such weights cannot be loaded."""
    if (name := _first(_UNFUSED, names)) is not None:
        return Role.ADAPTER, f"It holds the changes of an adapter that is not fused ({name}).", _FUSE, (name,)
    if (name := _first(_SCORING_HEAD, names)) is not None:
        reason = f"It has a head that scores text instead of writing it ({name})."
        return Role.UNSUPPORTED, reason, PICK_STANDALONE, (name,)
    declared = any(config.get(key) for key in ("quantization", "quantization_config"))
    unpacks_itself = supported.unpacks_fp8(config.get("model_type"))
    name = None if declared else _first(_PACKED, names)
    if name is not None and not (unpacks_itself and name.endswith("weight_scale_inv")):
        reason = f"It holds packed weights ({name}), and its config.json does not say how they are packed."
        return Role.UNSUPPORTED, reason, MLX_VERSION, (name,)
    plain = config.get("model_type") in expected_tensors.PLAIN_FAMILIES
    if plain and (name := next((name for name in names if name.startswith("language_model.")), None)) is not None:
        reason = f"It holds the text part of a larger model under names of that model ({name})."
        return Role.UNSUPPORTED, reason, MLX_VERSION, (name,)
    # A model's layers are under "model."; only a bare body, saved to make vectors, has them at the top.
    if plain and any(name.startswith("layers.0.") for name in names):
        reason = "It holds layers without the frame of a chat model, as saved to turn text into vectors."
        return Role.EMBEDDING, reason, PICK_STANDALONE, ("layers.0 at the top",)
    return None


def _first(pattern: re.Pattern[str], names: Collection[str]) -> str | None:
    return next((name for name in names if pattern.search(name)), None)
