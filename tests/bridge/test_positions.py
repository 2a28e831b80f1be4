"""Each position says in one sentence why its token is there: outcome, comparison, consequence."""

from __future__ import annotations

from dataclasses import replace

import pytest

from draftlens.bridge.positions import apart, popover_figures, popover_sentence, position_of
from draftlens.core.round import Candidates, Emitted, Fate, Proposed, Round, Source, Timings
from draftlens.core.rules import RuleId

MERGES = Proposed(11, " merges", 0.412, 0.158, 0.702, None, 0.654, 0.1389, 0.654, Fate.REJECTED)
WITH = Proposed(5, " with", 0.734, 0.801, 0.331, None, 0.9, 0.5, 0.9, Fate.ACCEPTED)
TOUCHING = Proposed(6, " touching", 0.377, None, None, None, None, None, None, Fate.UNTESTED)
JOINS = Emitted(12, " joins", Source.RESIDUAL, 0.318, 0.4)
ROW = Candidates((12, 11, 13), (0.318, 0.158, 0.121), (0.146, 0.412, 0.088), (" joins", " merges", " treats"))


def made(
    *proposals: Proposed,
    draw: Emitted | None,
    rule: RuleId = RuleId.STOCHASTIC,
    row: Candidates | None = None,
    paused: bool = False,
    index: int = 147,
) -> Round:
    kept = tuple(Emitted(p.token, p.text, Source.DRAFT, p.p, None) for p in proposals if p.fate is Fate.ACCEPTED)
    emitted = (*kept, *(() if draw is None else (draw,)))
    return Round(index, 443, 900, rule, "classic", proposals, emitted, draw, "", None, paused, Timings(), row)


REJECTED = made(WITH, WITH, replace(MERGES, candidates=ROW), TOUCHING, draw=JOINS, row=ROW)


def test_the_sentences_of_the_stochastic_rule() -> None:
    sentences = [position_of(REJECTED, slot).sentence() for slot in range(4)]
    assert sentences == [
        "Accepted because u = 0.331 is at or below p/q = 1.091.",
        "Accepted because u = 0.331 is at or below p/q = 1.091.",
        (
            "Rejected because u = 0.702 is above p/q = 0.383; the residual normalize(relu(p − q)) then drew "
            "“·joins”, where it holds 0.497."
        ),
        "Not tested: the chain ended at position 3.",
    ]


def test_without_a_snapshot_the_residuals_share_is_left_out() -> None:
    bare = made(MERGES, draw=JOINS)
    assert position_of(bare, 0).sentence().endswith("then drew “·joins”.")
    assert position_of(bare, 0).odds(12) == ()


def test_a_draft_outside_the_support_and_one_the_drafter_thought_impossible() -> None:
    outside = made(replace(MERGES, p=0.0), draw=JOINS)
    assert position_of(outside, 0).sentence() == (
        "Rejected because p(t) is 0: the target’s filters exclude this token."
    )
    underflow = made(replace(WITH, q=0.0), draw=None)
    assert position_of(underflow, 0).sentence() == "Accepted because u = 0.331 is at or below p/q = ∞."


def test_a_free_draw_says_what_it_follows() -> None:
    bonus = made(*[WITH] * 4, draw=replace(JOINS, source=Source.BONUS))
    assert position_of(bonus, 4).title == "Round 147, after 4 drafts"
    assert position_of(bonus, 4).sentence() == "All 4 drafts were accepted; this token is a free draw from p."
    plain = made(draw=replace(JOINS, source=Source.PLAIN))
    assert position_of(plain, 0).sentence() == "A plain step: nothing was drafted, so this token is a free draw from p."
    paused = made(draw=replace(JOINS, source=Source.PLAIN), paused=True)
    assert "the drafter paused" in position_of(paused, 0).sentence()
    first = made(draw=replace(JOINS, source=Source.PREFILL), index=0)
    assert position_of(first, 0).sentence().startswith("The first token after the prompt")
    forced = made(draw=replace(JOINS, source=Source.FORCED))
    assert position_of(forced, 0).sentence() == "Your choice: the reply was branched here with “·joins”."


@pytest.mark.parametrize("rule", [RuleId.SAMPLER_MATCH, RuleId.SAMPLER_MATCH_NO_Q])
def test_sampler_match_names_both_tokens(rule: RuleId) -> None:
    drawn = replace(JOINS, source=Source.TARGET)
    round_ = made(replace(WITH, u=None, drawn=5), replace(MERGES, u=None, drawn=12), draw=drawn, rule=rule)
    assert position_of(round_, 0).sentence() == "Accepted: the target’s own draw is the same token, “·with”."
    assert position_of(round_, 1).sentence() == (
        "Rejected: the target drew “·joins”, not “·merges”; the draw is emitted."
    )
    assert position_of(round_, 1).comparison() == "draft = target’s draw is false"


def test_greedy_and_the_biased_rule_compare_with_the_argmax() -> None:
    drawn = replace(JOINS, source=Source.TARGET)
    drafts = replace(WITH, u=None), replace(MERGES, u=None)
    greedy = made(*drafts, draw=drawn, rule=RuleId.GREEDY_ARGMAX)
    assert position_of(greedy, 0).sentence() == "Accepted: the draft is the target’s argmax."
    assert "argmax is “·joins”, not “·merges”" in position_of(greedy, 1).sentence()
    biased = made(*drafts, draw=drawn, rule=RuleId.ARGMAX_AGAINST_ARGMAX)
    assert position_of(biased, 1).sentence().endswith("the argmax is emitted, whatever the temperature.")


def test_a_comparison_never_shows_two_equal_numbers_that_differ() -> None:
    assert apart(0.38341, 0.38349) == ("0.3834", "0.3835")
    assert apart(0.5, 0.5) == ("0.500", "0.500")
    assert position_of(REJECTED, 2).comparison() == "u·q(t) ≤ p(t): 0.289 ≤ 0.158 is false"


def test_what_was_drafted_and_drawn_is_among_the_candidates_however_few_are_shown() -> None:
    odds = position_of(REJECTED, 2).odds(2)
    assert [(o.text, o.mark) for o in odds] == [("·joins", Source.RESIDUAL), ("·merges", Fate.REJECTED)]
    late = Candidates((13, 11, 12), (0.5, 0.3, 0.1), None, (" treats", " merges", " joins"))
    bonus = made(WITH, draw=replace(JOINS, source=Source.BONUS), row=late)
    assert [o.text for o in position_of(bonus, 1).odds(2)] == ["·treats", "·joins"]


def test_the_popover_of_a_replacement_names_the_draft_and_its_test() -> None:
    position = position_of(REJECTED, 2)
    assert popover_sentence(position) == "Round 147, position 3. The drafter offered ·merges, which was rejected."
    assert popover_figures(position) == "u 0.702 > p/q 0.383 (p 0.158, q 0.412)"


def test_a_draw_that_ended_the_text_says_so() -> None:
    ended = replace(made(MERGES, draw=replace(JOINS, text="")), emitted=())
    assert "then drew “end of text”" in position_of(ended, 0).sentence()
