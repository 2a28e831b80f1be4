"""A Round is plain values: it survives JSON and pickle, and says what of its block was tested and accepted."""

from __future__ import annotations

import json
import pickle
from dataclasses import FrozenInstanceError, replace

import pytest

from draftlens.core.provenance import Provenance
from draftlens.core.round import Candidates, Emitted, Fate, FinishReason, Proposed, Round, Source, Timings
from draftlens.core.rules import RuleId


def whole_round() -> Round:
    seen = Candidates((5, 3), (0.6, 0.4), (0.1, 0.9))
    tested = Proposed(5, "é", 0.1, 0.6, 0.25, None, 0.5, 0.42, 0.5, Fate.ACCEPTED, seen)
    rejected = Proposed(3, " x", 0.9, 0.0, 0.75, 8, 0.5, 0.42, 0.5, Fate.REJECTED)
    untested = Proposed(4, "", None, None, None, None, None, None, None, Fate.UNTESTED)
    last = Emitted(8, "\n", Source.RESIDUAL, 0.2, 0.125)
    return Round(
        index=3,
        position=7,
        context=40,
        rule=RuleId.STOCHASTIC,
        drafter="classic",
        proposals=(tested, rejected, untested),
        emitted=(Emitted(5, "é", Source.DRAFT, 0.6, None), last),
        next=last,
        text="é\n",
        finish=FinishReason.STOP_STRING,
        paused=False,
        timings=Timings(1.5, 2.5, 0.25, 0.125),
        next_candidates=Candidates((8, 1), (0.7, 0.3), None),
    )


ENDED = replace(whole_round(), next=None, finish=None, next_candidates=None, proposals=())


@pytest.mark.parametrize("made", [whole_round(), ENDED])
def test_a_round_survives_json_and_pickle(made: Round) -> None:
    assert Round.from_json(json.loads(json.dumps(made.to_json()))) == made
    assert pickle.loads(pickle.dumps(made)) == made


def test_enums_come_back_as_themselves() -> None:
    back = Round.from_json(json.loads(json.dumps(whole_round().to_json())))
    assert back.rule is RuleId.STOCHASTIC
    assert back.finish is FinishReason.STOP_STRING
    assert back.proposals[1].fate is Fate.REJECTED
    assert back.emitted[0].source is Source.DRAFT


@pytest.mark.parametrize("version", [0, 2, None])
def test_a_record_of_another_version_is_refused(version: int | None) -> None:
    with pytest.raises(ValueError, match=f"version {version} is not 1"):
        Round.from_json({**whole_round().to_json(), "version": version})


def test_the_counts_of_a_block() -> None:
    made = whole_round()
    assert (made.drafted, made.tested, made.accepted) == (3, 2, 1)
    assert made.timings.total == 4.375


def test_a_round_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        whole_round().index = 4  # type: ignore[misc]


def test_provenance_gives_every_character_its_token() -> None:
    provenance = Provenance()
    provenance.add(whole_round())
    unfinished, finished = (Emitted(i, text, Source.PLAIN, 1.0, 0.0) for i, text in enumerate(("", "日本")))
    provenance.add(replace(whole_round(), index=4, emitted=(unfinished, finished)))
    assert provenance.spans == [(0, 1, 3, 0), (1, 2, 3, 1), (2, 4, 4, 1)]
    assert provenance.length == 4
