"""What has the config of a chat model and is none, or is no model at all, is told by what lies in the folder."""

from __future__ import annotations

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
