"""Where a reply ends: budget, context, end of text and stop strings, also in the middle of an accepted block."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from draftlens.core.errors import UserError
from draftlens.core.params import SamplingParams, SessionParams
from draftlens.core.round import FinishReason, Source
from draftlens.core.stats import RunStats
from draftlens.engine.keys import Keys
from draftlens.engine.session import Session
from draftlens.engine.target import Model, Target
from engine.toys import GREEDY, Adversary, Scripted, held, orbit, orbit_text, run, toy

LETTERS = "abcdefghijkl"


def spell(ids: Sequence[int]) -> str:
    return "".join(LETTERS[i] for i in ids)


def counting(end: Sequence[int] = (), context: int = 1 << 20) -> Model:
    """0, 1, 2, … 11, 0, …"""
    made = orbit(1, 1, 12)
    return toy(made.network, 12, frozenset(end), context)


def right(model_end: int = 60) -> Adversary:
    """A drafter that is always right."""
    return Adversary(orbit_text(1, 1, 0, model_end, 12), 12, rate=0, seed=0)


@pytest.mark.parametrize("budget", [1, 2, 3, 5, 6, 9])
@pytest.mark.parametrize("k", [0, 1, 4, 7])
def test_exactly_the_budget_is_emitted_however_much_was_drafted(budget: int, k: int) -> None:
    reply = run(Target(counting()), right(), [0], k=k, max_tokens=budget)
    assert reply.tokens == orbit_text(1, 1, 0, budget, 12)
    assert reply.finish is FinishReason.LENGTH
    stats = RunStats()
    for made in reply.rounds:
        stats.add(made)
    assert stats.accepted <= stats.generated
    assert stats.accepted == sum(e.source is Source.DRAFT for r in reply.rounds for e in r.emitted)


def test_a_budget_of_zero_emits_nothing_and_runs_no_round() -> None:
    target = Target(counting())
    reply = run(target, right(), [0], max_tokens=0)
    assert (reply.tokens, reply.rounds, reply.finish) == ([], [], FinishReason.LENGTH)
    assert target.tokens == []


@pytest.mark.parametrize("k", [0, 3, 8])
def test_a_full_context_ends_the_reply_and_is_named(k: int) -> None:
    reply = run(Target(counting(context=10)), right(), [11, 0], k=k, max_tokens=100)
    assert reply.tokens == orbit_text(1, 1, 0, 8, 12)
    assert reply.finish is FinishReason.CONTEXT


def test_a_prompt_that_fills_the_context_is_refused_with_both_counts() -> None:
    with pytest.raises(UserError, match="The prompt has 10 tokens, but model reads at most 10") as refused:
        run(Target(counting(context=10)), None, [0] * 10, max_tokens=5)
    assert refused.value.next_step == "Shorten the prompt or start a new chat."


def test_an_empty_prompt_is_refused() -> None:
    with pytest.raises(UserError, match="The prompt is empty"):
        run(Target(counting()), None, [], max_tokens=5)


def test_an_end_inside_an_accepted_block_is_not_shown_and_nothing_after_it_counts() -> None:
    target, drafter = Target(counting(end=[3])), Scripted([[2, 3, 4, 5]])
    reply = run(target, drafter, [0], k=4, max_tokens=50)
    assert reply.tokens == [1, 2]
    assert reply.finish is FinishReason.END_OF_TEXT
    last = reply.rounds[-1]
    assert [p.token for p in last.proposals] == [2, 3]
    assert [p.fate for p in last.proposals] == ["accepted", "accepted"]
    assert last.next is None
    assert target.tokens == held(target.caches[0]) == [0, 1, 2]
    assert drafter.accepted == [[], [2]]
    assert drafter.emitted == [[1], [2]]


def test_a_drafted_end_that_is_rejected_does_not_end_the_reply() -> None:
    reply = run(Target(counting(end=[5])), Scripted([[5, 6], [3]]), [0], k=4, max_tokens=4)
    assert reply.tokens == [1, 2, 3, 4]
    assert [p.token for p in reply.rounds[1].proposals] == [5]
    assert reply.rounds[1].proposals[0].fate == "rejected"


@pytest.mark.parametrize(("blocks", "source"), [([[2, 9]], Source.TARGET), ([[2]], Source.BONUS), ([], Source.PLAIN)])
def test_an_end_as_replacement_bonus_or_plain_draw_is_not_shown_but_recorded(
    blocks: list[list[int]], source: Source
) -> None:
    target = Target(counting(end=[3]))
    reply = run(target, Scripted(blocks), [0], k=4, max_tokens=50)
    assert reply.tokens == [1, 2]
    last = reply.rounds[-1]
    assert last.next is not None
    assert (last.next.token, last.next.text, last.next.source) == (3, "", source)
    assert last.finish is FinishReason.END_OF_TEXT
    assert target.tokens == held(target.caches[0]) == [0, 1, 2]


def test_an_end_as_the_first_token_gives_an_empty_reply_of_one_round() -> None:
    reply = run(Target(counting(end=[1])), right(), [0], max_tokens=50)
    assert reply.tokens == []
    assert len(reply.rounds) == 1
    stats = RunStats()
    stats.add(reply.rounds[0])
    assert (stats.rounds, stats.generated, stats.tokens_per_forward) == (0, 0, None)


@pytest.mark.parametrize("k", [0, 1, 2, 3, 5, 8])
def test_a_stop_string_split_over_tokens_and_blocks_never_shows_its_beginning(k: int) -> None:
    reply = run(Target(counting()), right(), [0], k=k, max_tokens=50, stop=("efg",), decode=spell)
    assert reply.text == "bcd"
    assert reply.finish is FinishReason.STOP_STRING
    for at in range(len(reply.rounds)):
        assert "bcd".startswith("".join(r.text for r in reply.rounds[:at]))
    assert reply.tokens == orbit_text(1, 1, 0, 6, 12)


def test_a_stop_string_inside_a_block_keeps_nothing_after_it_in_the_cache() -> None:
    target = Target(counting())
    reply = run(target, Scripted([[2, 3, 4, 5, 6]]), [0], k=8, max_tokens=50, stop=("cd",), decode=spell)
    assert reply.text == "b"
    assert reply.tokens == [1, 2, 3]
    assert target.tokens == held(target.caches[0]) == [0, 1, 2, 3]


def test_text_that_only_began_like_a_stop_string_is_released() -> None:
    reply = run(Target(counting()), right(), [0], k=3, max_tokens=6, stop=("fgz", "gx"), decode=spell)
    assert reply.text == "bcdefg"
    assert reply.finish is FinishReason.LENGTH


def test_a_stopped_reply_releases_what_was_held_back_as_its_tail() -> None:
    params = SessionParams(sampling=GREEDY, max_tokens=50, k=2, stop=("dez",))
    session = Session(Target(counting()), right(), params, Keys(0), spell)
    text = ""
    for made in session.rounds([0], cancelled=lambda: len(session.emitted) >= 3):
        text += made.text
    assert session.finish is FinishReason.STOPPED
    assert text == "bc"
    assert session.tail() == "de"
    assert session.tail() == ""


def test_every_round_says_where_it_begins() -> None:
    reply = run(Target(counting()), right(), [11, 0], k=3, max_tokens=11)
    position = 0
    for index, made in enumerate(reply.rounds):
        assert (made.index, made.position, made.context) == (index, position, 2 + position)
        position += len(made.emitted)
    assert [r.drafter for r in reply.rounds] == ["none", *["scripted"] * (len(reply.rounds) - 1)]


def test_a_bias_keeps_a_beloved_token_out_of_every_position_of_every_block() -> None:
    for temperature in (0.0, 1.0):
        banned = SamplingParams(temperature=temperature, logit_bias=((4, -100.0),))
        reply = run(Target(counting()), right(), [0], sampling=banned, k=4, max_tokens=60)
        assert 4 not in reply.tokens
        assert 4 in {p.token for r in reply.rounds for p in r.proposals}
