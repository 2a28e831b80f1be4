"""Every model is judged as drafter with its reason, memory is estimated honestly, and a token is never shown whole."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import keyring
import pytest

from draftlens.core.errors import UserError
from draftlens.library import bound_targets, candidates, checkpoint, hub_token, memory
from draftlens.library.catalog import Installed, Origin
from draftlens.library.memory import Estimate, Fit, Need
from library.toy_folder import Config, llama_config, llama_tensors, model_folder
from library.vault import Vault

GB = 10**9


def item(path: Path) -> Installed:
    return Installed(path, path.name, "acme", Origin.OWN, checkpoint.inspect(path))


def numbered(**more: Any) -> Config:
    return llama_config(hidden_size=64, num_attention_heads=4, intermediate_size=96, **more)


def test_reasons_for_and_against_each_drafter(tmp_path: Path) -> None:
    target = item(model_folder(tmp_path / "target", numbered()))
    good = item(model_folder(tmp_path / "good", numbered()))
    other = model_folder(tmp_path / "template", numbered())
    (other / "chat_template.jinja").write_text("another")
    chunked = item(model_folder(tmp_path / "llama4", numbered(model_type="llama4", text_config={})))
    config = llama_config(dflash_config={}, architectures=["DFlashDraftModel"])
    bound = item(model_folder(tmp_path / "Qwen3-8B-DFlash", config, llama_tensors()))
    pairs = {c.item.name: c for c in candidates.for_target(target, [good, item(other), chunked, bound], 2048, 24 * GB)}
    assert (pairs["good"].ok, pairs["good"].sentence) == (True, "vocabularies match: 8 tokens")
    assert pairs["template"].warnings == ("chat templates differ; the target’s is used",)
    assert pairs["llama4"].sentence == "this drafter’s cache cannot rewind (ChunkedKVCache)"
    assert (pairs["Qwen3-8B-DFlash"].ok, pairs["Qwen3-8B-DFlash"].sentence) == (False, "it is bound to Qwen 3 8B")
    tight = candidates.judge(target, good, 2048, 10)
    assert tight.ok is False
    assert tight.sentence.startswith("the pair needs ")


@pytest.mark.parametrize(
    ("needed", "usable", "fit"),
    [(8 * GB, 18 * GB, Fit.FITS), (16 * GB, 18 * GB, Fit.TIGHT), (19 * GB, 18 * GB, Fit.TOO_BIG)],
)
def test_a_fit_is_named_by_its_share(needed: int, usable: int, fit: Fit) -> None:
    assert Estimate(needed, usable).fit is fit


def test_what_is_unknown_is_not_called_too_big() -> None:
    assert Estimate(None, 18 * GB).fit is Fit.UNKNOWN
    assert memory.need_of({"model_type": "llama"}, GB) is None
    assert memory.estimate(Need(GB, GB, GB), None, limit=GB).fit is Fit.UNKNOWN


def test_the_cache_grows_with_the_context_and_sliding_layers_stop_at_their_window() -> None:
    config = {
        "num_hidden_layers": 4, "hidden_size": 64, "num_attention_heads": 4, "num_key_value_heads": 2, "head_dim": 16,
        "max_position_embeddings": 10_000,
    }  # fmt: skip
    full = memory.need_of(config, 0, 8000)
    half = memory.need_of(config, 0, 4000)
    sliding = memory.need_of(
        config | {"layer_types": ["sliding_attention"] * 3 + ["full_attention"], "sliding_window": 500}, 0, 8000
    )
    assert full is not None
    assert half is not None
    assert sliding is not None
    assert full.cache == 2 * half.cache
    assert sliding.cache == full.cache * (3 * 500 + 8000) // (4 * 8000)


def test_what_is_unloaded_is_given_back() -> None:
    need = Need(2 * GB, GB, 0)
    assert memory.estimate(need, limit=10 * GB, in_use=4 * GB).usable == 6 * GB
    assert memory.estimate(need, limit=10 * GB, in_use=4 * GB, unloaded=3 * GB).usable == 9 * GB


@pytest.mark.parametrize(
    ("name", "spoken", "repo"),
    [
        ("Qwen3.5-4B-DFlash", "Qwen 3.5 4B", "Qwen/Qwen3.5-4B"),
        ("Qwen3-4B-DFlash-b16", "Qwen 3 4B", "Qwen/Qwen3-4B"),
        ("LFM2.5-2.6B-DSpark", "LFM 2.5 2.6B", "LiquidAI/LFM2.5-2.6B"),
        ("gemma-4-12B-it-assistant-4bit", "gemma 4 12B it", "google/gemma-4-12B-it"),
        ("Muse-Glimmer-30B-assistant", "Muse Glimmer 30B", "meta-models/Muse-Glimmer-30B"),
    ],
)
def test_a_drafters_name_tells_its_target(name: str, spoken: str, repo: str) -> None:
    found = bound_targets.target_of(name, {})
    assert found is not None
    assert (found.name, found.repo) == (spoken, repo)


def test_a_name_that_tells_nothing_tells_nothing() -> None:
    assert bound_targets.target_of("my-model", {}) is None
    stated = {"speculators_config": {"verifier": {"name_or_path": "acme/Big-7B"}}}
    found = bound_targets.target_of("my-model", json.loads(json.dumps(stated)))
    assert found is not None
    assert found.repo == "acme/Big-7B"


def test_the_keychain_comes_before_the_environment_and_the_token_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.delenv("HF_TOKEN", raising=False)
    before = keyring.get_keyring()
    keyring.set_keyring(Vault())
    try:
        assert hub_token.find() is None
        (tmp_path / "token").write_text("hf_from_file_1111\n")
        found = hub_token.find()
        assert found is not None
        assert (found.value, found.masked) == ("hf_from_file_1111", "…1111")
        monkeypatch.setenv("HF_TOKEN", "hf_from_environment_2222")
        assert "2222" in repr(hub_token.find())
        hub_token.keep(" hf_from_keychain_3333 ")
        assert "3333" in repr(hub_token.find())
        assert "hf_from" not in repr(hub_token.find())
        hub_token.forget()
        assert "2222" in repr(hub_token.find())
        assert (tmp_path / "token").exists()
        with pytest.raises(UserError, match="one word"):
            hub_token.keep("two words")
    finally:
        keyring.set_keyring(before)


def test_without_a_keychain_that_is_said() -> None:
    from keyring.backends.fail import Keyring

    before = keyring.get_keyring()
    keyring.set_keyring(Keyring())  # type: ignore[no-untyped-call]
    try:
        with pytest.raises(UserError, match="no keychain"):
            hub_token.keep("hf_token_4444")
    finally:
        keyring.set_keyring(before)


@pytest.mark.parametrize(
    ("drafter", "words"),
    [
        ("medusa-vicuna-7b-v1.3", "vicuna"),
        ("yuhuili/EAGLE-LLaMA3-Instruct-8B", "LLaMA3"),
        ("llama-13b-accelerator", "llama"),
        ("Kimi-K25-eagle3", "Kimi"),
        ("draft_head0-7b", "instruct"),
        ("eagle", "instruct"),
    ],
)
def test_there_is_always_something_to_search_for(drafter: str, words: str) -> None:
    assert bound_targets.search_words(drafter, None) == words
    assert bound_targets.search_words(drafter, bound_targets.BoundTarget("Qwen 3 8B", "Qwen/Qwen3-8B")) == "Qwen3"
