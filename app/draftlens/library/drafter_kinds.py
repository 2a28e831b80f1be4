"""Recognise drafters that work only with their own target, by what their config and tensors hold."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from draftlens.library.roles import Role

Config = Mapping[str, Any]
Found = tuple[Role, str]

_DFLASH_ARCHITECTURES = frozenset(
    {"DFlashDraftModel", "Lfm2DSparkDraftModel", "DFlashLagunaForCausalLM", "MuseGlimmerAssistantModel"}
)
_MUSE_TYPE = "muse_glimmer_assistant"


def is_dflash_family(config: object) -> bool:
    """The structural test, exactly: a `dflash_config` object, one of four architectures, or the Muse model type."""
    if not isinstance(config, dict):
        return False
    if isinstance(config.get("dflash_config"), dict) or config.get("model_type") == _MUSE_TYPE:
        return True
    return not _DFLASH_ARCHITECTURES.isdisjoint(architectures(config))


def architectures(config: Config) -> tuple[str, ...]:
    """The declared class names; a single string counts as a list of one, anything else as none."""
    declared = config.get("architectures")
    if isinstance(declared, str):
        return (declared,)
    return tuple(name for name in declared if isinstance(name, str)) if isinstance(declared, list) else ()


def by_config(config: Config) -> Found | None:
    """The kind of bound drafter that config.json declares, with the key that says so; None for everything else."""
    names = " ".join(architectures(config))
    declared = config.get("model_type")
    model_type = declared if isinstance(declared, str) else ""
    speculator = _speculator(config)
    if is_dflash_family(config) or re.search(r"dflash|dspark", names, re.I) or speculator == "dflash":
        return _dflash_kind(config, names)
    if _HEADS.search(f"{model_type} {names}") or _number(config, *_HEAD_COUNTS):
        return Role.MEDUSA, _first_of(config, *_HEAD_COUNTS) or _named(model_type, names)
    if model_type == "mlp_speculator" or "MLPSpeculator" in names or speculator == "mlp":
        return Role.MLP_SPECULATOR, _named(model_type, names)
    if re.fullmatch(r"gemma\w*_assistant", model_type) or re.search(r"Gemma\w*Assistant", names):
        return Role.GEMMA_MTP, _named(model_type, names)
    if re.search(r"(_mtp|nextn)$", model_type) or re.search(r"NextN|MTP", names) or speculator == "mtp":
        return Role.MTP_HEAD, f"architectures {names}" if names else f"model_type {model_type!r}"
    if model_type.endswith("_assistant") or _number(config, "backbone_hidden_size"):
        return Role.MTP_HEAD, _first_of(config, "backbone_hidden_size") or f"model_type {model_type!r}"
    if model_type.startswith("eagle") or re.search(r"eagle", names, re.I):
        return Role.EAGLE, f"architectures {names}" if names else f"model_type {model_type!r}"
    if isinstance(config.get("eagle_config"), dict):
        return Role.EAGLE, "eagle_config"
    if speculator is not None:
        return Role.EAGLE, f"speculators format, algorithm {speculator!r}"
    if _ONE_LAYER.search(f"{model_type} {names}"):
        return Role.EAGLE, _named(model_type, names)
    if isinstance(config.get("target_layer_ids"), list):
        return Role.DFLASH, "target_layer_ids"
    for part in (config, config.get("text_config")):
        # A vocabulary of its own for drafting means that its tokens must be mapped back to the target's.
        if isinstance(part, dict) and _number(part, "draft_vocab_size"):
            return Role.EAGLE, f"draft_vocab_size {part['draft_vocab_size']}"
    return None


def _named(model_type: str, names: str) -> str:
    return f"model_type {model_type!r}" if model_type else f"architectures {names}"


def by_tensors(names: Collection[str]) -> Found | None:
    """The kind of bound drafter that the tensor names give away where the config looks like an ordinary model's."""
    for pattern, role in _TENSOR_MARKS:
        mark = next((name for name in names if pattern.search(name)), None)
        if mark is not None:
            return role, f"tensor {mark}"
    own = [name for name in names if "embed_tokens" not in name]
    if own and all(re.match(r"(model\.)?mtp\.", name) for name in own):
        return Role.MTP_HEAD, "all tensors belong to mtp.*"
    joins = next((name for name in names if re.search(r"\.(eh_proj|enorm|hnorm)\.", name)), None)
    # A full model may carry such a layer after its own; then it also has layer 0 with ordinary attention.
    if joins is not None and sum(1 for name in names if name.endswith("input_layernorm.weight")) <= 1:
        return Role.MTP_HEAD, f"tensor {joins} and no other layers"
    return None


# Several heads on the target's last state, each for one token ahead.
_HEADS = re.compile(r"medusa|hydra|amphista|clover", re.I)
_HEAD_COUNTS = ("medusa_num_heads", "hydra_num_heads", "amphista_num_heads", "clover_num_heads", "num_draft_heads")
# One small layer or net that goes on from the target's states; an ordinary class name holds none of these words.
_ONE_LAYER = re.compile(
    r"\bhass|glide|kangaroo|drafter|draft_?model|draft_?head|(?:^|_)draft(?:_|$)|speculator|recurrent_?draft",
    re.I,
)
_TENSOR_MARKS = (
    (re.compile(r"^(model\.)?hidden_norm\.weight$"), Role.DFLASH),
    (re.compile(r"^(model\.)?(pre_projection|post_projection|masked_embedding)\."), Role.GEMMA_MTP),
    (re.compile(r"^encoder\.output_norm_enc\."), Role.MUSE),
    (re.compile(r"^(model\.)?markov_head\."), Role.DSPARK),
    (re.compile(r"^(model\.)?(medusa|hydra|amphista|clover)_heads?\.|^\d+\.\d+\.linear\.weight$"), Role.MEDUSA),
    (re.compile(r"^(model\.)?midlayer\.|layers\.\d+\.hidden_norm\."), Role.EAGLE),
    # Joins the target's hidden state with the next embedding; no standalone model has it at the top.
    (re.compile(r"^(model\.)?fc\.(weight|bias|scales|biases)$"), Role.EAGLE),
    (re.compile(r"^(model\.)?(d2t|t2d)$"), Role.EAGLE),
    (re.compile(r"^(speculator\.)?(emb|proj|ln)\.0\.weight$"), Role.MLP_SPECULATOR),
)


def _dflash_kind(config: Config, names: str) -> Found:
    block = config.get("dflash_config")
    evidence = "dflash_config" if isinstance(block, dict) else f"architectures {names}" if names else "its model_type"
    if config.get("model_type") == _MUSE_TYPE or "MuseGlimmerAssistant" in names:
        return Role.MUSE, f"model_type {_MUSE_TYPE!r}"
    parts = [part for part in (config, block) if isinstance(part, dict)]
    if "DSpark" in names or any(part.get("projector_type") == "dspark" for part in parts):
        return Role.DSPARK, evidence
    if any(_number(part, "markov_rank") for part in parts):
        return Role.DSPARK, evidence
    if "DFlash2" in names or any(_number(part, "selector_rank") for part in parts):
        return Role.DFLASH2, evidence
    return Role.DFLASH, evidence


def _speculator(config: Config) -> str | None:
    """The algorithm of a checkpoint in the speculators format, shortened to its family."""
    kind = config.get("speculators_model_type")
    block = config.get("speculators_config")
    if kind is None and isinstance(block, dict):
        kind = block.get("algorithm", "")
    if not isinstance(kind, str):
        return None
    for family in ("eagle", "dflash", "mtp", "mlp"):
        if kind.startswith(family):
            return family
    return kind


def _number(config: Config, *keys: str) -> bool:
    """Whether one of the keys holds a positive number; a null or zero says that the feature is off."""
    return any(isinstance(config.get(key), int) and config[key] > 0 for key in keys)


def _first_of(config: Config, *keys: str) -> str | None:
    return next((f"{key} {config[key]}" for key in keys if _number(config, key)), None)
