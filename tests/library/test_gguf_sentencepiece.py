"""A SentencePiece tokenizer from a GGUF cuts text as the original does, bytes and spaces included."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
import sentencepiece
from tokenizers import Tokenizer

from draftlens.library import gguf_tokenizer

TEXTS = [
    "the cat sat on the mat", "  two spaces, then more   here", "Zwölf Boxkämpfer jagen Viktor",
    "x = [i for i in y]\n\n",
    "emoji 🙂 and 漢字 unseen", "", " ", "\tTabs\tand\nlines",
]  # fmt: skip


@pytest.fixture(scope="module")
def original() -> sentencepiece.SentencePieceProcessor:
    lines = [f"the cat number {n} sat on the mat and the other cat ran away from it" for n in range(200)]
    lines += ["x = [i for i in range(y)]", "Zwölf Boxkämpfer jagen Viktor quer über den großen Sylter Deich"] * 40
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=model, model_type="bpe", vocab_size=420, byte_fallback=True,
        normalization_rule_name="identity", remove_extra_whitespaces=False, minloglevel=2,
    )  # fmt: skip
    return sentencepiece.SentencePieceProcessor(model_proto=model.getvalue())


def metadata(original: sentencepiece.SentencePieceProcessor, **more: Any) -> dict[str, Any]:
    count = original.get_piece_size()

    def kind(number: int) -> int:
        if original.is_unknown(number):
            return 2
        return 3 if original.is_control(number) else 6 if original.is_byte(number) else 1

    return {
        "general.architecture": "llama",
        "llama.context_length": 128,
        "tokenizer.ggml.model": "llama",
        "tokenizer.ggml.tokens": [original.id_to_piece(n) for n in range(count)],
        "tokenizer.ggml.scores": [original.get_score(n) for n in range(count)],
        "tokenizer.ggml.token_type": [kind(n) for n in range(count)],
        "tokenizer.ggml.bos_token_id": 1,
        "tokenizer.ggml.eos_token_id": 2,
        "tokenizer.ggml.unknown_token_id": 0,
    } | more


@pytest.mark.parametrize("text", TEXTS)
def test_text_is_cut_as_the_original_cuts_it_and_comes_back(
    original: sentencepiece.SentencePieceProcessor, tmp_path: Path, text: str
) -> None:
    gguf_tokenizer.write(metadata(original), tmp_path)
    ours = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    ids = ours.encode(text).ids
    assert ids == [1, *original.encode(text)]
    assert ours.decode(ids) == original.decode(ids[1:])


def test_without_a_space_in_front_the_first_word_has_none(
    original: sentencepiece.SentencePieceProcessor, tmp_path: Path
) -> None:
    changes = {"tokenizer.ggml.add_space_prefix": False, "tokenizer.ggml.add_bos_token": False}
    gguf_tokenizer.write(metadata(original, **changes), tmp_path)
    ours = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    encoded = ours.encode("cat on")
    assert not encoded.tokens[0].startswith("▁")
    assert ours.decode(encoded.ids) == "cat on"
