"""Which files are a model's weights, which are missing or stray, and what lies in their place."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from draftlens.library import checkpoint
from draftlens.library.checkpoint import inspect
from draftlens.library.roles import Role
from library.toy_folder import llama_config, llama_tensors, model_folder, write_tensors


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


def test_looking_at_a_model_reads_only_headers(tmp_path: Path) -> None:
    """A folder with a 50 GB sparse file is judged at once."""
    folder = model_folder(tmp_path)
    with (folder / "model.safetensors").open("r+b") as file:
        file.truncate(50 * 10**9)
    assert checkpoint.inspect(folder).role is Role.CHAT


def test_an_index_with_shards_missing_gives_way_to_a_complete_single_file(tmp_path: Path) -> None:
    folder = model_folder(tmp_path)
    names = [f"model-0000{i}-of-00005.safetensors" for i in range(1, 6)]
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {name: name for name in names}}))
    for name in names[:3]:
        write_tensors(folder / name, llama_tensors()[:2])
    verdict = inspect(folder)
    assert verdict.role is Role.CHAT
    assert verdict.weight_files == (folder / "model.safetensors",)
    assert "model.safetensors is used instead" in verdict.warnings[0]
    write_tensors(folder / "model.safetensors", llama_tensors()[:2])
    assert inspect(folder).role is Role.INCOMPLETE


def test_shards_that_an_index_names_beat_a_single_file_left_over(tmp_path: Path) -> None:
    folder = model_folder(tmp_path)
    tensors, names = llama_tensors(), [f"model-0000{i}-of-00002.safetensors" for i in (1, 2)]
    write_tensors(folder / names[0], tensors[:4])
    write_tensors(folder / names[1], tensors[4:])
    write_tensors(folder / "model.safetensors", tensors[:2])
    index = {tensor: names[i >= 4] for i, tensor in enumerate(tensors)}
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": index}))
    verdict = inspect(folder)
    assert verdict.role is Role.CHAT
    assert [path.name for path in verdict.weight_files] == names
    assert verdict.warnings == ("model.safetensors does not belong to the model and is not loaded",)


def test_an_index_of_shards_that_lack_a_tensor_is_not_believed(tmp_path: Path) -> None:
    folder = model_folder(tmp_path, tensors=llama_tensors()[:-1])
    index = dict.fromkeys(llama_tensors(), "model.safetensors")
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": index}))
    assert inspect(folder).reason.startswith(f"It lacks the tensor {llama_tensors()[-1]}")


def test_a_tensor_that_two_shards_hold_is_named_in_a_warning(tmp_path: Path) -> None:
    folder = model_folder(tmp_path)
    (folder / "model.safetensors").rename(folder / "model-00001-of-00002.safetensors")
    write_tensors(folder / "model-00002-of-00002.safetensors", llama_tensors()[:2])
    assert inspect(folder).warnings == (
        "model.embed_tokens.weight and 1 more is in two of its files, and only one of the two is loaded",
    )


def test_an_index_of_another_format_names_the_files_that_are_there(tmp_path: Path) -> None:
    folder = model_folder(tmp_path)
    (folder / "model.safetensors").rename(folder / "weights.bin")
    (folder / "model.safetensors.index.json").write_text('{"weight_map": {"a": "weights.bin"}}')
    assert inspect(folder).reason == "It has its weights in weights.bin, and only safetensors files can be loaded."


@pytest.mark.parametrize(
    "name", ["a/b.safetensors", "..", "m\n\x1b[2J.safetensors", "\ud800.safetensors", "x" * 9999, 5]
)
def test_an_index_that_names_what_is_no_file_is_ignored(tmp_path: Path, name: object) -> None:
    folder = model_folder(tmp_path)
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"a": name}}))
    verdict = inspect(folder)
    assert (verdict.role, verdict.warnings) == (
        Role.CHAT,
        ("model.safetensors.index.json cannot be read and was ignored",),
    )
