"""Figures in words: unknown is a dash, a number carries what it is out of."""

from __future__ import annotations

from draftlens.bridge import figures
from draftlens.core.params import SessionParams
from draftlens.core.round import FinishReason, Source
from draftlens.core.stats import RunStats
from fakes import step, verify_round


def stats() -> RunStats:
    total = RunStats()
    total.add(step(0, "a", Source.PREFILL))
    for i in range(1, 11):
        total.add(verify_round(i, ["b", "c"], "d", ["e", "f"]))
    total.prompt_tokens, total.prompt_ms = 1738, 212.4
    return total


def test_before_a_reply_every_tile_is_a_dash() -> None:
    assert {tile.value for tile in figures.tiles(None, None)} == {"–"}
    assert {tile.note for tile in figures.tiles(None, None)} == {""}


def test_the_six_tiles_in_their_order() -> None:
    shown = [(t.label, t.value, t.note) for t in figures.tiles(stats(), SessionParams())]
    assert shown == [
        ("tok/s", "99.7", ""),
        ("tokens / target forward", "3.00", "30 in 10 forwards"),
        ("per_position_acceptance", "0.6667", "95% CI 0.488–0.808"),
        ("acceptance_rate", "0.5000", "20 of 40"),
        ("mean_accepted_len", "2.0000", "of k = 4"),
        ("time to first token", "212", "1,738-token prompt"),
    ]


def test_of_a_prompt_that_was_partly_kept_the_tile_says_how_much_was_read() -> None:
    kept = stats()
    kept.prefill(1738, 1700, 12.0)
    assert figures.tiles(kept, SessionParams())[-1].note == "38 of 1,738 tokens read"


def test_without_a_verify_round_only_speed_and_first_token_are_shown() -> None:
    plain = RunStats()
    plain.add(step(0, "a", Source.PREFILL))
    plain.add(step(1, "b"))
    plain.prompt_ms = 10.0
    shown = {t.label: t.value for t in figures.tiles(plain, SessionParams(drafter="none"))}
    assert [name for name, value in shown.items() if value != "–"] == ["tok/s", "time to first token"]


def test_while_the_prompt_is_read_the_time_to_the_first_token_is_unknown() -> None:
    reading = RunStats()
    reading.prefill(20, 0, 0.3)
    assert {tile.value for tile in figures.tiles(reading, SessionParams())} == {"–"}


def test_a_stopped_run_says_so_beside_its_count() -> None:
    stopped = stats()
    assert figures.tested_label(stopped) == "n = 30 tested"
    stopped.finish = FinishReason.STOPPED
    assert figures.tested_label(stopped) == "n = 30 tested, stopped early"


def test_the_gauge_in_one_sentence() -> None:
    assert figures.gauge_sentence(None) == "No verify round ran"
    assert figures.gauge_sentence(stats()) == (
        "Measured per-position acceptance 0.6667, 95 percent interval 0.488 to 0.808; sum_prod 0.5000; "
        "sum_min 0.7500; measuring, n = 30"
    )


def test_white_space_in_tokens_is_visible() -> None:
    assert figures.token(" a\n\tb") == "·a⏎⇥b"


def test_the_header_of_a_reply() -> None:
    assert figures.reply_line(stats()) == "31 tokens in 0.5 s · 99.7 tok/s"
