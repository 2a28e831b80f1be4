"""What is concluded in words, and what is not: the texts people read under and above the table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from compare.made import BASE, RULES, comparison, fill, play, played
from draftlens.compare import metrics
from draftlens.compare.arms import ArmSettings
from draftlens.compare.cells import Cells, rows
from draftlens.compare.comparison import Comparison
from draftlens.compare.plan import Plan
from draftlens.compare.readings import basis, notes
from draftlens.compare.same_law import law_check
from draftlens.compare.table import table
from draftlens.compare.verdicts import text_sentence, text_verdict, unexplained
from draftlens.core.events import Differed
from draftlens.core.params import SamplingParams
from draftlens.core.round import Emitted, Round, Source
from draftlens.core.rules import RuleId

GREEDY = replace(BASE, sampling=SamplingParams(temperature=0))


def by_name(made: Comparison, arm: int = 1) -> dict[str, Cells]:
    return {cells.name: cells for cells in rows(table(made), made, arm)}


def with_arms(made: Comparison, *arms: ArmSettings) -> Comparison:
    return replace(made, plan=Plan(arms, made.plan.prompts, made.plan.seeds))


def test_the_table_has_every_row_of_the_design_in_its_order() -> None:
    assert list(by_name(played())) == [
        "tok/s",
        "per_position_acceptance",
        "closed form for its rule",
        "mean_accepted_len",
        "tokens / target forward",
        "time to first token",
        "acceptance_rate",
    ]


def test_before_the_first_round_no_row_claims_anything() -> None:
    assert {cells.reading for cells in by_name(comparison()).values()} == {"nothing measured yet"}


def test_acceptance_rate_has_no_difference_and_says_why() -> None:
    cells = by_name(played())["acceptance_rate"]
    assert (cells.delta, cells.interval, cells.badge) == ("–", "–", "not comparable across arms")
    assert cells.reading.startswith("tested ") and cells.reading.endswith(" of each block")
    made = comparison()
    longer = replace(made.plan.arms[1], params=replace(made.plan.arms[1].params, k=6))
    made = with_arms(made, made.plan.arms[0], longer)
    for arm, rule in enumerate(RULES):
        fill(made, 0, arm, play(np.random.default_rng(arm), rule))
    assert by_name(made)["acceptance_rate"].reading == "k = 4 and k = 6"
    assert by_name(made)["mean_accepted_len"].suffix == ""


def test_each_arm_is_held_against_its_own_closed_form() -> None:
    cells = by_name(played(seeds=4))["closed form for its rule"]
    assert cells.values == ("sum_prod 0.5000", "sum_min 0.7000")
    assert cells.reading.startswith("each sits at its own form (z = ") or cells.reading[:3] in ("A: ", "B: ")


def test_a_speed_that_shows_no_difference_is_not_called_one() -> None:
    equal = played((RuleId.STOCHASTIC,) * 2, 8, alike=True)
    assert by_name(equal)["tok/s"].reading.endswith("no difference shown")
    slower = played((RuleId.STOCHASTIC,) * 2, 8, (1.0, 1.5), alike=True)
    assert by_name(slower)["tok/s"].reading == "B is 0.67× A"


def test_it_is_said_what_the_intervals_rest_on() -> None:
    for made, words in (
        (played(), "rounds of one seed (moving-block bootstrap)"),
        (played(seeds=3), "3 paired seeds"),
    ):
        assert words in basis(table(made), made)


def test_while_nothing_is_measured_every_figure_is_a_dash() -> None:
    cells = by_name(comparison())
    assert all(value == "–" for c in cells.values() for value in (*c.values, c.delta, c.interval))


def sentences(made: Comparison) -> list[tuple[str, str]]:
    return [(note.sentence, note.tone) for note in notes(table(made), made)]


def test_different_rules_may_write_different_text() -> None:
    ((sentence, tone),) = sentences(played())
    assert sentence.endswith("Both are exact samples of the target, so different text is expected.")
    assert tone == "none"


def test_the_same_rule_in_both_arms_is_an_amber_note() -> None:
    ((sentence, tone),) = sentences(played((RuleId.STOCHASTIC,) * 2))
    assert sentence == "Both arms ran the same rule; this is not an A/B."
    assert tone == "warning"


def test_a_biased_arm_is_a_red_note_that_names_its_text() -> None:
    made = comparison((RuleId.STOCHASTIC, RuleId.ARGMAX_AGAINST_ARGMAX))
    for arm in range(2):
        fill(made, 0, arm, play(np.random.default_rng(arm), made.plan.arms[arm].rule))
    sentence, tone = sentences(made)[0]
    assert sentence.startswith("Arm B is biased: its text is the greedy stream, not a sample of the target")
    assert tone == "error"
    assert not any("exact samples" in words for words, _ in sentences(made))


def test_arms_that_sample_differently_are_said_to() -> None:
    made = comparison()
    hotter = replace(
        made.plan.arms[1], params=replace(made.plan.arms[1].params, sampling=SamplingParams(temperature=1))
    )
    made = with_arms(made, made.plan.arms[0], hotter)
    assert sentences(made)[0] == ("The arms sample differently: their texts follow different laws.", "warning")
    assert table(made).headroom is None


def greedy(other: list[Round], first: list[Round]) -> Comparison:
    made = comparison(base=GREEDY)
    fill(made, 0, 0, first)
    fill(made, 0, 1, other)
    return made


def changed(rounds: list[Round], number: int) -> list[Round]:
    """The same reply with the first token of a round replaced."""
    one = rounds[number]
    return [*rounds[:number], replace(one, emitted=(Emitted(999, "?", *_rest(one)), *one.emitted[1:]))]


def _rest(one: Round) -> tuple[Source, float | None, float | None]:
    return one.emitted[0].source, one.emitted[0].p, one.emitted[0].w


def test_greedy_arms_that_agree_are_called_identical_with_their_length() -> None:
    rounds = play(np.random.default_rng(1), RuleId.GREEDY_ARGMAX, 20)
    made = greedy(rounds, rounds)
    tokens = len(made.reply(0, 0).tokens)
    assert sentences(made) == [(f"Temperature 0. A and B: identical, {tokens} tokens.", "ok")]
    assert not unexplained(made)


@pytest.mark.parametrize("explained", [True, False])
def test_greedy_arms_that_part_name_token_margin_logits_and_what_explains_it(explained: bool) -> None:
    rounds = play(np.random.default_rng(1), RuleId.GREEDY_ARGMAX, 20)
    made = greedy(changed(rounds, 5), rounds)
    place = sum(len(r.emitted) for r in rounds[:5])
    assert text_verdict(made, 0, 1).position == place
    assert unexplained(made)
    made.differ(0, Differed(0, 0, 1, place, (1, 2), (" a", " b"), (9.5, 9.25), (9.5, 9.2), (9.3, 9.4), explained))
    ((sentence, tone),) = sentences(made)
    assert f"first difference at token {place + 1}, margin 0.25 (logits 9.5000 for ' a', 9.2500 for ' b')" in sentence
    assert ("explains it" in sentence and tone == "warning") if explained else tone == "error"
    assert unexplained(made) is not explained


def test_a_shorter_reply_parts_where_it_ends() -> None:
    rounds = play(np.random.default_rng(1), RuleId.GREEDY_ARGMAX, 20)
    made = greedy(rounds[:-1], rounds)
    assert text_verdict(made, 0, 1).position == len(made.reply(0, 1).tokens)


def test_samples_that_part_are_as_expected() -> None:
    assert "as expected of samples" in text_sentence(played(), 0, 1)


def laws(seeds: int, other: tuple[float, ...]) -> Comparison:
    """Two arms whose second token follows (0.5, 0.3, 0.2) and `other`."""
    made = comparison(seeds=seeds)
    random = np.random.default_rng(9)
    for trial in range(seeds):
        for arm, law in enumerate(((0.5, 0.3, 0.2), other)):
            rounds = play(random, RULES[arm], 3)
            token = int(random.choice(3, p=law))
            first = replace(rounds[1], emitted=(Emitted(token, "x", *_rest(rounds[1])), *rounds[1].emitted[1:]))
            fill(made, trial, arm, [rounds[0], first, *rounds[2:]])
    return made


def test_arms_of_the_same_law_are_not_told_apart_and_of_another_they_are() -> None:
    assert "no difference of law seen" in law_check(laws(100, (0.5, 0.3, 0.2)), 1, 1).sentence
    assert "do not sample the same thing" in law_check(laws(100, (0.1, 0.3, 0.6)), 1, 1).sentence


def test_the_first_token_is_the_same_in_every_trial_and_few_trials_say_nothing() -> None:
    assert law_check(laws(10, (0.5, 0.3, 0.2)), 1, 0).sentence.endswith("the same token in all 10 trials")
    assert "too few to compare laws" in law_check(laws(3, (0.1, 0.3, 0.6)), 1, 1).sentence


def test_the_law_check_is_wrong_about_equal_laws_no_more_often_than_it_says() -> None:
    random = np.random.default_rng(17)
    wrong = 0
    for _ in range(60):
        made = comparison(seeds=40)
        for trial in range(40):
            for arm in range(2):
                first = play(random, RULES[arm], 1)
                token = Emitted(int(random.choice(4)), "x", *_rest(first[1]))
                fill(made, trial, arm, [first[0], replace(first[1], emitted=(token,))])
        p = law_check(made, 1, 1).p_value
        assert p is not None
        wrong += p < 0.05
    assert wrong <= 8


def test_the_figures_of_a_running_comparison_are_those_of_its_first_trial() -> None:
    made = comparison(seeds=3)
    for arm, rule in enumerate(RULES):
        fill(made, 0, arm, play(np.random.default_rng(arm), rule, 12), over=False)
    shown = table(made)
    assert shown.trials == 1
    assert shown.row(metrics.PER_POSITION).values[0] is not None
    assert made.done < 1
