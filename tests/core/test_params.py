"""Every bad setting is one sentence that names it, its value and what it must be; every good one is taken as it is."""

from __future__ import annotations

import math
from typing import Any

import pytest

from draftlens.core.errors import BadRow, BugError, UserError
from draftlens.core.params import LookupParams, SamplingParams, SessionParams
from draftlens.core.rules import RuleId

INF, NAN = math.inf, math.nan


def refusal(kind: type[SamplingParams | LookupParams | SessionParams], **values: Any) -> str:
    with pytest.raises(UserError) as refused:
        kind(**values)
    assert refused.value.exit_code == 2
    return str(refused.value)


@pytest.mark.parametrize(
    ("name", "bad", "bound"),
    [
        ("temperature", [-0.1, 100.1, NAN, INF, -INF, "hot", None, True], "at least 0 and at most 100"),
        ("top_p", [0, -0.1, 1.0000001, 1.5, NAN], "above 0 and at most 1"),
        ("min_p", [-0.1, 1.1, NAN], "at least 0 and at most 1"),
        ("xtc_probability", [-0.1, 1.1, NAN], "at least 0 and at most 1"),
        ("xtc_threshold", [-0.1, 1.1, NAN], "at least 0 and at most 1"),
        ("repetition_penalty", [0, -1, NAN, 101], "above 0 and at most 100"),
        ("frequency_penalty", [-101, 101, NAN], "at least -100 and at most 100"),
        ("presence_penalty", [-101, 101, NAN], "at least -100 and at most 100"),
    ],
)
def test_a_number_out_of_range_is_refused(name: str, bad: list[Any], bound: str) -> None:
    for value in bad:
        assert refusal(SamplingParams, **{name: value}) == f"{name} is {value}, but must be a number {bound}."


def test_a_penalty_that_nothing_can_be_divided_by_is_refused() -> None:
    assert "which is too close to 0 to divide by." in refusal(SamplingParams, repetition_penalty=1e-320)
    assert SamplingParams(repetition_penalty=0.001).repetition_penalty == 0.001


@pytest.mark.parametrize("name", ["top_k", "repetition_window", "penalty_window"])
@pytest.mark.parametrize("value", [-1, 1.5, NAN, "3", None, True])
def test_a_count_that_is_no_whole_number_or_negative_is_refused(name: str, value: Any) -> None:
    extra = " (0 is off)" if name == "top_k" else ""
    assert refusal(SamplingParams, **{name: value}) == (
        f"{name} is {value}, but must be a whole number of at least 0{extra}."
    )


@pytest.mark.parametrize(
    "values",
    [
        {"temperature": 0},
        {"temperature": 100},
        {"top_p": 1},
        {"top_p": 1e-9},
        {"min_p": 1},
        {"top_k": 10**9},
        {"repetition_penalty": 0.5},
        {"frequency_penalty": -2.0},
        {"logit_bias": ((0, -INF), (1, 1e9), (2, -100))},
    ],
)
def test_the_ends_of_every_range_are_inside(values: dict[str, Any]) -> None:
    SamplingParams(**values)


def test_a_bias_that_is_no_token_or_no_number_is_refused_by_name() -> None:
    assert refusal(SamplingParams, logit_bias=((-1, 100.0),)) == (
        "logit_bias names -1, which is not a token id. Use ids of 0 and above."
    )
    assert "logit_bias names 'abc'" in refusal(SamplingParams, logit_bias=(("abc", 1.0),))
    for bias in (NAN, INF, None, "1", 1e39):
        assert refusal(SamplingParams, logit_bias=((5, bias),)) == (
            f"logit_bias for token 5 is {bias}, which is not a number to add."
        )


@pytest.mark.parametrize(("k", "ok"), [(-1, False), (0, True), (64, True), (65, False), (2.0, False)])
def test_k_is_0_to_64(k: Any, ok: bool) -> None:
    if ok:
        assert SessionParams(k=k).k == k
    else:
        assert refusal(SessionParams, k=k) == (
            f"k (draft tokens a round) is {k}, but must be a whole number of at least 0 and at most 64."
        )


def test_the_other_session_settings_are_checked_too() -> None:
    assert refusal(SessionParams, max_tokens=-1) == "max_tokens is -1, but must be a whole number of at least 0."
    assert refusal(SessionParams, seed=-1).startswith("seed is -1, but must be a whole number of at least 0")
    assert refusal(SessionParams, seed=2**64).startswith("seed is ")
    assert refusal(SessionParams, draft_temperature=NAN).startswith("draft temperature is nan, but must be a number")
    assert "Drafter 'medusa' is not known." in refusal(SessionParams, drafter="medusa")
    SessionParams(seed=2**64 - 1, draft_temperature=0)


@pytest.mark.parametrize("rule", [RuleId.GREEDY_ARGMAX, RuleId.SAMPLER_MATCH_NO_Q])
def test_a_rule_that_only_follows_from_other_settings_cannot_be_asked_for(rule: RuleId) -> None:
    assert refusal(SessionParams, rule=rule) == (
        f"rule={rule} cannot be asked for. Choose one of sampler-match, stochastic, argmax-against-argmax; "
        "temperature 0 is greedy."
    )


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"ngram_min": 0}, "prompt-lookup ngram-min must be at least 1."),
        ({"ngram_min": 4, "ngram_max": 3}, "prompt-lookup ngram-max (3) must be >= ngram-min (4)."),
        ({"ngram_max": 17}, "prompt-lookup ngram-max (17) must be at most 16."),
        ({"max_draft": 0}, "prompt-lookup max-draft must be at least 1."),
        ({"max_draft": 65}, "prompt-lookup max-draft must be at most 64."),
        ({"policy": "eager"}, "prompt-lookup policy 'eager' is not known. Use graded or gated."),
        ({"floor": 0.5}, "prompt-lookup floor is 0.5, but must be a number at least 1 and at most 65."),
        ({"floor": NAN}, "prompt-lookup floor is nan, but must be a number at least 1 and at most 65."),
    ],
)
def test_the_lookup_settings_and_their_sentences(values: dict[str, Any], sentence: str) -> None:
    assert refusal(LookupParams, **values) == sentence


def test_the_lookup_defaults_are_two_to_three_tokens_seven_drafted_graded() -> None:
    made = LookupParams()
    assert (made.ngram_min, made.ngram_max, made.max_draft, made.policy, made.adaptive, made.floor) == (
        2, 3, 7, "graded", True, None,
    )  # fmt: skip
    LookupParams(ngram_min=1, ngram_max=16, max_draft=64, floor=65)


def test_history_matters_only_to_a_penalty_that_is_on_and_has_a_window() -> None:
    assert not SamplingParams().needs_history
    assert SamplingParams(repetition_penalty=1.1).needs_history
    assert not SamplingParams(repetition_penalty=1.1, repetition_window=0).needs_history
    assert SamplingParams(presence_penalty=0.1).needs_history
    assert not SamplingParams(frequency_penalty=0.1, penalty_window=0).needs_history


def test_errors_say_the_sentence_then_the_next_step_and_carry_their_exit_code() -> None:
    assert str(UserError("It broke.", "Mend it.")) == "It broke. Mend it."
    assert str(UserError("It broke.")) == "It broke."
    assert (UserError("x").exit_code, BadRow("x").exit_code, BugError("x").exit_code) == (2, 1, 70)
