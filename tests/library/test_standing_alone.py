"""What is about to be loaded on its own is refused in one sentence, or is whole to the contents of its files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from draftlens.core.errors import UserError
from draftlens.library import demo
from draftlens.library.checkpoint import inspect, require_standalone
from draftlens.library.roles import Role
from library.toy_folder import llama_config, model_folder

CONFIGS = Path(__file__).parent / "configs"


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


@pytest.mark.parametrize("as_draft", [False, True])
def test_every_published_config_alone_is_one_sentence_in_both_slots(tmp_path: Path, as_draft: bool) -> None:
    """None of them has weights beside it: drafters are refused as such, ordinary models for what they lack."""
    for file in sorted(CONFIGS.glob("*.json")):
        if file.name == "EXPECTED.json":
            continue
        folder = tmp_path / file.stem
        folder.mkdir()
        (folder / "config.json").write_bytes(file.read_bytes())
        with pytest.raises(UserError) as caught:
            require_standalone(folder, as_draft)
        sentence = caught.value.sentence
        assert sentence.startswith(f"--draft-model {folder} is " if as_draft else f"{folder} is ")
        assert sentence.endswith(".")
        assert sentence.isprintable()
        assert caught.value.next_step
        bound = inspect(folder).role.bound_drafter
        assert ("not a standalone model" in sentence) == bound
