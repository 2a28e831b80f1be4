"""What has the config of a chat model and is none, or is no model at all, is told by what lies in the folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from draftlens.library.checkpoint import inspect
from draftlens.library.roles import Role
from library.toy_folder import llama_config, llama_tensors, model_folder, write_tensors

LAYER = "model.layers.0.self_attn.q_proj"
POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 12\n"


@pytest.mark.parametrize(
    ("name", "role", "sentence"),
    [
        ("score.weight", Role.UNSUPPORTED, "scores text instead of writing it (score.weight)"),
        ("v_head.summary.weight", Role.UNSUPPORTED, "scores text"),
        ("classifier.weight", Role.UNSUPPORTED, "scores text"),
        (f"{LAYER}.lora_A.weight", Role.ADAPTER, "an adapter that is not fused"),
        (f"base_model.model.{LAYER}.lora_B.default.weight", Role.ADAPTER, "an adapter that is not fused"),
        (f"{LAYER}.lora_a", Role.ADAPTER, "an adapter that is not fused"),
        (f"{LAYER}.qweight", Role.UNSUPPORTED, "does not say how they are packed"),
        (f"{LAYER}.weight.quant_state.bitsandbytes__nf4", Role.UNSUPPORTED, "does not say how they are packed"),
        ("hydra_head.0.0.linear.weight", Role.MEDUSA, "borrows parts of the one target"),
    ],
)
def test_one_tensor_too_many_tells_what_it_is(tmp_path: Path, name: str, role: Role, sentence: str) -> None:
    verdict = inspect(model_folder(tmp_path, tensors=[*llama_tensors(), name]))
    assert verdict.role is role
    assert sentence in verdict.reason
    assert verdict.next


def test_a_bare_body_saved_for_vectors_is_an_embedding_model(tmp_path: Path) -> None:
    assert inspect(model_folder(tmp_path, tensors=llama_tensors(prefix=""))).role is Role.EMBEDDING


def test_a_model_without_any_layer_is_incomplete(tmp_path: Path) -> None:
    verdict = inspect(model_folder(tmp_path, tensors=llama_tensors(0)))
    assert verdict.reason == "It declares 1 layer and holds 0 of them."


def test_a_diffusers_pipeline_is_named_and_none_of_its_parts_is_suggested(tmp_path: Path) -> None:
    (tmp_path / "model_index.json").write_text("{}")
    (tmp_path / "unet").mkdir()
    (tmp_path / "unet" / "config.json").write_text("{}")
    verdict = inspect(tmp_path)
    assert verdict.role is Role.UNSUPPORTED
    assert "diffusers pipeline" in verdict.reason
    assert "unet" not in verdict.next


@pytest.mark.parametrize(
    ("config", "role", "sentence"),
    [
        ({"_class_name": "AutoencoderKL"}, Role.UNSUPPORTED, "part of a diffusers pipeline"),
        ({"peft_type": "LORA"}, Role.ADAPTER, "only the changes to a model"),
        ({"hidden_size": 2}, Role.UNSUPPORTED, "names no model_type"),
        (llama_config(_class_name="x", peft_type="LORA"), Role.CHAT, "complete"),
    ],
)
def test_a_config_of_another_library_is_told_by_its_marks(
    tmp_path: Path, config: dict[str, Any], role: Role, sentence: str
) -> None:
    verdict = inspect(model_folder(tmp_path, config))
    assert verdict.role is role
    assert sentence in verdict.reason


@pytest.mark.parametrize("name", ["config.json", "model.safetensors"])
def test_a_git_lfs_pointer_in_place_of_a_file_is_named(tmp_path: Path, name: str) -> None:
    (model_folder(tmp_path) / name).write_bytes(POINTER)
    verdict = inspect(tmp_path)
    assert verdict.role is Role.INCOMPLETE
    assert f"{name} is only a Git LFS pointer" in verdict.reason


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"rms_norm_eps": "1e-5"}, "has rms_norm_eps '1e-5', which is not a number"),
        ({"rms_norm_eps": float("nan")}, "has rms_norm_eps nan, which is not a number"),
        ({"rms_norm_eps": None}, "has rms_norm_eps null"),
        ({"num_attention_heads": None}, "has num_attention_heads null"),
        (
            {"num_attention_heads": 4, "num_key_value_heads": 3},
            "4 attention heads, which 3 key-value heads do not divide",
        ),
    ],
)
def test_a_number_no_model_can_be_made_from_is_named(tmp_path: Path, more: dict[str, Any], sentence: str) -> None:
    verdict = inspect(model_folder(tmp_path, llama_config(**more)))
    assert verdict.role is Role.UNSUPPORTED
    assert sentence in verdict.reason


@pytest.mark.parametrize(
    "more", [{"rms_norm_eps": 1}, {"num_key_value_heads": None}, {"num_attention_heads": 4, "num_key_value_heads": 2}]
)
def test_an_ordinary_number_is_not_refused(tmp_path: Path, more: dict[str, Any]) -> None:
    assert inspect(model_folder(tmp_path, llama_config(**more))).role is Role.CHAT


def test_an_output_head_beside_tied_embeddings_does_no_harm(tmp_path: Path) -> None:
    assert inspect(model_folder(tmp_path, tensors=[*llama_tensors(), "lm_head.weight"])).role is Role.CHAT


def test_packed_weights_that_the_config_declares_are_judged_by_the_config(tmp_path: Path) -> None:
    config = llama_config(quantization_config={"quant_method": "compressed-tensors", "format": "pack-quantized"})
    folder = model_folder(tmp_path, config)
    write_tensors(folder / "model.safetensors", [*llama_tensors(), f"{LAYER}.weight_packed"])
    assert inspect(folder).role is Role.CHAT


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"rope_scaling": "dynamic"}, "has rope_scaling 'dynamic', which is not an object"),
        ({"rope_scaling": {"rope_type": "zeta"}}, "has rope_scaling of type 'zeta', which this version of mlx-lm does"),
        ({"tie_word_embeddings": "false"}, "has tie_word_embeddings 'false', which is not true or false"),
        ({"rope_theta": "1e4"}, "has rope_theta '1e4', which is not a number"),
        ({"layer_types": "full"}, "has layer_types 'full', which is not a list"),
        ({"text_config": None}, "has text_config null, which is not an object"),
        ({"vocab_size": {"a": 1}}, "has vocab_size {'a': 1}, which is not a whole number"),
        ({"num_hidden_layers": 10**9}, "has num_hidden_layers 1000000000, which no model has"),
    ],
)
def test_a_value_of_the_wrong_kind_is_named_with_its_key(tmp_path: Path, more: dict[str, Any], sentence: str) -> None:
    (model_folder(tmp_path) / "config.json").write_text(json.dumps(llama_config(**more)))
    for path in (tmp_path, tmp_path / "config.json"):
        verdict = inspect(path)
        assert verdict.role is Role.UNSUPPORTED
        assert sentence in verdict.reason


def test_shapes_that_contradict_the_config_are_named(tmp_path: Path) -> None:
    (model_folder(tmp_path) / "config.json").write_text(json.dumps(llama_config(hidden_size=4096)))
    assert inspect(tmp_path).reason == (
        "It has model.embed_tokens.weight in the shape (8, 2), where its config.json asks for (8, 4096)."
    )


def test_every_layer_has_what_its_family_has(tmp_path: Path) -> None:
    name = "model.layers.1.self_attn.q_proj.weight"
    tensors = [tensor for tensor in llama_tensors(2) if tensor != name]
    verdict = inspect(model_folder(tmp_path, llama_config(2), tensors))
    assert verdict.reason == f"It lacks the tensor {name}, which a model of type 'llama' has."


@pytest.mark.parametrize("name", ["modules.json", "1_LogitScore", "1_Pooling", "2_Dense"])
def test_what_lies_beside_an_embedding_or_scoring_model_tells(tmp_path: Path, name: str) -> None:
    (model_folder(tmp_path) / name).mkdir()
    verdict = inspect(tmp_path)
    assert verdict.role is Role.EMBEDDING
    assert ("score" in verdict.reason) == ("Score" in name)


@pytest.mark.parametrize(
    ("config", "role"),
    [
        ({"model_type": "bert", "architectures": ["BertModel"]}, Role.EMBEDDING),
        ({"model_type": "bert", "architectures": ["BertForMaskedLM"]}, Role.UNSUPPORTED),
        (llama_config(architectures=["HASSLlamaForCausalLM"]), Role.EAGLE),
        (llama_config(architectures=["KangarooModel"]), Role.EAGLE),
        (llama_config(architectures=["LlamaDraftModel"]), Role.EAGLE),
        ({"model_type": "glide"}, Role.EAGLE),
        ({"model_type": "recurrent_drafting_drafter"}, Role.EAGLE),
        (llama_config(amphista_num_heads=4), Role.MEDUSA),
        ({"model_type": "clover2"}, Role.MEDUSA),
        (llama_config(target_layer_ids=[1, 2]), Role.DFLASH),
    ],
)
def test_drafters_and_encoders_of_every_kind_are_told_by_their_config(
    tmp_path: Path, config: dict[str, Any], role: Role
) -> None:
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert inspect(tmp_path / "config.json").role is role


@pytest.mark.parametrize(
    ("tensors", "role"),
    [
        (["fc.weight", "hidden_norm.weight", "layers.0.mlp.up_proj.weight"], Role.DFLASH),
        (["model.embed_tokens.weight", "midlayer.mlp.up_proj.weight"], Role.EAGLE),
        (["pre_projection.weight", "model.embed_tokens.weight"], Role.GEMMA_MTP),
        (["encoder.output_norm_enc.weight", "layers.0.mlp.up_proj.weight"], Role.MUSE),
        (["amphista_head.0.0.linear.weight"], Role.MEDUSA),
    ],
)
def test_drafters_without_a_word_in_their_config_are_told_by_their_tensors(
    tmp_path: Path, tensors: list[str], role: Role
) -> None:
    assert inspect(model_folder(tmp_path, tensors=tensors)).role is role


def test_names_of_a_larger_model_are_not_those_of_its_text_part(tmp_path: Path) -> None:
    verdict = inspect(model_folder(tmp_path, tensors=[f"language_model.{name}" for name in llama_tensors()]))
    assert verdict.role is Role.UNSUPPORTED
    assert "names of that model (language_model.model.embed_tokens.weight)" in verdict.reason


@pytest.mark.parametrize("content", [b"", POINTER, b"<html>"])
def test_a_tokenizer_that_is_none_is_named(tmp_path: Path, content: bytes) -> None:
    (model_folder(tmp_path) / "tokenizer.json").write_bytes(content)
    verdict = inspect(tmp_path)
    assert (verdict.role, verdict.missing) == (Role.INCOMPLETE, ("tokenizer.json",))


def test_a_very_long_value_is_cut_in_the_sentence(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "x" * 3000, "architectures": ["Y" * 3000]}))
    verdict = inspect(tmp_path / "config.json")
    assert len(json.dumps(verdict.as_json())) < 1000


def test_of_many_missing_files_some_are_named(tmp_path: Path) -> None:
    (model_folder(tmp_path) / "model.safetensors").rename(tmp_path / "model-00001-of-00100.safetensors")
    verdict = inspect(tmp_path)
    assert verdict.reason.endswith("model-00005-of-00100.safetensors and 95 more.")
    assert len(verdict.missing) == 99
