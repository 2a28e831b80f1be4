"""A folder made to do harm is judged like any other: in one sentence, at once, and without waiting for a pipe."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from draftlens.library import contents
from draftlens.library.catalog import Catalog, Places
from draftlens.library.checkpoint import inspect
from draftlens.library.roles import Role, Verdict
from library.toy_folder import llama_config, llama_tensors, model_folder

DEEP = "[" * 200_000
WEIGHTS = "model.safetensors"
INDEX = "model.safetensors.index.json"
TEXTS = ("generation_config.json", "tokenizer_config.json", "chat_template.jinja")

Put = Callable[[Path], None]


def judged(folder: Path) -> Verdict:
    return contents.held(folder, inspect(folder))


def a_pipe(path: Path) -> None:
    os.mkfifo(path)


def a_folder(path: Path) -> None:
    path.mkdir()


def an_endless_file(path: Path) -> None:
    path.symlink_to("/dev/zero")


def a_loop(path: Path) -> None:
    path.symlink_to(path.name)


@pytest.mark.parametrize("put", [a_pipe, a_folder, an_endless_file, a_loop])
@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        (WEIGHTS, "It has a config.json but no weights: model.safetensors is missing."),
        ("tokenizer.json", "It has no tokenizer."),
        ("config.json", "It has no config.json.|Its config.json is a link to a file that is gone."),
    ],
)
def test_what_is_no_file_is_a_missing_one(tmp_path: Path, put: Put, name: str, sentence: str) -> None:
    (model_folder(tmp_path) / name).unlink()
    put(tmp_path / name)
    verdict = judged(tmp_path)
    assert verdict.role is Role.INCOMPLETE
    assert verdict.reason in sentence.split("|")


@pytest.mark.parametrize("put", [a_pipe, a_folder, an_endless_file])
@pytest.mark.parametrize("name", TEXTS)
def test_a_text_that_is_no_file_is_named_and_not_read(tmp_path: Path, put: Put, name: str) -> None:
    (model_folder(tmp_path) / name).unlink(missing_ok=True)
    put(tmp_path / name)
    assert judged(tmp_path).reason == f"Its {name} cannot be read: it is not an ordinary file."


@pytest.mark.parametrize("put", [a_pipe, a_folder, an_endless_file, a_loop])
def test_an_index_that_is_no_file_leaves_the_model_as_it_is(tmp_path: Path, put: Put) -> None:
    put(model_folder(tmp_path) / INDEX)
    assert judged(tmp_path).role is Role.CHAT


@pytest.mark.parametrize(
    ("name", "sentence"),
    [
        ("config.json", "Its config.json is not valid JSON."),
        ("tokenizer.json", "Its tokenizer.json is damaged: it cannot be read as a tokenizer."),
        ("generation_config.json", "Its generation_config.json is damaged: it is nested too deeply to be read."),
        ("tokenizer_config.json", "Its tokenizer_config.json is damaged: it is nested too deeply to be read."),
        (INDEX, "It is complete and has a chat template."),
        ("adapter_config.json", "It is complete and has a chat template."),
    ],
)
def test_json_however_deep_is_a_sentence(tmp_path: Path, name: str, sentence: str) -> None:
    (model_folder(tmp_path) / name).write_text(DEEP)
    assert judged(tmp_path).reason == sentence


def test_an_adapter_whose_config_cannot_be_read_is_still_one(tmp_path: Path) -> None:
    (tmp_path / "adapter_config.json").write_text(DEEP)
    assert inspect(tmp_path).reason == "It holds only the changes, not the model they belong to."


def test_an_adapter_that_names_a_terminal_command_as_its_base_prints_none(tmp_path: Path) -> None:
    (tmp_path / "adapter_config.json").write_text(json.dumps({"model": "\x1b[2J" + "x" * 5000}))
    reason = inspect(tmp_path).reason
    assert reason.isprintable()
    assert len(reason) < 200


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32"])
def test_a_config_in_another_encoding_is_not_json(tmp_path: Path, encoding: str) -> None:
    (model_folder(tmp_path) / "config.json").write_text(json.dumps(llama_config()), encoding=encoding)
    assert inspect(tmp_path).reason == "Its config.json is not valid JSON."


def test_a_folder_that_is_a_link_to_itself_does_not_exist(tmp_path: Path) -> None:
    a_loop(tmp_path / "model")
    assert inspect(tmp_path / "model").reason == "It does not exist."


def test_a_link_back_to_its_own_folder_is_not_followed(tmp_path: Path) -> None:
    (model_folder(tmp_path / "model") / "again").symlink_to("..")
    assert inspect(tmp_path / "model").role is Role.CHAT
    assert [item.name for item in Catalog().scan(Places(tmp_path / "no", tmp_path))] == ["model"]


def test_a_stray_name_that_moves_the_cursor_is_made_harmless(tmp_path: Path) -> None:
    (model_folder(tmp_path) / "model-\n\x1b[2J.safetensors").write_bytes(b"x")
    (warning,) = inspect(tmp_path).warnings
    assert warning.isprintable()


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ({"rope_theta": float("nan")}, "has rope_theta nan, which is not a number"),
        ({"rope_theta": float("inf")}, "has rope_theta inf, which is not a number"),
        ({"rope_theta": 0}, "has rope_theta 0, which must be above 0"),
        ({"rope_theta": -1e4}, "has rope_theta -10000.0, which must be above 0"),
    ],
)
def test_a_base_that_no_position_can_be_turned_by_is_named(tmp_path: Path, more: dict[str, Any], sentence: str) -> None:
    verdict = inspect(model_folder(tmp_path, llama_config(**more), llama_tensors()))
    assert (verdict.role, verdict.reason) == (Role.UNSUPPORTED, f"Its config.json {sentence}.")
