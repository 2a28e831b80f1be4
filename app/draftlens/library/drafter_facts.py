"""How we know that a checkpoint is a bound drafter: the keys and tensors that tell, in the order they convince."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Any

from draftlens.library import drafter_kinds

Fact = tuple[str, str]

_NUMBERS = (
    "block_size", "markov_rank", "selector_rank", "draft_vocab_size", "medusa_num_heads", "backbone_hidden_size",
    "n_predict",
)  # fmt: skip
_PARTS = {"embed_tokens": re.compile(r"embed_tokens\.|\bwte\.|tok_emb|^emb\."), "lm_head": re.compile(r"lm_head\.")}


def facts(config: Mapping[str, Any], tensors: Collection[str] | None) -> tuple[Fact, ...]:
    """Pairs of what was looked at and what was found; tensor lines only where the headers could be read."""
    found: list[Fact] = []
    names = drafter_kinds.architectures(config)
    if names:
        found.append(("architectures", "[" + ", ".join(f'"{name}"' for name in names) + "]"))
    if isinstance(config.get("model_type"), str):
        found.append(("model_type", str(config["model_type"])))
    for block in ("dflash_config", "eagle_config", "speculators_config"):
        if isinstance(config.get(block), dict):
            found.append((block, "present"))
    if tensors is not None:
        found += [
            (f"{part}.weight", "present" if any(pattern.search(name) for name in tensors) else "absent")
            for part, pattern in _PARTS.items()
        ]
    parts = [config, *(nested for key in ("dflash_config",) if isinstance(nested := config.get(key), dict))]
    taps = next((part["target_layer_ids"] for part in parts if isinstance(part.get("target_layer_ids"), list)), None)
    if taps is not None:
        layers = next((part.get("num_target_layers") for part in parts if part.get("num_target_layers")), None)
        found.append(("target_layer_ids", ", ".join(map(str, taps)) + (f" of {layers}" if layers else "")))
    for key in _NUMBERS:
        number = next((part[key] for part in parts if isinstance(part.get(key), int) and part[key] > 0), None)
        if number is not None:
            found.append((key, f"{number:,}"))
    return tuple(found)


def borrowed(found: Collection[Fact]) -> tuple[str, ...]:
    """Which of embedding and output head are absent, by tensor name."""
    return tuple(name.removesuffix(".weight") for name, value in found if value == "absent")
