"""Every kind of folder gets its verdict: drafters are refused however they look, ordinary models never."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from draftlens.library import drafter_kinds
from draftlens.library.checkpoint import inspect
from draftlens.library.roles import Role
from library.toy_folder import llama_config, llama_tensors, model_folder, write_tensors

CONFIGS = Path(__file__).parent / "configs"
EXPECTED = {entry["file"]: entry["expected"] for entry in json.loads((CONFIGS / "EXPECTED.json").read_text())}
EAGLE_1 = ["embed_tokens.weight", "fc.weight", "layers.0.self_attn.q_proj.weight", "layers.0.mlp.up_proj.weight"]


def _outcome(role: Role) -> str:
    if role.bound_drafter:
        return "REFUSE_DRAFTER"
    return {Role.UNSUPPORTED: "UNSUPPORTED", Role.EMBEDDING: "NOT_CHAT"}.get(role, "ACCEPT")


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_the_verdict_on_each_published_config(tmp_path: Path, name: str) -> None:
    expected = EXPECTED[name]
    if expected != "REFUSE_BY_WEIGHTS":
        assert _outcome(inspect(CONFIGS / name).role) == expected
        return
    # Nothing in the config tells; the weights do, for the same config both ways.
    config = json.loads((CONFIGS / name).read_text())
    assert inspect(model_folder(tmp_path / "head", config, EAGLE_1)).role is Role.EAGLE
    whole = model_folder(tmp_path / "whole", config, [*llama_tensors(), "lm_head.weight"])
    assert inspect(whole).role is Role.CHAT


@pytest.mark.parametrize(
    ("name", "role"),
    [
        ("Qwen3-4B-DFlash-b16.json", Role.DFLASH),
        ("Qwen3.8-27B-DFlash2.json", Role.DFLASH2),
        ("qwen3-4b-dspark.json", Role.DSPARK),
        ("LFM2.5-2.6B-DSpark.json", Role.DSPARK),
        ("Kimi-K25-eagle3.json", Role.EAGLE),
        ("Mistral3_speculator_dummy.json", Role.EAGLE),
        ("medusa-vicuna-7b-v1.3.json", Role.MEDUSA),
        ("llama-13b-accelerator.json", Role.MLP_SPECULATOR),
        ("r1-nextn-head0.json", Role.MTP_HEAD),
        ("Qwen3.8-27B-MTP-bf16.json", Role.MTP_HEAD),
    ],
)
def test_drafters_are_told_apart(name: str, role: Role) -> None:
    assert inspect(CONFIGS / name).role is role


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({"dflash_config": {}}, True),
        ({"architectures": ["DFlashDraftModel"]}, True),
        ({"architectures": ["Other", "Lfm2DSparkDraftModel"]}, True),
        ({"architectures": ["DFlashLagunaForCausalLM"]}, True),
        ({"architectures": ["MuseGlimmerAssistantModel"]}, True),
        ({"model_type": "muse_glimmer_assistant"}, True),
        ({"dflash_config": "yes"}, False),
        ({"dflash_config": 3}, False),
        ({"dflash_config": None}, False),
        ({"model_type": "qwen3", "block_size": 16, "mask_token_id": 1}, False),
        ({"architectures": None}, False),
        ({}, False),
        ([], False),
        (None, False),
    ],
)
def test_the_structural_test_for_the_dflash_family(config: object, expected: bool) -> None:
    assert drafter_kinds.is_dflash_family(config) is expected


@pytest.mark.parametrize(
    ("config", "role"),
    [
        ({"model_type": "muse_glimmer_assistant"}, Role.MUSE),
        ({"model_type": "laguna", "architectures": ["DFlashLagunaForCausalLM"], "draft_vocab_size": 9}, Role.DFLASH),
        ({"model_type": "qwen3", "architectures": ["DFlash3DraftModel"]}, Role.DFLASH),
        ({"model_type": "gemma4_assistant"}, Role.GEMMA_MTP),
        ({"model_type": "gemma4_unified_assistant"}, Role.GEMMA_MTP),
        ({"model_type": "glm4_moe_lite_mtp"}, Role.MTP_HEAD),
        ({"model_type": "qwen3_next", "architectures": ["Qwen3NextMTP"]}, Role.MTP_HEAD),
        ({"model_type": "llama", "architectures": ["LlamaForCausalLM"], "eagle_config": {}}, Role.EAGLE),
        ({"model_type": "llama", "architectures": ["EagleLlamaForCausalLM"]}, Role.EAGLE),
        ({"model_type": "gemma3", "text_config": {"draft_vocab_size": 32000}}, Role.EAGLE),
        ({"speculators_model_type": "dflash"}, Role.DFLASH),
        ({"speculators_config": {"algorithm": "eagle3"}}, Role.EAGLE),
        ({"model_type": "llama", "medusa_num_heads": 3}, Role.MEDUSA),
        ({"architectures": ["MLPSpeculatorPreTrainedModel"]}, Role.MLP_SPECULATOR),
    ],
)
def test_kinds_beyond_the_published_configs(config: dict[str, Any], role: Role) -> None:
    found = drafter_kinds.by_config(config)
    assert found is not None
    assert found[0] is role


@pytest.mark.parametrize(
    "more",
    [
        {"draft_vocab_size": None},
        {"medusa_num_heads": 0},
        {"eagle_config": None},
        {"dflash_config": "off"},
        {"block_size": 16},
        {"mtp_num_hidden_layers": 1},
        {"num_nextn_predict_layers": 1},
        {"auto_map": {"AutoModelForCausalLM": "evil.Model"}},
        {"quantization": {"bits": 4, "group_size": 64}, "quantization_config": {"bits": 4, "group_size": 64}},
        {"tie_word_embeddings": None},
    ],
)
def test_an_ordinary_model_is_not_refused_for_a_stray_key(tmp_path: Path, more: dict[str, Any]) -> None:
    assert inspect(model_folder(tmp_path, llama_config(**more))).role is Role.CHAT


@pytest.mark.parametrize(
    ("tensors", "role"),
    [
        (EAGLE_1, Role.EAGLE),
        ([f"model.{name}" for name in EAGLE_1], Role.EAGLE),
        ([*llama_tensors(prefix=""), "lm_head.weight", "d2t", "t2d"], Role.EAGLE),
        (["0.0.linear.weight", "0.1.weight", "1.0.linear.weight"], Role.MEDUSA),
        (["markov_head.markov_w1.weight", "layers.0.mlp.up_proj.weight"], Role.DSPARK),
        (["emb.0.weight", "proj.0.weight", "ln.0.weight", "head.0.weight"], Role.MLP_SPECULATOR),
        (["mtp.fc.weight", "mtp.layers.0.mlp.up_proj.weight", "mtp.norm.weight"], Role.MTP_HEAD),
        (
            ["model.embed_tokens.weight", "model.layers.61.eh_proj.weight", "model.layers.61.input_layernorm.weight"],
            Role.MTP_HEAD,
        ),
    ],
)
def test_weights_betray_a_drafter_behind_an_ordinary_config(tmp_path: Path, tensors: list[str], role: Role) -> None:
    assert inspect(model_folder(tmp_path, tensors=tensors)).role is role


def test_a_full_model_with_built_in_mtp_layers_is_a_model(tmp_path: Path) -> None:
    built_in = ["mtp.fc.weight", "mtp.layers.0.mlp.up_proj.weight", "model.layers.2.eh_proj.weight"]
    folder = model_folder(tmp_path, llama_config(2), llama_tensors(2) + built_in)
    assert inspect(folder).role is Role.CHAT


@pytest.mark.parametrize(
    ("config", "tensors", "sentence"),
    [
        (llama_config(), llama_tensors()[1:], "holds no token embedding"),
        (llama_config(), [name for name in llama_tensors() if name != "model.norm.weight"], "has no final norm"),
        (llama_config(tie_word_embeddings=False), llama_tensors(), "has no output head"),
        (llama_config(4), llama_tensors(3), "declares 4 layers and holds 3 of them"),
        (llama_config(), [], "weight files without any tensor"),
    ],
)
def test_a_part_of_a_model_is_incomplete(
    tmp_path: Path, config: dict[str, Any], tensors: list[str], sentence: str
) -> None:
    verdict = inspect(model_folder(tmp_path, config, tensors))
    assert verdict.role is Role.INCOMPLETE
    assert sentence in verdict.reason


def test_without_tokenizer_it_is_incomplete_and_without_template_a_base_model(tmp_path: Path) -> None:
    folder = model_folder(tmp_path)
    (folder / "chat_template.jinja").unlink()
    assert inspect(folder).role is Role.BASE
    (folder / "tokenizer_config.json").write_text('{"chat_template": "x"}')
    assert inspect(folder).role is Role.CHAT
    (folder / "tokenizer.json").unlink()
    assert inspect(folder).missing == ("tokenizer.json",)


def test_an_adapter_names_its_base_model(tmp_path: Path) -> None:
    (tmp_path / "adapter_config.json").write_text('{"base_model_name_or_path": "some/base"}')
    write_tensors(tmp_path / "adapters.safetensors", ["lora_a"])
    verdict = inspect(tmp_path)
    assert verdict.role is Role.ADAPTER
    assert verdict.reason == "It holds only the changes for some/base, not the model they belong to."


@pytest.mark.parametrize(
    ("config", "kind"),
    [
        ('{"peft_type": "LORA", "r": 16}', "LoRA r16"),
        ('{"fine_tune_type": "dora", "lora_parameters": {"rank": 8}}', "DoRA r8"),
        ('{"fine_tune_type": "lora", "lora_parameters": {"rank": true}}', "LoRA"),
        ('{"peft_type": "IA3", "r": 4}', ""),
    ],
)
def test_an_adapter_says_its_kind_and_rank(tmp_path: Path, config: str, kind: str) -> None:
    (tmp_path / "adapter_config.json").write_text(config)
    assert inspect(tmp_path).shown_type == kind


def test_a_fused_model_with_its_adapter_beside_it_is_a_model(tmp_path: Path) -> None:
    write_tensors(model_folder(tmp_path) / "adapters.safetensors", ["lora_a"])
    assert inspect(tmp_path).role is Role.CHAT


def test_an_embedding_model_with_the_class_of_a_chat_model_is_told_by_its_companions(tmp_path: Path) -> None:
    (model_folder(tmp_path) / "modules.json").write_text("[]")
    assert inspect(tmp_path).role is Role.EMBEDDING


def test_what_is_no_model_folder_says_what_to_choose(tmp_path: Path) -> None:
    assert inspect(tmp_path / "gone").reason == "It does not exist."
    assert inspect(tmp_path).reason == "It is an empty folder."
    (tmp_path / "notes.txt").write_text("x")
    assert inspect(tmp_path).reason == "It has no config.json."
    assert inspect(tmp_path / "notes.txt").reason == "It is a file, not a model folder."
    (tmp_path / "m.gguf").write_bytes(b"GGUF")
    assert "only model folders can be loaded" in inspect(tmp_path).reason
    assert "cannot be read as GGUF" in inspect(tmp_path / "m.gguf").reason
    write_tensors(tmp_path / "model.safetensors", ["a"])
    assert inspect(tmp_path).role is Role.INCOMPLETE


def test_a_pipe_is_not_read_and_a_folder_of_folders_is_not_walked(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "config.json")
    assert inspect(tmp_path / "config.json").reason == "It is a file, not a model folder."
    (tmp_path / "deep" / "er").mkdir(parents=True)
    (tmp_path / "deep" / "er" / "x.incomplete").touch()
    assert inspect(tmp_path).reason == "It has no config.json."
    (tmp_path / "blobs").mkdir()
    (tmp_path / "blobs" / "x.incomplete").touch()
    assert inspect(tmp_path).role is Role.INCOMPLETE


def test_a_folder_that_names_python_code_never_has_it_run(tmp_path: Path) -> None:
    folder = model_folder(tmp_path, llama_config(auto_map={"AutoModelForCausalLM": "evil.Model"}))
    (folder / "evil.py").write_text(f"open({os.fspath(tmp_path / 'ran')!r}, 'w')")
    assert "never run" in inspect(folder).warnings[0]
    assert not (tmp_path / "ran").exists()


def test_the_json_has_the_documented_names(tmp_path: Path) -> None:
    document = inspect(model_folder(tmp_path)).as_json()
    assert document["role"] == "chat model"
    assert {"reason", "evidence", "next", "architecture", "quantisation", "missing", "warnings", "size"} < set(document)
    assert json.dumps(document)
