"""Byte counts read as people say them."""

from __future__ import annotations

import pytest

from draftlens.library import sizes


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1000, "1.0 kB"),
        (92_871_040, "93 MB"),
        (999_600, "1.0 MB"),
        (538_090_408, "538 MB"),
        (9_960_000_000, "10 GB"),
        (21_300_000_000_000, "21 TB"),
    ],
)
def test_in_words(count: int, words: str) -> None:
    assert sizes.in_words(count) == words


@pytest.mark.parametrize(
    ("whole", "words"),
    [(500_000_000, "0.6 of 0.5 GB"), (8_000_000_000, "0.6 of 8 GB"), (25_400_000_000, "0.6 of 25 GB")],
)
def test_a_small_whole_keeps_its_decimal(whole: int, words: str) -> None:
    assert sizes.of_gigabytes(629_000_000, whole) == words
