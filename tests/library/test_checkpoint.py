"""Every kind of folder gets its verdict: drafters are refused however they look, ordinary models never."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from draftlens.core.errors import UserError
from draftlens.library import checkpoint, demo, drafter_kinds
from draftlens.library.checkpoint import inspect, require_standalone
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


def test_missing_shards_are_listed_by_name(tmp_path: Path) -> None:
    folder = model_folder(tmp_path)
    (folder / "model.safetensors").rename(folder / "model-00001-of-00003.safetensors")
    names = [f"model-0000{i}-of-00003.safetensors" for i in (1, 2, 3)]
    for with_index in (False, True):
        if with_index:
            index = {"weight_map": {f"t{i}": name for i, name in enumerate(names)}}
            (folder / "model.safetensors.index.json").write_text(json.dumps(index))
        verdict = inspect(folder)
        assert verdict.role is Role.INCOMPLETE
        assert verdict.missing == tuple(names[1:])
        assert verdict.reason == f"It lacks 2 of 3 weight files: {names[1]}, {names[2]}."


def test_a_single_complete_file_beats_an_index_left_over(tmp_path: Path) -> None:
    folder = model_folder(tmp_path)
    index = {"weight_map": {"a": "model-00001-of-00002.safetensors", "b": "model-00002-of-00002.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    verdict = inspect(folder)
    assert verdict.role is Role.CHAT
    assert "model.safetensors is used instead" in verdict.warnings[0]


@pytest.mark.parametrize("index", ["", "[]", '{"weight_map": []}', '{"weight_map": {"a": "../../secret.safetensors"}}'])
def test_a_damaged_index_is_ignored_with_a_warning(tmp_path: Path, index: str) -> None:
    folder = model_folder(tmp_path)
    (folder / "model.safetensors.index.json").write_text(index)
    verdict = inspect(folder)
    assert verdict.role is Role.CHAT
    assert "was ignored" in verdict.warnings[0]


def test_a_stray_file_is_only_a_warning_and_not_among_the_weights(tmp_path: Path) -> None:
    folder = model_folder(tmp_path)
    write_tensors(folder / "model-old.safetensors", llama_tensors())
    verdict = inspect(folder)
    assert verdict.role is Role.CHAT
    assert verdict.warnings == ("model-old.safetensors does not belong to the model and is not loaded",)
    assert verdict.weight_files == (folder / "model.safetensors",)


def test_a_file_cut_short_makes_it_incomplete(tmp_path: Path) -> None:
    path = model_folder(tmp_path) / "model.safetensors"
    path.write_bytes(path.read_bytes()[:-4])
    verdict = inspect(tmp_path)
    assert verdict.role is Role.INCOMPLETE
    assert "model.safetensors is cut short" in verdict.reason


def test_an_interrupted_snapshot_is_incomplete(tmp_path: Path) -> None:
    snapshot = tmp_path / "snapshots" / "abc"
    snapshot.mkdir(parents=True)
    (snapshot / "config.json").write_text(json.dumps(llama_config()))
    assert inspect(snapshot).reason == "It has a config.json but no weights: model.safetensors is missing."
    (snapshot / "model.safetensors").symlink_to("../../blobs/gone")
    assert inspect(snapshot).role is Role.INCOMPLETE
    assert inspect(tmp_path).next == f"Perhaps {snapshot} is meant."


def test_other_weight_formats_are_named(tmp_path: Path) -> None:
    folder = model_folder(tmp_path)
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    verdict = inspect(folder)
    assert verdict.role is Role.UNSUPPORTED
    assert "weights in pytorch_model.bin" in verdict.reason


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


def test_the_demo_pair_can_stand_alone(demo_pair: demo.DemoPair) -> None:
    assert require_standalone(demo_pair.target).role is Role.CHAT
    verdict = require_standalone(demo_pair.drafter, as_draft=True)
    assert verdict.architecture == "LlamaForCausalLM"
    assert verdict.quantisation in ("float32", "4-bit, group 64")
    assert verdict.size == (demo_pair.drafter / "model.safetensors").stat().st_size


def test_a_dflash_drafter_is_refused_in_the_reference_words(tmp_path: Path) -> None:
    folder = model_folder(tmp_path / "d", llama_config(dflash_config={}))
    family = "(Qwen 3.5 DFlash, LFM2 DSpark, Muse Glimmer assistant or Laguna DFlash)"
    with pytest.raises(UserError) as caught:
        require_standalone(folder)
    assert caught.value.sentence == (
        f"{folder} is a DFlash-family speculative drafter checkpoint {family}, not a standalone model."
    )
    with pytest.raises(UserError) as caught:
        require_standalone(folder, as_draft=True)
    assert caught.value.sentence.startswith(
        f"--draft-model {folder} is a DFlash-family speculative drafter {family}, not a standalone model, and "
    )


@pytest.mark.parametrize(
    ("config", "start"),
    [
        ({"medusa_num_heads": 3}, "is a Medusa drafter, not a standalone model: it borrows parts of the one target"),
        (llama_config(eagle_config={}), "is an EAGLE drafter, not a standalone model: it borrows"),
        ({"model_type": "qwen3_5_mtp"}, "is an MTP head drafter, not a standalone model: it borrows"),
        ({"model_type": "moss"}, "is not supported: it is of type 'moss'"),
    ],
)
def test_a_refusal_is_one_sentence_about_the_path(tmp_path: Path, config: dict[str, Any], start: str) -> None:
    folder = model_folder(tmp_path, config)
    with pytest.raises(UserError) as caught:
        require_standalone(folder)
    assert caught.value.sentence.startswith(f"{folder} {start}")
    assert caught.value.next_step


def test_a_path_that_does_not_exist_is_said_plainly(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"--draft-model .*gone does not exist\."):
        require_standalone(tmp_path / "gone", as_draft=True)


def test_the_json_has_the_documented_names(tmp_path: Path) -> None:
    document = inspect(model_folder(tmp_path)).as_json()
    assert document["role"] == "chat model"
    assert {"reason", "evidence", "next", "architecture", "quantisation", "missing", "warnings", "size"} < set(document)
    assert json.dumps(document)


def test_looking_at_a_model_reads_only_headers(tmp_path: Path) -> None:
    """A folder with a 50 GB sparse file is judged at once."""
    folder = model_folder(tmp_path)
    with (folder / "model.safetensors").open("r+b") as file:
        file.truncate(50 * 10**9)
    assert checkpoint.inspect(folder).role is Role.CHAT


def test_a_file_whose_second_half_is_zeros_is_not_loaded(tmp_path: Path) -> None:
    weights = model_folder(tmp_path) / "model.safetensors"
    with weights.open("r+b") as file:
        file.truncate(8 << 20)
    with pytest.raises(UserError, match=r"is incomplete: the second half of its model\.safetensors holds only zeros"):
        require_standalone(tmp_path)
    with weights.open("r+b") as file:
        file.seek(5 << 20)
        file.write(b"x" * (3 << 20))
    assert require_standalone(tmp_path).role is Role.CHAT


@pytest.mark.parametrize("text", [b"\x00\xff" * 40, b'{"a": 1}', b"[]", b'{"model": {"vocab": 3}}'])
def test_a_tokenizer_that_is_none_is_named_before_loading(tmp_path: Path, text: bytes) -> None:
    (model_folder(tmp_path) / "tokenizer.json").write_bytes(text)
    with pytest.raises(UserError, match=r"is incomplete: its tokenizer\.json is damaged: it cannot be read"):
        require_standalone(tmp_path)


@pytest.mark.parametrize("name", ["generation_config.json", "tokenizer_config.json", "chat_template.jinja"])
def test_a_file_that_is_no_text_is_named_before_loading(tmp_path: Path, name: str) -> None:
    (model_folder(tmp_path) / name).write_bytes(b"\x80\xff")
    with pytest.raises(UserError, match=f"is incomplete: its {name} is damaged: it is not text"):
        require_standalone(tmp_path)


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
