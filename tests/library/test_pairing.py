"""Two models pair when every token id means the same to both; padding does not matter, everything else is named."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
import sentencepiece

from draftlens.core.errors import UserError
from draftlens.library import demo
from draftlens.library.pairing import compare_vocabularies, require_pair
from library.toy_folder import write_tokenizer

BYTE_LEVEL: dict[str, Any] = {"decoder": {"type": "ByteLevel"}}


def _folder(folder: Path, tokens: dict[str, int], rows: int | None = None, **more: Any) -> Path:
    folder.mkdir()
    write_tokenizer(folder, tokens, **more)
    if rows is not None:
        (folder / "config.json").write_text(json.dumps({"vocab_size": rows}))
    return folder


def _numbered(count: int) -> dict[str, int]:
    return {f"t{i}": i for i in range(count)}


def test_the_demo_pair_matches(demo_pair: demo.DemoPair) -> None:
    match = require_pair(demo_pair.target, demo_pair.drafter)
    assert match.sentence == "vocabularies match: 49,152 tokens"


@pytest.mark.parametrize(
    ("target_rows", "drafter_rows", "sentence"),
    [
        (1500, 1500, "vocabularies match: 1,500 tokens"),
        (1500, 1600, "vocabularies match: 1,500 tokens (drafter padded to 1,600)"),
        (1700, 1600, "vocabularies match: 1,500 tokens (target padded to 1,700, drafter padded to 1,600)"),
        (None, None, "vocabularies match: 1,500 tokens"),
    ],
)
def test_padded_rows_are_tolerated_and_told(
    tmp_path: Path, target_rows: int | None, drafter_rows: int | None, sentence: str
) -> None:
    target = _folder(tmp_path / "t", _numbered(1500), target_rows)
    drafter = _folder(tmp_path / "d", _numbered(1500), drafter_rows)
    match = compare_vocabularies(target, drafter)
    assert match.equal
    assert match.sentence == sentence


def test_the_rows_of_a_wrapped_text_model_count(tmp_path: Path) -> None:
    target = _folder(tmp_path / "t", _numbered(8))
    (target / "config.json").write_text(json.dumps({"text_config": {"vocab_size": 64}}))
    drafter = _folder(tmp_path / "d", _numbered(8), 8)
    assert compare_vocabularies(target, drafter).sentence.endswith("8 tokens (target padded to 64)")


def test_two_swapped_ids_in_vocabularies_of_the_same_size_are_found(tmp_path: Path) -> None:
    swapped = _numbered(3000) | {"t1024": 1025, "t1025": 1024}
    match = compare_vocabularies(_folder(tmp_path / "t", _numbered(3000)), _folder(tmp_path / "d", swapped))
    assert match.sentence == "token 1,024 differs: “t1024” and “t1025”"


def test_a_space_is_shown_as_text_in_each_notation(tmp_path: Path) -> None:
    target = _folder(tmp_path / "t", {"▁the": 0})
    drafter = _folder(tmp_path / "d", {"Ġthe": 0}, **BYTE_LEVEL)
    assert compare_vocabularies(target, drafter).sentence == "token 0 differs: “▁the” and “ the”"


def test_a_token_of_spaces_only_is_made_visible(tmp_path: Path) -> None:
    target = _folder(tmp_path / "t", {"ĠĠ": 0}, **BYTE_LEVEL)
    drafter = _folder(tmp_path / "d", {"Ċ": 0}, **BYTE_LEVEL)
    assert compare_vocabularies(target, drafter).sentence == "token 0 differs: “··” and “⏎”"


def test_tokens_that_only_look_alike_when_decoded_still_differ(tmp_path: Path) -> None:
    """A lone byte of a character is shown as written; it must not be taken for the character of that look."""
    target = _folder(tmp_path / "t", {"Ã": 0}, **BYTE_LEVEL)
    drafter = _folder(tmp_path / "d", {"ÃĥÂ"[:2]: 0}, **BYTE_LEVEL)
    assert not compare_vocabularies(target, drafter).equal


def test_added_tokens_count(tmp_path: Path) -> None:
    added = [{"id": 8, "content": "<think>", "special": False}]
    target = _folder(tmp_path / "t", _numbered(8), added_tokens=added)
    drafter = _folder(tmp_path / "d", _numbered(8))
    assert compare_vocabularies(target, drafter).sentence == "token 8 differs: “<think>” and nothing"
    assert compare_vocabularies(drafter, target).sentence == "token 8 differs: nothing and “<think>”"


def test_a_list_vocabulary_compares_by_position(tmp_path: Path) -> None:
    target = _folder(tmp_path / "t", {})
    unigram: dict[str, Any] = {"model": {"type": "Unigram", "vocab": [["<unk>", 0.0], ["▁a", -1.5]]}}
    write_tokenizer(target, **unigram)
    drafter = _folder(tmp_path / "d", {"<unk>": 0, "▁a": 1})
    assert compare_vocabularies(target, drafter).equal


def test_a_pair_that_differs_is_refused_in_one_sentence(tmp_path: Path) -> None:
    target = _folder(tmp_path / "big", {"a": 0})
    drafter = _folder(tmp_path / "small", {"b": 0})
    with pytest.raises(UserError) as caught:
        require_pair(target, drafter)
    assert caught.value.sentence == "small cannot draft for big: token 0 differs: “a” and “b”."


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("tokenizer.model", "x", "d/tokenizer.model cannot be read as a tokenizer"),
        ("vocab.json", "{}", "d has no tokenizer.json, only vocab.json"),
        ("notes.txt", "", "d has no tokenizer.json"),
        ("tokenizer.json", "[]", "d/tokenizer.json cannot be read as a tokenizer"),
        ("tokenizer.json", '{"model": {"vocab": {"a": "b"}}}', "d/tokenizer.json cannot be read as a tokenizer"),
    ],
)
def test_what_cannot_be_compared_says_why_and_is_not_paired(
    tmp_path: Path, name: str, content: str, sentence: str
) -> None:
    target = _folder(tmp_path / "t", {"a": 0})
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / name).write_text(content)
    match = compare_vocabularies(target, tmp_path / "d")
    assert match.sentence == f"vocabularies cannot be compared: {sentence}"
    with pytest.raises(UserError, match="vocabularies cannot be compared"):
        require_pair(target, tmp_path / "d")


def test_a_sentencepiece_file_alone_compares_with_a_tokenizer_json(tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.mkdir()
    made = io.BytesIO()
    words = iter(["the cat sat on the mat", "a dog and a cat"] * 20)
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=words, model_writer=made, vocab_size=30, model_type="bpe"
    )
    (old / "tokenizer.model").write_bytes(made.getvalue())
    (old / "added_tokens.json").write_text('{"<pad>": 30}')
    pieces = sentencepiece.SentencePieceProcessor(model_proto=made.getvalue())
    same = {pieces.id_to_piece(i): i for i in range(30)}
    new = _folder(tmp_path / "new", same, added_tokens=[{"id": 30, "content": "<pad>"}])
    assert compare_vocabularies(old, new).sentence == "vocabularies match: 31 tokens"
    other = _folder(tmp_path / "other", same)
    assert compare_vocabularies(old, other).sentence == "token 30 differs: “<pad>” and nothing"


def test_tokens_with_their_merges_compare_with_a_tokenizer_json(tmp_path: Path) -> None:
    old = tmp_path / "old"
    old.mkdir()
    (old / "vocab.json").write_text(json.dumps({"a": 0, "Ġb": 1}))
    (old / "merges.txt").write_text("#version: 0.2\n")
    (old / "tokenizer_config.json").write_text('{"added_tokens_decoder": {"2": {"content": "<|im_end|>"}}}')
    added = [{"id": 2, "content": "<|im_end|>"}]
    assert compare_vocabularies(old, _folder(tmp_path / "new", {"a": 0, "Ġb": 1}, added_tokens=added)).equal
    other = _folder(tmp_path / "other", {"a": 0, "Ġc": 1}, added_tokens=added, **BYTE_LEVEL)
    assert compare_vocabularies(old, other).sentence == "token 1 differs: “ b” and “ c”"


def test_a_file_that_changed_is_read_again(tmp_path: Path) -> None:
    target, drafter = _folder(tmp_path / "t", {"a": 0}), _folder(tmp_path / "d", {"a": 0})
    assert compare_vocabularies(target, drafter).equal
    write_tokenizer(drafter, {"bb": 0})
    assert not compare_vocabularies(target, drafter).equal
