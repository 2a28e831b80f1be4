"""The proof passes the right rule and rejects the wrong one, on the real pair; it says where nothing is to prove."""

from __future__ import annotations

import pytest

from draftlens.core.errors import UserError
from draftlens.core.events import Cancelled
from draftlens.core.params import SamplingParams, SessionParams
from draftlens.core.proof import Proving
from draftlens.core.rules import RuleId
from draftlens.engine.proof import CONTEXTS, Proof
from engine.conftest import Pair


def test_the_loaded_pair_keeps_the_targets_law_and_the_wrong_rule_is_rejected(pair: Pair) -> None:
    seen: list[Proving] = []
    proof = Proof(*pair, SessionParams(rule=RuleId.STOCHASTIC))
    found = proof.run(5, seen.append, lambda: False, trials=90)
    assert found.own.fits, found.own.sentence()
    assert not found.wrong.fits, found.wrong.sentence()
    assert found.own.n >= 90 * len(CONTEXTS)
    assert (seen[0].done, seen[-1].done, seen[-1].total) == (0, 2 * 90 * len(CONTEXTS), 2 * 90 * len(CONTEXTS))
    assert {event.run for event in seen} == {5}


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        (SessionParams(sampling=SamplingParams(temperature=0)), "At temperature 0 nothing is drawn"),
        (SessionParams(drafter="none"), "Nothing is drafted (no drafter chosen)"),
        (SessionParams(k=0), "Nothing is drafted (k is 0)"),
    ],
)
def test_where_there_is_nothing_to_prove_it_says_so(pair: Pair, params: SessionParams, sentence: str) -> None:
    with pytest.raises(UserError) as refused:
        Proof(*pair, params)
    assert refused.value.sentence.startswith(sentence)


def test_a_proof_stops_between_two_trials(pair: Pair) -> None:
    calls: list[int] = []

    def cancelled() -> bool:
        calls.append(1)
        return len(calls) > 3

    with pytest.raises(Cancelled):
        Proof(*pair, SessionParams()).run(1, lambda p: None, cancelled)
    assert len(calls) == 4
