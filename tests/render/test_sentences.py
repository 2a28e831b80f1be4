"""Sentences come whole and once, however the text was cut into pieces."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from draftlens.render.sentences import LONGEST, Sentences


def spoken(*pieces: str) -> list[str]:
    sentences = Sentences()
    return [sentence for piece in pieces for sentence in sentences.add(piece)] + list(sentences.finish())


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ("See e.g. this, Dr. Who and 3.14 at a.b.c. Then.", ["See e.g. this, Dr. Who and 3.14 at a.b.c.", "Then."]),
        ('He said "yes." She left.', ['He said "yes."', "She left."]),
        ("一つ。二つ！三つ", ["一つ。", "二つ！", "三つ"]),
        ("1. First item\n2. Second\n\n***\n", ["1. First item", "2. Second"]),
        ("Wait… what? Yes", ["Wait…", "what?", "Yes"]),
    ],
)
def test_text_is_spoken_sentence_by_sentence(text: str, sentences: list[str]) -> None:
    assert spoken(text) == sentences
    assert spoken(*text) == sentences


@given(st.text(alphabet="ab .!?。\n\"'1", max_size=80), st.integers(0, 80))
def test_pieces_do_not_matter(text: str, cut: int) -> None:
    assert spoken(text) == spoken(*text) == spoken(text[:cut], text[cut:])


def test_what_never_ends_is_spoken_all_the_same() -> None:
    parts = spoken("word " * 300)
    assert " ".join(parts) == ("word " * 300).strip()
    assert max(map(len, parts)) <= LONGEST
    assert spoken(*("word " * 300)) == parts
