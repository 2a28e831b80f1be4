"""What the loader has against a folder is said before a weight is read, and what it takes is never refused."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import mlx.core as mx
import mlx.nn as nn
import pytest
from mlx.utils import tree_flatten
from mlx_lm.utils import _get_classes

from draftlens.core.errors import UserError
from draftlens.engine import load, trial
from draftlens.library import verified
from draftlens.library.folder import judge_folder
from draftlens.library.roles import Role, Verdict
from library.toy_folder import llama_config, llama_tensors, model_folder, write_tokenizer

SMALL: dict[str, Any] = {
    "hidden_size": 64, "intermediate_size": 64, "num_attention_heads": 4, "num_hidden_layers": 4,
    "num_key_value_heads": 2, "rms_norm_eps": 1e-5, "vocab_size": 128, "head_dim": 16, "rope_theta": 1e4,
    "max_position_embeddings": 512, "tie_word_embeddings": False,
}  # fmt: skip
MOE: dict[str, Any] = {
    "num_experts": 4, "num_experts_per_tok": 2, "decoder_sparse_step": 1, "mlp_only_layers": [0],
    "moe_intermediate_size": 32, "norm_topk_prob": True,
}  # fmt: skip
FAMILIES: dict[str, dict[str, Any]] = {
    "llama": SMALL | {"attention_bias": True},
    "mistral": SMALL,
    "qwen2": SMALL,
    "qwen3": SMALL,
    "qwen3_moe": SMALL | MOE,
    "deepseek_v3": SMALL | {
        "kv_lora_rank": 16, "q_lora_rank": 16, "qk_rope_head_dim": 8, "qk_nope_head_dim": 8, "v_head_dim": 8,
        "n_routed_experts": 4, "num_experts_per_tok": 2, "n_group": 1, "topk_group": 1, "moe_intermediate_size": 32,
        "first_k_dense_replace": 1, "n_shared_experts": 1, "moe_layer_freq": 1, "num_key_value_heads": 4,
    },
    "qwen3_next": SMALL | MOE | {
        "linear_num_value_heads": 4, "linear_num_key_heads": 2, "linear_key_head_dim": 16, "linear_value_head_dim": 16,
        "linear_conv_kernel_dim": 4, "shared_expert_intermediate_size": 32, "full_attention_interval": 4,
        "partial_rotary_factor": 0.25,
    },
    "mamba": {
        "vocab_size": 128, "hidden_size": 64, "intermediate_size": 128, "state_size": 8, "num_hidden_layers": 2,
        "conv_kernel": 4, "use_bias": False, "use_conv_bias": True, "time_step_rank": 4,
    },
    "gemma3": {"vocab_size": 128, "text_config": SMALL | {
        "model_type": "gemma3_text", "sliding_window": 64, "query_pre_attn_scalar": 16, "sliding_window_pattern": 2,
    }},
    "gpt_neox": {
        "max_position_embeddings": 64, "hidden_size": 64, "num_attention_heads": 4, "num_hidden_layers": 2,
        "layer_norm_eps": 1e-5, "vocab_size": 128, "rotary_emb_base": 10000.0, "rotary_pct": 0.25,
    },
    "gpt_oss": SMALL | {
        "num_local_experts": 4, "num_experts_per_tok": 2, "sliding_window": 32,
        "layer_types": ["sliding_attention", "full_attention"] * 2,
    },
}  # fmt: skip
BYTES_FIRST = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
Edit = Callable[[dict[str, Any]], dict[str, Any]]


def judged(folder: Path) -> Verdict:
    return verified.judge(folder, trial.objection)


def saved(folder: Path, family: str, edit: Edit = dict, bits: int | None = None) -> Path:
    """A small model of a family as mlx-lm makes and writes it."""
    config: dict[str, Any] = FAMILIES[family] | {"model_type": family}
    made, arguments = _get_classes(config=config)
    model = made(arguments.from_dict(config))
    if bits is not None:
        config |= {"quantization": {"group_size": 32, "bits": bits}}
        nn.quantize(model, 32, bits)
    model_folder(folder, llama_config())
    (folder / "config.json").write_text(json.dumps(config))
    mx.save_safetensors(str(folder / "model.safetensors"), edit(dict(tree_flatten(model.parameters()))))
    return folder


@pytest.mark.parametrize("family", FAMILIES)
def test_what_the_loader_takes_is_complete(tmp_path: Path, family: str) -> None:
    verdict = judged(saved(tmp_path, family))
    assert (verdict.role, verdict.reason) == (Role.CHAT, "It is complete and has a chat template.")
    assert judged(tmp_path / "config.json").role is Role.CHAT


@pytest.mark.parametrize("bits", [4, 8])
def test_packed_weights_fit_their_config(tmp_path: Path, bits: int) -> None:
    assert judged(saved(tmp_path, "qwen3", bits=bits)).role is Role.CHAT


@pytest.mark.parametrize("family", ["qwen3", "qwen3_next"])
@pytest.mark.parametrize("prefix", ["", "model."])
def test_a_built_in_multi_token_head_is_left_aside_in_any_family(tmp_path: Path, family: str, prefix: str) -> None:
    head = {f"{prefix}mtp.fc.weight": mx.ones((64, 128)), f"{prefix}mtp.norm.weight": mx.ones((64,))}
    saved(tmp_path, family, lambda weights: weights | head)
    assert judged(tmp_path).role is Role.CHAT
    assert "mtp" not in " ".join(dict(tree_flatten(load.network(tmp_path, None).parameters())))


def test_a_layer_of_any_family_that_lacks_a_projection_is_incomplete(tmp_path: Path) -> None:
    name = "model.layers.2.self_attn.q_proj.weight"
    verdict = judged(saved(tmp_path, "qwen3_moe", lambda weights: {k: v for k, v in weights.items() if k != name}))
    assert (verdict.role, verdict.reason) == (Role.INCOMPLETE, f"It lacks 1 tensor of its model: {name}.")
    assert verdict.evidence == (name,)


def test_a_tensor_the_class_has_no_place_for_is_named(tmp_path: Path) -> None:
    more = {"model.extra.0.weight": mx.zeros(4), "model.extra.1.weight": mx.zeros(4)}
    verdict = judged(saved(tmp_path, "qwen3_moe", lambda weights: weights | more))
    assert verdict.role is Role.UNSUPPORTED
    assert verdict.reason == (
        "It holds 2 tensors that its model class has no place for: model.extra.0.weight and 1 more."
    )


def test_a_shape_that_contradicts_the_config_is_named(tmp_path: Path) -> None:
    name = "model.norm.weight"
    verdict = judged(saved(tmp_path, "qwen3_moe", lambda weights: weights | {name: mx.zeros(65)}))
    assert verdict.role is Role.UNSUPPORTED
    assert verdict.reason == "Its tensor model.norm.weight has the shape (65,), and its config.json asks for (64,)."


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"rope_scaling": {"rope_type": "linear"}}, "Its config.json lacks the key 'factor', which its model class"),
        ({"rope_scaling": {"rope_type": "linear", "factor": "2"}}, "Its config.json has a value of a kind its model"),
        ({"hidden_size": 10**30}, "Its config.json"),
    ],
)
def test_a_config_no_model_can_be_made_from_is_one_sentence(
    tmp_path: Path, more: dict[str, Any], sentence: str
) -> None:
    model_folder(tmp_path, llama_config(), llama_tensors())
    (tmp_path / "config.json").write_text(json.dumps(llama_config(**more)))
    verdict = judged(tmp_path / "config.json")
    assert verdict.role is Role.UNSUPPORTED
    assert verdict.reason.startswith(sentence)
    assert verdict.reason.endswith(".")
    assert "\n" not in verdict.reason


def test_no_weight_is_read(tmp_path: Path) -> None:
    """A folder of holes, as a repository is laid out before it is fetched, is tried at once."""
    folder = model_folder(tmp_path)
    with (folder / "model.safetensors").open("r+b") as file:
        file.truncate(50 * 10**9)
    assert judged(folder).role is Role.CHAT


def test_a_program_without_standard_streams_loads_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A windowed program has neither; mlx-lm and the tokenizers must find nothing to trip over."""
    folder = saved(tmp_path, "llama")
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    tokens = {chr(33 + i): i for i in range(90)} | {"Ċ": 90}
    write_tokenizer(folder, model={"type": "BPE", "vocab": tokens, "merges": []}, pre_tokenizer=BYTES_FIRST)
    loaded = load.load(judge_folder(folder))
    assert loaded.info.vocabulary == 91


@pytest.mark.parametrize("more", [{"tokenizer_class": "EvilTokenizer"}, {}])
def test_a_tokenizer_that_needs_python_code_is_refused_and_nobody_is_asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, more: dict[str, str]
) -> None:
    """A "y" that happens to wait on standard input is no permission."""
    folder, ran = saved(tmp_path / "model", "llama"), tmp_path / "ran"
    names = {"AutoTokenizer": ["evil.EvilTokenizer", "evil.EvilTokenizer"]}
    (folder / "tokenizer_config.json").write_text(json.dumps({"auto_map": names, **more}))
    (folder / "evil.py").write_text(f"open({str(ran)!r}, 'w')\nclass EvilTokenizer: pass\n")
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n" * 99))
    verdict = judged(folder)
    assert (verdict.role, verdict.evidence) == (Role.UNSUPPORTED, ("tokenizer_config.json",))
    assert verdict.reason == "Its tokenizer can only be built by Python code of its own, which is never run."
    with pytest.raises(UserError, match="model cannot be loaded: its tokenizer can only be built by Python code"):
        load.load(judge_folder(folder))
    assert not ran.exists()


def test_a_built_in_tokenizer_that_also_names_code_is_loaded_without_it(tmp_path: Path) -> None:
    folder, ran = saved(tmp_path / "model", "llama"), tmp_path / "ran"
    names = {"AutoTokenizer": ["evil.EvilTokenizer", "evil.EvilTokenizer"]}
    config = {"auto_map": names, "tokenizer_class": "PreTrainedTokenizerFast"}
    (folder / "tokenizer_config.json").write_text(json.dumps(config))
    (folder / "evil.py").write_text(f"open({str(ran)!r}, 'w')\n")
    write_tokenizer(folder, model={"type": "BPE", "vocab": {"a": 0, "Ċ": 1}, "merges": []}, pre_tokenizer=BYTES_FIRST)
    assert judged(folder).role is Role.CHAT
    assert load.load(judge_folder(folder)).info.vocabulary == 2
    assert not ran.exists()
