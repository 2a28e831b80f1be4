"""A GGUF whose metadata are of another kind, or contradict its tensors, is refused before anything is written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from draftlens.core.errors import UserError
from draftlens.library import gguf, gguf_import
from draftlens.library.gguf_pack import Keep
from library.toy_gguf import Toy

EPSILON = "llama.attention.layer_norm_rms_epsilon"
TOKENS = len(Toy().tokens)


def quiet(sentence: str, fraction: float | None) -> None:
    """Nobody watches."""


@pytest.mark.parametrize(
    ("key", "value", "sentence"),
    [
        ("tokenizer.ggml.tokens", [1] * TOKENS, "tokenizer.ggml.tokens that is not a list of texts"),
        ("tokenizer.ggml.tokens", 5, "not a list of texts"),
        ("tokenizer.ggml.merges", [1, 2], "not a list of texts"),
        ("tokenizer.ggml.merges", "a b", "not a list of texts"),
        ("tokenizer.ggml.token_type", 5, "not a list of whole numbers"),
        ("tokenizer.ggml.bos_token_id", "x", "not a whole number"),
        ("tokenizer.ggml.eos_token_id", [2], "not a whole number"),
        ("tokenizer.ggml.eos_token_id", True, "not a whole number"),
        ("tokenizer.ggml.pre", ["smollm"], "not a text"),
        ("tokenizer.chat_template", 5, "not a text"),
        ("tokenizer.ggml.add_bos_token", "yes", "not true or false"),
        ("split.count", "x", "not a whole number"),
        (EPSILON, "x", "not a number above 0"),
        (EPSILON, float("nan"), "not a number above 0"),
        (EPSILON, 0.0, "not a number above 0"),
        ("llama.rope.freq_base", float("inf"), "not a number above 0"),
        ("llama.rope.freq_base", [1.0], "not a number above 0"),
        ("llama.attention.head_count", 3, "3 attention heads, which 2 key-value heads do not divide"),
        (
            "llama.attention.head_count_kv",
            1,
            "blk.0.attn_k.weight in the shape (32, 64), where its metadata asks for (16",
        ),
        ("llama.attention.key_length", 8, "blk.0.attn_q.weight in the shape (64, 64), where its metadata asks for (32"),
        ("llama.embedding_length", 65, "token_embd.weight in the shape"),
        ("llama.feed_forward_length", 1, "blk.0.ffn_gate.weight in the shape (96, 64)"),
    ],
)
def test_what_cannot_be_is_named_by_its_key(tmp_path: Path, key: str, value: Any, sentence: str) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    with pytest.raises(UserError) as caught:
        gguf.import_gguf(Toy(metadata={key: value}).write(tmp_path / "toy.gguf"), folder, quiet)
    assert sentence in caught.value.sentence
    assert list(folder.iterdir()) == []


def test_a_name_too_long_for_a_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is too long for the name of a folder"):
        gguf_import.import_file(Toy().write(tmp_path / "toy.gguf"), "x" * 300, Keep.AUTO, quiet)
