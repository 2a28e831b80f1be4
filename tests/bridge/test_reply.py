"""A reply's pieces are its displayed text, cut at the tokens' borders."""

from __future__ import annotations

from dataclasses import replace

from draftlens.bridge.reply import Phase, Piece, Reply
from draftlens.core.events import Finished, Prefill
from draftlens.core.params import SessionParams
from draftlens.core.round import FinishReason, Source
from fakes import step, verify_round


def reply() -> Reply:
    return Reply(1, SessionParams(), "model")


def test_each_token_becomes_a_piece_with_its_source() -> None:
    r = reply()
    r.add(step(0, "Sort", Source.PREFILL))
    r.add(verify_round(1, [" by"], " start", ["x"]))
    r.add(verify_round(2, [","], " then"))
    assert r.pieces == [
        Piece("Sort", Source.PREFILL, 0, 0),
        Piece(" by", Source.DRAFT, 1, 0),
        Piece(" start", Source.RESIDUAL, 1, 1),
        Piece(",", Source.DRAFT, 2, 0),
        Piece(" then", Source.BONUS, 2, 1),
    ]
    assert r.text == "Sort by start, then"


def test_characters_held_back_appear_later_under_the_token_they_came_from() -> None:
    r = reply()
    r.add(replace(verify_round(0, ["ab"], "cd", ["x"]), text="abc"))
    assert [(p.text, p.source) for p in r.pieces] == [("ab", Source.DRAFT), ("c", Source.RESIDUAL)]
    r.add(replace(verify_round(1, ["e"], "f", ["x"]), text="de"))
    r.end(Finished(1, FinishReason.END_OF_TEXT, "f"))
    assert r.text == "abcdef"
    assert [(p.text, p.source) for p in r.pieces[2:]] == [
        ("d", Source.RESIDUAL),
        ("e", Source.DRAFT),
        ("f", Source.RESIDUAL),
    ]


def test_an_unfinished_character_has_no_piece() -> None:
    r = reply()
    r.add(verify_round(0, ["", ""], "🙂"))
    assert [(p.text, p.source) for p in r.pieces] == [("🙂", Source.BONUS)]


def test_text_cut_by_a_stop_string_is_not_shown() -> None:
    r = reply()
    r.add(replace(verify_round(0, ["Hello", " wor"], "ld", ["x"]), text="Hello"))
    r.end(Finished(1, FinishReason.STOP_STRING, ""))
    assert r.text == "Hello"
    assert r.phase is Phase.DONE


def test_the_prompt_is_counted_as_it_is_read() -> None:
    r = reply()
    r.read(Prefill(1, 512, 738, 100, 212.4))
    assert r.phase is Phase.PREFILL
    assert (r.stats.prompt_tokens, r.stats.cached_tokens, r.stats.prompt_ms) == (638, 100, 212.4)
