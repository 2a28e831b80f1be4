"""A branch keeps every test that was made up to its place, and all of the text before it."""

from __future__ import annotations

from dataclasses import replace

from draftlens.core.branch import kept_rounds
from draftlens.core.round import Fate, Source
from draftlens.core.stats import RunStats
from fakes import step, verify_round

ROUNDS = [
    step(0, "Sort", Source.PREFILL),
    verify_round(1, [" by", " start"], ",", ["x", "y"]),
    verify_round(2, [" then"], " walk"),
]


def text(row: int, slot: int) -> str:
    return "".join(r.text for r in kept_rounds(ROUNDS, row, slot))


def test_the_text_is_that_before_the_place() -> None:
    places = ((0, 0, ""), (1, 0, "Sort"), (1, 1, "Sort by"), (1, 2, "Sort by start"), (2, 1, "Sort by start, then"))
    assert [text(row, slot) for row, slot, _ in places] == [wanted for _, _, wanted in places]


def test_the_test_at_the_place_stays_and_what_was_never_tested_goes() -> None:
    cut = kept_rounds(ROUNDS, 1, 2)[-1]
    assert [p.fate for p in cut.proposals] == [Fate.ACCEPTED, Fate.ACCEPTED, Fate.REJECTED]
    assert (cut.next, cut.next_candidates) == (None, None)
    stats = RunStats()
    stats.add(cut)
    assert (stats.tested, stats.accepted, stats.generated) == (3, 2, 2)


def test_a_plain_round_goes_whole_and_held_back_text_is_released() -> None:
    held = [ROUNDS[0], replace(ROUNDS[1], text=" by"), step(2, "!")]
    kept = kept_rounds(held, 2, 0)
    assert [r.text for r in kept] == ["Sort", " by start,"]
