"""A config.json that no model can be made from is told by its key in one short sentence, and never raises."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from draftlens.library.checkpoint import inspect
from draftlens.library.roles import Role
from library.toy_folder import llama_config, llama_tensors, model_folder


@pytest.mark.parametrize(
    ("content", "role", "sentence"),
    [
        (b"", Role.INCOMPLETE, "config.json is empty"),
        (bytes(40), Role.INCOMPLETE, "config.json is empty"),
        (b'{"model_type": "ll', Role.NOT_A_MODEL, "not valid JSON"),
        (b"\xff\xfe\x00", Role.NOT_A_MODEL, "not valid JSON"),
        (b"[1]", Role.NOT_A_MODEL, "holds a list"),
        (b'"llama"', Role.NOT_A_MODEL, "holds a text"),
        (b"null", Role.NOT_A_MODEL, "holds a null"),
        (b"[" * 100_000, Role.NOT_A_MODEL, "not valid JSON"),
        (b"{}", Role.UNSUPPORTED, "names no model_type"),
        (b'{"model_type": 7}', Role.UNSUPPORTED, "model_type that is a number"),
        (b'{"model_type": ["llama"]}', Role.UNSUPPORTED, "model_type that is a list"),
        (b'{"model_type": "moss"}', Role.UNSUPPORTED, "'moss', which this version of mlx-lm does not know"),
        (b'{"model_type": "cache"}', Role.UNSUPPORTED, "'cache', which this version of mlx-lm does not know"),
        (b'{"model_type": "switch_layers"}', Role.UNSUPPORTED, "does not know"),
        (b'{"model_type": "../utils"}', Role.UNSUPPORTED, "does not know"),
        (b'{"model_type": ""}', Role.UNSUPPORTED, "does not know"),
        (b'{"model_type": "llama", "model_file": "evil.py"}', Role.UNSUPPORTED, "Python code of its own (evil.py)"),
        (b'{"model_type": "x", "auto_map": {"A": "b.C"}}', Role.UNSUPPORTED, "which is never run"),
        (b'{"model_type": "qwen2", "architectures": ["Qwen2ForSequenceClassification"]}', Role.UNSUPPORTED, "does not"),
    ],
)
def test_every_broken_config_gets_one_sentence(tmp_path: Path, content: bytes, role: Role, sentence: str) -> None:
    model_folder(tmp_path)
    (tmp_path / "config.json").write_bytes(content)
    verdict = inspect(tmp_path)
    assert verdict.role is role
    assert sentence in verdict.reason


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"hidden_size": "576"}, "Its config.json has hidden_size '576', which is not a whole number."),
        ({"hidden_size": 576.5}, "Its config.json has hidden_size 576.5, which is not a whole number."),
        ({"eos_token_id": [[1]]}, "Its config.json has eos_token_id [[1]], which is no id of a token."),
        ({"eos_token_id": True}, "Its config.json has eos_token_id True, which is no id of a token."),
        ({"rope_theta": None}, "Its config.json has rope_theta null, where a model of type 'llama' needs a number."),
        ({"num_hidden_layers": 0}, "Its config.json has num_hidden_layers 0, which must be at least 1."),
        ({"num_attention_heads": -3}, "Its config.json has num_attention_heads -3, which must be at least 1."),
        ({"num_key_value_heads": 0}, "Its config.json has num_key_value_heads 0, which must be at least 1."),
        ({"vocab_size": True}, "Its config.json has vocab_size True, which is not a whole number."),
        ({"intermediate_size": "x"}, "Its config.json has intermediate_size 'x', which is not a whole number."),
        ({"text_config": {"hidden_size": 0}}, "Its config.json has hidden_size 0, which must be at least 1."),
    ],
)
def test_a_size_that_is_none_is_named_with_its_key(tmp_path: Path, more: dict[str, Any], sentence: str) -> None:
    verdict = inspect(model_folder(tmp_path, llama_config(**more), llama_tensors()))
    assert (verdict.role, verdict.reason) == (Role.UNSUPPORTED, sentence)


@pytest.mark.parametrize("key", ["hidden_size", "rms_norm_eps", "num_attention_heads"])
def test_a_key_that_the_model_class_needs_is_missed_by_name(tmp_path: Path, key: str) -> None:
    config = llama_config()
    del config[key]
    verdict = inspect(model_folder(tmp_path, config, llama_tensors()))
    assert verdict.role is Role.UNSUPPORTED
    assert verdict.reason == f"Its config.json lacks the key {key}, which a model of type 'llama' needs."


@pytest.mark.parametrize("text", ["\ufeff", "\r\n"])
def test_a_byte_order_mark_and_windows_line_ends_do_no_harm(tmp_path: Path, text: str) -> None:
    model_folder(tmp_path)
    (tmp_path / "config.json").write_text(text + json.dumps(llama_config(), indent=1).replace("\n", "\r\n"))
    assert inspect(tmp_path).role is Role.CHAT


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"quantization_config": {"quant_method": "awq"}}, "quantised as awq"),
        ({"quantization_config": {"quant_method": "gptq", "bits": 4}}, "quantised as gptq"),
        ({"quantization_config": {"quant_method": "bitsandbytes"}}, "quantised as bitsandbytes"),
        ({"quantization_config": {"quant_method": "fp8"}}, "quantised as fp8"),
        ({"quantization_config": {"bits": 4}}, "without quant_method"),
        ({"quantization_config": 4}, "quantization_config that is not an object"),
        ({"quantization_config": {"quant_method": "compressed-tensors", "format": "float"}}, "compressed-tensors"),
        ({"quantization": "4bit"}, "quantization entry that is not an object"),
        ({"quantization": {"bits": 4}}, "without whole numbers"),
        ({"quantization": {"bits": 4, "group_size": 64, "mode": "exl2"}}, "'exl2'"),
    ],
)
def test_a_foreign_quantisation_is_named(tmp_path: Path, more: dict[str, Any], sentence: str) -> None:
    verdict = inspect(model_folder(tmp_path, llama_config(**more)))
    assert verdict.role is Role.UNSUPPORTED
    assert sentence in verdict.reason


@pytest.mark.parametrize("value", [[1] * 10_000, "x" * 10_000, 10**4000, -(10**4000), {"x" * 999: 1}])
@pytest.mark.parametrize("key", ["rms_norm_eps", "num_hidden_layers", "rope_scaling", "rope_theta", "quantization"])
def test_no_value_however_long_makes_a_long_sentence(tmp_path: Path, key: str, value: object) -> None:
    for more in ({key: value}, {"quantization": {"bits": 4, "group_size": 64, "mode": value}}):
        verdict = inspect(model_folder(tmp_path, llama_config(**more)))
        assert max(map(len, (verdict.reason, verdict.quantisation, *verdict.evidence))) < 300


_KEYS = (
    "model_type", "architectures", "dflash_config", "text_config", "quantization", "quantization_config", "auto_map",
    "draft_vocab_size", "medusa_num_heads", "eagle_config", "speculators_config", "speculators_model_type",
    "model_file", "num_hidden_layers", "tie_word_embeddings", "backbone_hidden_size", "quant_method", "format", "bits",
    "group_size",
)  # fmt: skip
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | st.sampled_from(["llama", "fp8"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_KEYS), inner, max_size=4),
    max_leaves=8,
)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(config=st.dictionaries(st.sampled_from(_KEYS), _VALUES))
def test_no_config_whatever_makes_the_judge_raise(tmp_path: Path, config: dict[str, Any]) -> None:
    folder = tmp_path if (tmp_path / "model.safetensors").exists() else model_folder(tmp_path)
    (folder / "config.json").write_text(json.dumps({"model_type": "llama"} | config))
    verdict = inspect(folder)
    assert verdict.reason.startswith("It")
    assert verdict.reason.endswith(".")
    assert json.dumps(verdict.as_json())
