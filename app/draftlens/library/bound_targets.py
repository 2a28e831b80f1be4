"""Which target a bound drafter was made for, from its own config or from how its repository is named."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

_SUFFIX = re.compile(
    r"-(?:assistant|dflash(?:2|-b\d+)?|dspark|mtp|eagle3?(?:\.\d)?|medusa|accelerator|nextn|speculator(?:\.eagle3)?|draft)"
    r"(?:-(?:bf16|fp16|\d+bit|mlx))*$",
    re.I,
)
_OWNERS = (
    (re.compile(r"qwen", re.I), "Qwen"),
    (re.compile(r"gemma", re.I), "google"),
    (re.compile(r"lfm2", re.I), "LiquidAI"),
    (re.compile(r"muse", re.I), "meta-models"),
    (re.compile(r"llama", re.I), "meta-llama"),
    (re.compile(r"gpt-oss", re.I), "openai"),
    (re.compile(r"kimi", re.I), "moonshotai"),
    (re.compile(r"smollm", re.I), "HuggingFaceTB"),
)
_SAYS_NOTHING = re.compile(
    r"eagle\d?|medusa|dflash\d?|dspark|mtp|nextn|draft\w*|speculator\w*|accelerator|assistant|head\w*|instruct|chat|it|"
    r"mlx|gguf|bf16|fp\d+|\d+bit|v?\d[\w.]*|b\d+|model|snapshots?|[0-9a-f]{40}",
    re.I,
)
_GEMMA_CASE = re.compile(r"\bgemma-?4-?(.+)", re.I)


@dataclass(frozen=True)
class BoundTarget:
    """A target: as people write it, and the repository it is fetched from if that is known."""

    name: str
    repo: str | None


def target_of(name: str, config: Mapping[str, Any]) -> BoundTarget | None:
    """The target of the drafter called `name` (a folder or repository), None if nothing tells.

    Args:
        name: without owner; the part in front of the drafter's kind is the target's own name.
        config: a `verifier` that it states outranks the name.
    """
    stated = _stated(config)
    if stated is not None:
        return BoundTarget(spoken(stated.rpartition("/")[2]), stated if "/" in stated else None)
    base = name.rpartition("/")[2]
    stem = _SUFFIX.sub("", base)
    if stem == base or not stem:
        return None
    stem = re.sub(r"^(?:eagle3?|medusa|draft)-", "", stem, flags=re.I)
    if found := _GEMMA_CASE.match(stem):
        stem = f"gemma-4-{found[1]}"
    owner = next((owner for pattern, owner in _OWNERS if pattern.search(stem)), None)
    return BoundTarget(spoken(stem), None if owner is None else f"{owner}/{stem}")


def spoken(name: str) -> str:
    """A model's name as people write it: `Qwen3.5-4B` is "Qwen 3.5 4B"."""
    words = re.sub(r"^([A-Za-z]{3,})(\d)", r"\1 \2", name)
    return re.sub(r"[-_]+", " ", words).strip()


def _stated(config: Mapping[str, Any]) -> str | None:
    block = config.get("speculators_config")
    verifier = block.get("verifier") if isinstance(block, dict) else None
    for place, key in ((verifier, "name_or_path"), (config, "target_model_name_or_path"), (config, "base_model")):
        value = place.get(key) if isinstance(place, dict) else None
        if isinstance(value, str) and value.strip() and not value.startswith(("/", ".", "~")):
            return value
    return None


def family(target: BoundTarget) -> str:
    """What to search for to find smaller models of a target's family: its name without the size."""
    name = target.name if target.repo is None else target.repo.rpartition("/")[2]
    return re.sub(r"[-\s]+(?:E?\d+(?:\.\d+)?[BM]\b.*|Instruct.*|it)$", "", name, flags=re.I)


def search_words(name: str, target: BoundTarget | None) -> str:
    """What to search for to find a drafter's target or smaller models of its family; never nothing.

    Args:
        name: the drafter's own, which tells something where its target is unknown.
    """
    if target is not None:
        return family(target)
    words = [word for word in re.split(r"[-_\s]+", name.rpartition("/")[2]) if not _SAYS_NOTHING.fullmatch(word)]
    return words[0] if words else "instruct"
