"""The rebuilt tokenizer cuts text as the original does, and knows its special tokens."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from mlx_lm.utils import load_tokenizer
from tokenizers import Tokenizer

from draftlens.core.errors import UserError
from draftlens.library import demo, gguf
from library.toy_gguf import SPECIAL, Toy, byte_alphabet


def _import(tmp_path: Path, toy: Toy) -> Path:
    folder = tmp_path / "model"
    folder.mkdir()
    gguf.import_gguf(toy.write(tmp_path / "toy.gguf"), folder, lambda sentence, fraction: None, "F32")
    return folder


def _tokenizer(folder: Path) -> Tokenizer:
    return Tokenizer.from_file(str(folder / "tokenizer.json"))


@pytest.mark.parametrize(
    "text", ["Hello, world!", "x = 10\n\tif y:\n", "Zwölf 🥊 naïve", "  spaces  ", "12345", "日本語"]
)
def test_text_survives_the_round_trip(demo_pair: demo.DemoPair, text: str) -> None:
    tokenizer = _tokenizer(demo_pair.target)
    assert tokenizer.decode(tokenizer.encode(text).ids) == text


def test_digits_are_cut_one_by_one_and_words_take_their_space(demo_pair: demo.DemoPair) -> None:
    assert _tokenizer(demo_pair.target).encode("In 2024 it was").tokens == [
        "In", "Ġ", "2", "0", "2", "4", "Ġit", "Ġwas",
    ]  # fmt: skip


def test_control_tokens_are_special_and_keep_their_ids(demo_pair: demo.DemoPair) -> None:
    tokenizer = _tokenizer(demo_pair.target)
    assert tokenizer.encode("<|im_start|>user<|im_end|>").ids[::2] == [1, 2]
    assert tokenizer.decode([1, 2]) == ""
    assert tokenizer.get_vocab_size() == 49_152


def test_mlx_lm_takes_the_end_of_turn_as_the_end_of_text(demo_pair: demo.DemoPair) -> None:
    tokenizer = load_tokenizer(demo_pair.target)
    assert tokenizer.eos_token_ids == {2}
    prompt = tokenizer.apply_chat_template([{"role": "user", "content": "Hi"}], add_generation_prompt=True)
    assert tokenizer.decode(prompt).endswith("<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n")


@pytest.mark.parametrize(
    ("pre", "text", "pieces"),
    [
        ("smollm", "a 123's", ["a", " ", "1", "2", "3", "'s"]),
        ("gpt-2", "a 123's", ["a", " 123", "'s"]),
        ("llama-bpe", "a 12345's", ["a", " ", "123", "45", "'s"]),
        ("qwen2", "a 123's", ["a", " ", "1", "2", "3", "'s"]),
        ("llama-bpe", "one\n\n two", ["one", "\n\n", " two"]),
        ("qwen2", "f(x)=é", ["f", "(x", ")=", "é"]),
    ],
)
def test_each_rule_cuts_text_in_its_own_way(tmp_path: Path, pre: str, text: str, pieces: list[str]) -> None:
    tokenizer = _tokenizer(_import(tmp_path, Toy(metadata={"tokenizer.ggml.pre": pre})))
    cut = tokenizer.pre_tokenizer.pre_tokenize_str(text)
    assert [text[start:end] for _, (start, end) in cut] == pieces


def test_qwen_composes_accents_and_smollm_does_not(tmp_path: Path) -> None:
    decomposed = "e\u0301"
    tokenizer = _tokenizer(_import(tmp_path, Toy(metadata={"tokenizer.ggml.pre": "qwen2"})))
    assert tokenizer.decode(tokenizer.encode(decomposed).ids) == "é"


def test_the_start_token_is_added_where_the_file_says_so(tmp_path: Path) -> None:
    tokenizer = _tokenizer(_import(tmp_path, Toy(metadata={"tokenizer.ggml.add_bos_token": True})))
    assert tokenizer.encode("ab").tokens == ["<|im_start|>", "ab"]
    assert tokenizer.encode("ab", add_special_tokens=False).tokens == ["ab"]


def test_padding_rows_are_no_tokens_but_stay_in_the_embedding(tmp_path: Path) -> None:
    tokens = SPECIAL + byte_alphabet() + ["ab", "Ġab", "[PAD261]", "[PAD262]"]
    kinds = [3] * 3 + [1] * 258 + [5] * 2
    folder = _import(tmp_path, Toy(tokens=tokens, metadata={"tokenizer.ggml.token_type": kinds}))
    assert _tokenizer(folder).get_vocab_size() == 261
    assert json.loads((folder / "config.json").read_text())["vocab_size"] == 263


def test_a_second_end_token_is_kept(tmp_path: Path) -> None:
    folder = _import(tmp_path, Toy(metadata={"tokenizer.ggml.eot_token_id": 0}))
    assert json.loads((folder / "generation_config.json").read_text())["eos_token_id"] == [2, 0]


@pytest.mark.parametrize(
    ("toy", "sentence"),
    [
        (Toy(tokens=[*SPECIAL, *byte_alphabet(), "ab", "ab"]), "lists the token 'ab' twice"),
        (Toy(merges=["a b", "x"]), "a merge 'x'"),
        (Toy(merges=["a c"]), "a merge 'a c'"),
        (Toy(metadata={"tokenizer.ggml.eos_token_id": 9999}), "names token 9,999 as eos, but has only 261 tokens"),
        (Toy(metadata={"tokenizer.ggml.token_type": [1, 1]}), "261 tokens but 2 token types"),
    ],
)
def test_a_tokenizer_that_contradicts_itself_is_refused(tmp_path: Path, toy: Toy, sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        _import(tmp_path, toy)
