"""How much memory a model needs at a context length, and whether this computer has it."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from draftlens.library import small_file
from draftlens.library.roles import Verdict

DEFAULT_CONTEXT = 8192
TIGHT = 0.85
"""Above this share of what can be used, a fit is called tight."""
_METAL_SHARE = 0.75
"""What Metal lets one process keep resident when it has not been asked."""
PROCESS = 230_000_000
"""Python, MLX and a tokenizer, measured on Linux with the demo pair's weights and caches taken off."""
_PREFILL_STEP = 512
_CACHE_BYTES = 4 if sys.platform == "linux" else 2


class Fit(StrEnum):
    """How an estimate stands to what can be used."""

    FITS = "fits"
    TIGHT = "tight"
    TOO_BIG = "too big"
    UNKNOWN = "no estimate"


@dataclass(frozen=True)
class Need:
    """Bytes a model takes: `cache` at the whole context, `work` for the largest forward."""

    weights: int
    cache: int
    work: int


@dataclass(frozen=True)
class Estimate:
    """What loading would take against what can be used; None where it cannot be known."""

    needed: int | None
    usable: int | None

    @property
    def fit(self) -> Fit:
        if self.needed is None or self.usable is None:
            return Fit.UNKNOWN
        if self.needed > self.usable:
            return Fit.TOO_BIG
        return Fit.TIGHT if self.needed > TIGHT * self.usable else Fit.FITS

    @property
    def share(self) -> float:
        """Needed over usable, 0 where unknown."""
        return 0.0 if self.needed is None or not self.usable else self.needed / self.usable


def estimate(*needs: Need | None, limit: int | None, unloaded: int = 0, in_use: int = 0) -> Estimate:
    """Add up models that are loaded together.

    Args:
        needs: of target and drafter; None for one that cannot be judged.
        limit: what this computer lets the program use, None if unknown.
        in_use: what the program uses now beside itself; `unloaded` of it will be given back.
    """
    usable = None if limit is None else max(0, limit - max(0, in_use - unloaded))
    if any(need is None for need in needs):
        return Estimate(None, usable)
    known = [need for need in needs if need is not None]
    kept = sum(need.weights + need.cache for need in known)
    # Target and drafter take turns, so the larger forward counts once.
    return Estimate(PROCESS + kept + max((need.work for need in known), default=0), usable)


def need(folder: Path, verdict: Verdict, context: int = DEFAULT_CONTEXT) -> Need | None:
    """What a folder needs, from its config and the size of its weights; None for what cannot be loaded."""
    if not verdict.role.standalone:
        return None
    try:
        config = small_file.parsed(folder / "config.json")
    except (OSError, ValueError):
        return None
    return need_of(config, verdict.size, context)


def need_of(config: Mapping[str, Any], weights: int, context: int = DEFAULT_CONTEXT) -> Need | None:
    """The same from a config at hand; None if it lacks the numbers."""
    text = config.get("text_config")
    part = {**config, **text} if isinstance(text, dict) else config
    longest = _whole(part, "max_position_embeddings", "n_positions", "max_seq_len") or context
    context = min(context, longest)
    layers, hidden = _whole(part, "num_hidden_layers", "n_layer"), _whole(part, "hidden_size", "n_embd", "d_model")
    heads = _whole(part, "num_attention_heads", "n_head")
    if not layers or not hidden or not heads:
        return None
    vocabulary = _whole(part, "vocab_size") or 0
    middle = _whole(part, "intermediate_size") or 4 * hidden
    # The widest forward: hidden and inner rows of a prompt's step, some rows of logits, and on the CPU, whose
    # attention is not fused, the scores of every head over the whole context.
    scores = _PREFILL_STEP * context * heads * 4 if sys.platform == "linux" else 0
    work = 3 * _PREFILL_STEP * 2 * (hidden + middle) * 4 + 8 * vocabulary * 4 + scores
    return Need(weights, _cache(part, layers, hidden, heads, context), work)


def limit() -> int | None:
    """Bytes one program may use here: most of the memory on a Mac, all of it elsewhere; None if the system is silent.

    What Metal itself recommends is better known once the engine runs.
    """
    try:
        total = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (OSError, ValueError, AttributeError):
        return None
    return int(total * _METAL_SHARE) if sys.platform == "darwin" else total


def _cache(part: Mapping[str, Any], layers: int, hidden: int, heads: int, context: int) -> int:
    """Bytes of keys and values, layer by layer: full, sliding, compressed or recurrent."""
    rank = _whole(part, "kv_lora_rank")
    if rank:
        return layers * context * (rank + (_whole(part, "qk_rope_head_dim") or 0)) * _CACHE_BYTES
    row = 2 * (_whole(part, "num_key_value_heads") or heads) * (_whole(part, "head_dim") or hidden // heads)
    kinds = part.get("layer_types")
    if not isinstance(kinds, list) or len(kinds) != layers:
        every = _whole(part, "full_attention_interval")
        kinds = ["full_attention" if not every or (i + 1) % every == 0 else "linear_attention" for i in range(layers)]
    window = _whole(part, "sliding_window") or context
    rows = 0
    for kind in kinds:
        rows += {"sliding_attention": min(context, window), "full_attention": context}.get(str(kind), 0)
    return rows * row * _CACHE_BYTES


def _whole(part: Mapping[str, Any], *keys: str) -> int | None:
    return next((value for key in keys if isinstance(value := part.get(key), int) and value > 0), None)
