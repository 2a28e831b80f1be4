"""Bad input is one clear sentence and exit code 2; nothing is loaded for it, and there is never a traceback."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.conftest import Call
from draftlens.library.demo import DemoPair

FLAGS = [
    (["--temp", "nan"], "temperature is nan"),
    (["--temp", "-0.1"], "temperature is -0.1"),
    (["--temp", "inf"], "temperature is inf"),
    (["--temp", "warm"], "invalid float value: 'warm'"),
    (["--top-k", "-1"], "top_k is -1"),
    (["--top-k", "2.5"], "invalid int value: '2.5'"),
    (["--top-p", "0"], "top_p is 0.0"),
    (["--top-p", "1.0000001"], "top_p is 1.0000001"),
    (["--top-p", "nan"], "top_p is nan"),
    (["--min-p", "1.5"], "min_p is 1.5"),
    (["--min-p", "nan"], "min_p is nan"),
    (["--xtc-probability", "2"], "xtc_probability is 2.0"),
    (["--xtc-threshold", "-1"], "xtc_threshold is -1.0"),
    (["--repeat-penalty", "0"], "repetition_penalty is 0.0"),
    (["--repeat-window", "-1"], "repetition_window is -1"),
    (["--presence-penalty", "nan"], "presence_penalty is nan"),
    (["--num-draft-tokens", "-1"], "k (draft tokens a round) is -1"),
    (["--num-draft-tokens", "65"], "k (draft tokens a round) is 65"),
    (["-n", "-1"], "max_tokens is -1"),
    (["--seed", "-1"], "seed is -1"),
    (["--logit-bias", "5"], "--logit-bias 5 cannot be read"),
    (["--logit-bias", "abc=1"], "--logit-bias abc=1 cannot be read"),
    (["--logit-bias", "5=nan"], "logit_bias for token 5 is nan"),
    (["--logit-bias=-1=100"], "logit_bias names -1"),
    (["--stop", ""], "--stop is given an empty text"),
    (["--rule", "fastest"], "invalid choice: 'fastest'"),
    (["--rule", "greedy-argmax"], "--rule greedy-argmax needs temperature 0"),
    (["--bogus"], "Unrecognized arguments: --bogus"),
    (["--no-draft", "--prompt-lookup"], "--no-draft and --prompt-lookup contradict each other"),
    (["--no-draft", "--draft-model", "x"], "--no-draft and --draft-model contradict each other"),
    (["--draft-temp", "1", "--no-draft"], "--draft-temp and --no-draft contradict each other"),
    (["--draft-temp", "1", "--prompt-lookup"], "--draft-temp and --prompt-lookup contradict each other"),
    (["--draft-model", "x", "--prompt-lookup"], "--draft-model and --prompt-lookup contradict each other"),
    (["-f", "x"], "--prompt and --file contradict each other"),
    (["--system", "x", "--no-chat-template"], "--system and --no-chat-template contradict each other"),
    (["--prompt-lookup-ngram-max", "3"], "--prompt-lookup-ngram-max needs --prompt-lookup"),
    (["--prompt-lookup", "--prompt-lookup-ngram-min", "0"], "prompt-lookup ngram-min must be at least 1"),
    (["--prompt-lookup", "--prompt-lookup-ngram-min", "17"], "ngram-min (17) must be at most 16"),
    (["--prompt-lookup", "--prompt-lookup-ngram-max", "1"], "ngram-max (1) must be >= ngram-min (2)"),
    (["--prompt-lookup", "--prompt-lookup-ngram-max", "17"], "must be at most 16"),
    (["--prompt-lookup", "--prompt-lookup-max-draft", "0"], "max-draft must be at least 1"),
    (["--prompt-lookup", "--prompt-lookup-max-draft", "65"], "max-draft must be at most 64"),
    (["--prompt-lookup", "--prompt-lookup-policy", "greedy"], "invalid choice: 'greedy'"),
]


@pytest.mark.parametrize(
    ("flags", "sentence"), FLAGS, ids=lambda value: " ".join(value) if isinstance(value, list) else ""
)
def test_a_flag_that_is_wrong_is_named(call: Call, flags: list[str], sentence: str) -> None:
    ran = call("generate", "-p", "hello", *flags)
    lines = [line for line in ran.err.splitlines() if not line.startswith("No model given")]
    assert ran.code == 2
    assert sentence in ran.err
    assert len(lines) == 1
    assert lines[0].startswith("draftlens: ")
    assert ran.out == ""


def test_a_bias_for_a_token_the_model_does_not_have_is_named(call: Call) -> None:
    ran = call("generate", "-p", "hello", "--no-draft", "--logit-bias", "999999=3")
    assert (ran.code, ran.out) == (2, "")
    assert "logit_bias names token 999999, but this model has 49,152 tokens." in ran.err


def test_a_missing_model_folder_is_named(call: Call, tmp_path: Path) -> None:
    ran = call("generate", "-p", "hello", "-m", str(tmp_path / "nowhere"))
    assert ran.code == 2
    assert str(tmp_path / "nowhere") in ran.err
    assert "Traceback" not in ran.err


def test_an_empty_model_folder_is_named(call: Call, tmp_path: Path) -> None:
    ran = call("generate", "-p", "hello", "-m", str(tmp_path))
    assert ran.code == 2
    assert f"{tmp_path} " in ran.err


def test_a_partial_model_folder_is_told_what_it_lacks(call: Call, tmp_path: Path, demo_pair: DemoPair) -> None:
    (tmp_path / "config.json").write_bytes((demo_pair.target / "config.json").read_bytes())
    ran = call("generate", "-p", "hello", "-m", str(tmp_path))
    assert ran.code == 2
    assert "incomplete" in ran.err
    assert "model.safetensors" in ran.err


def test_an_unsupported_architecture_is_named(call: Call, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "moss", "architectures": ["MossForCausalLM"]}))
    ran = call("generate", "-p", "hello", "-m", str(tmp_path))
    assert ran.code == 2
    assert "moss" in ran.err


@pytest.mark.parametrize("slot", ["-m", "--draft-model"])
def test_a_bound_drafter_is_refused_in_both_slots_before_loading(call: Call, tmp_path: Path, slot: str) -> None:
    config = {
        "model_type": "qwen3",
        "architectures": ["DFlashDraftModel"],
        "dflash_config": {"mask_token_id": 1, "target_layer_ids": [1]},
    }
    (tmp_path / "config.json").write_text(json.dumps(config))
    ran = call("generate", "-p", "hello", slot, str(tmp_path))
    assert ran.code == 2
    assert f"{tmp_path} is a DFlash-family speculative drafter" in ran.err
    assert "not a standalone model" in ran.err
    assert "Weight not found" not in ran.err
    assert "Loading draft model" not in ran.err


def test_a_draft_model_with_another_vocabulary_is_told_the_first_difference(
    call: Call, tmp_path: Path, demo_pair: DemoPair
) -> None:
    for file in demo_pair.drafter.iterdir():
        if file.name != "tokenizer.json":
            (tmp_path / file.name).symlink_to(file)
    tokenizer = json.loads((demo_pair.drafter / "tokenizer.json").read_text(encoding="utf-8"))
    vocabulary = tokenizer["model"]["vocab"]
    names = {i: token for token, i in vocabulary.items()}
    vocabulary[names[1000]], vocabulary[names[1001]] = 1001, 1000
    (tmp_path / "tokenizer.json").write_text(json.dumps(tokenizer), encoding="utf-8")
    ran = call("generate", "-p", "hello", "--draft-model", str(tmp_path))
    assert ran.code == 2
    assert "token 1,000 differs" in ran.err


def test_a_prompt_longer_than_the_context_is_counted(call: Call, tmp_path: Path) -> None:
    long = tmp_path / "long.txt"
    long.write_text("word " * 9000, encoding="utf-8")
    ran = call("generate", "--no-draft", "-f", str(long))
    assert (ran.code, ran.out) == (2, "")
    assert "tokens, but SmolLM2-135M-Instruct reads at most 8,192, reply included." in ran.err
    assert "Token indices" not in ran.err


def test_a_prompt_file_that_cannot_be_read_is_named(call: Call, tmp_path: Path) -> None:
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe\x00")
    for path, reason in ((tmp_path / "none", "No such file"), (binary, "not UTF-8"), (tmp_path, "directory")):
        ran = call("generate", "-f", str(path))
        assert ran.code == 2
        assert str(path) in ran.err
        assert reason in ran.err


def test_an_empty_prompt_is_refused(call: Call) -> None:
    ran = call("generate", "-p", "  ")
    assert (ran.code, ran.err) == (2, 'draftlens: The prompt is empty. Give one with -p "…".\n')
