"""Tiny random mlx-lm models of five cache families: real layers and caches, no meaning, float32, seeded."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mlx.core as mx
import mlx.nn as nn
from mlx.utils import tree_map
from mlx_lm.models import gemma4_text, lfm2, muse_glimmer, qwen3, qwen3_5

from draftlens.engine.target import Model

VOCABULARY = 48
WINDOW = 8


def _qwen3() -> nn.Module:
    return qwen3.Model(
        qwen3.ModelArgs(
            model_type="qwen3",
            hidden_size=64,
            num_hidden_layers=2,
            intermediate_size=64,
            num_attention_heads=2,
            rms_norm_eps=1e-6,
            vocab_size=VOCABULARY,
            num_key_value_heads=1,
            max_position_embeddings=512,
            head_dim=64,
            tie_word_embeddings=False,
            rope_theta=10000.0,
        )
    )


def _qwen3_5() -> nn.Module:
    text = {
        "model_type": "qwen3_5_text",
        "hidden_size": 32,
        "num_hidden_layers": 4,
        "intermediate_size": 48,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "rms_norm_eps": 1e-6,
        "vocab_size": VOCABULARY,
        "head_dim": 8,
        "full_attention_interval": 4,
        "linear_num_value_heads": 4,
        "linear_num_key_heads": 2,
        "linear_key_head_dim": 8,
        "linear_value_head_dim": 8,
        "linear_conv_kernel_dim": 4,
        "max_position_embeddings": 512,
    }
    return qwen3_5.Model(qwen3_5.ModelArgs(model_type="qwen3_5", text_config=text))


def _lfm2() -> nn.Module:
    return lfm2.Model(
        lfm2.ModelArgs(
            model_type="lfm2",
            vocab_size=VOCABULARY,
            hidden_size=32,
            num_hidden_layers=4,
            num_attention_heads=4,
            num_key_value_heads=2,
            max_position_embeddings=512,
            norm_eps=1e-5,
            conv_bias=False,
            conv_L_cache=3,
            block_dim=32,
            block_multiple_of=8,
            block_ffn_dim_multiplier=1.0,
            block_auto_adjust_ff_dim=False,
            block_ff_dim=48,
            layer_types=["conv", "full_attention", "conv", "full_attention"],
        )
    )


def _gemma4() -> nn.Module:
    return gemma4_text.Model(
        gemma4_text.ModelArgs(
            hidden_size=32,
            num_hidden_layers=6,
            intermediate_size=48,
            num_attention_heads=4,
            head_dim=8,
            global_head_dim=16,
            vocab_size=VOCABULARY,
            vocab_size_per_layer_input=VOCABULARY,
            num_key_value_heads=2,
            num_kv_shared_layers=2,
            hidden_size_per_layer_input=8,
            sliding_window=WINDOW,
            sliding_window_pattern=3,
            max_position_embeddings=512,
            tie_word_embeddings=False,
        )
    )


def _muse_glimmer() -> nn.Module:
    return muse_glimmer.Model(
        muse_glimmer.ModelArgs(
            hidden_size=32,
            num_hidden_layers=4,
            intermediate_size=48,
            num_attention_heads=4,
            num_key_value_heads=2,
            head_dim=8,
            vocab_size=VOCABULARY,
            sliding_window=WINDOW,
            max_position_embeddings=512,
            output_multiplier=1.0,
        )
    )


_MAKERS: dict[str, Callable[[], nn.Module]] = {
    "qwen3": _qwen3,
    "qwen3_5": _qwen3_5,
    "lfm2": _lfm2,
    "gemma4_text": _gemma4,
    "muse_glimmer": _muse_glimmer,
}

FAMILIES = tuple(_MAKERS)
EXACT = ("qwen3", "qwen3_5", "lfm2")
"""Families whose rows do not depend on where a block begins; the others sum a rotated window in another order, or
round a key to 8 bits after summing it in another order."""
TARGETS = (*FAMILIES, "qwen3-kv8")

_built: dict[tuple[str, int], nn.Module] = {}


def network(family: str, seed: int = 0) -> nn.Module:
    """Return the family's network with weights wide enough apart that its text is varied and has no ties."""
    if (family, seed) not in _built:
        made = _MAKERS[family]()
        mx.random.seed(1000 + seed)
        made.update(tree_map(_widen, made.parameters()))
        mx.eval(made.parameters())
        _built[family, seed] = made
    return _built[family, seed]


def _widen(value: Any) -> Any:
    """Redraw matrices at a scale of 1.5 / sqrt(inputs); leave norms and other vectors as they are."""
    if not isinstance(value, mx.array) or value.ndim < 2:
        return value
    fan_in = value.shape[-1] if value.ndim == 2 else value.shape[1]
    return mx.random.normal(value.shape) * (1.5 / fan_in**0.5)


def model(family: str, seed: int = 0, end_of_text: frozenset[int] = frozenset(), context: int = 512) -> Model:
    """Return a model of one of TARGETS; "-kv8" keeps its KV cache in 8 bits."""
    name, _, quantised = family.partition("-kv")
    return Model(
        network(name, seed),
        VOCABULARY,
        context,
        end_of_text,
        name=family,
        kv_bits=int(quantised) if quantised else None,
    )
