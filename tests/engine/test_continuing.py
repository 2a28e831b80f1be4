"""A stopped reply goes on as it would have; a forward built ahead of its token is never seen before its time."""

from __future__ import annotations

import pytest

from draftlens.core.params import LookupParams, SamplingParams, SessionParams
from draftlens.core.round import FinishReason, Round, Source
from draftlens.engine.drafters.prompt_lookup import PromptLookup
from draftlens.engine.drafters.protocol import Drafter
from draftlens.engine.keys import Keys
from draftlens.engine.session import Session
from draftlens.engine.target import Target
from engine.checks import assert_in_step, naive
from engine.families import model as family
from engine.toys import Induction, Reply, Scripted, run, toy

PROMPT = [3, 1, 4, 1, 5, 9, 2, 6]
WARM = SamplingParams(temperature=1.0)


def lookup() -> Drafter:
    return PromptLookup(LookupParams(ngram_min=1))


def continued(reply: Reply, drafter: Drafter | None) -> list[Round]:
    """Continue a reply on its own context, with the same seed."""
    asked = reply.session.params
    session = Session(reply.session.target, drafter, asked, Keys(asked.seed or 0))
    return list(session.rounds(PROMPT, written=reply.tokens, first_round=len(reply.rounds)))


@pytest.mark.parametrize("drafted", [False, True])
def test_a_stopped_reply_goes_on_as_it_would_have(drafted: bool) -> None:
    model = toy(Induction(11, latest=True), 11)
    whole = run(Target(model), lookup() if drafted else None, PROMPT, sampling=WARM, max_tokens=24)
    part = run(Target(model), lookup() if drafted else None, PROMPT, sampling=WARM, max_tokens=12)
    assert part.tokens == whole.tokens[:12]
    rest = [e.token for r in continued(part, lookup() if drafted else None) for e in r.emitted]
    assert part.tokens + rest == whole.tokens


def test_the_first_round_of_a_continuation_follows_the_rounds_before_it() -> None:
    model = toy(Induction(11, latest=True), 11)
    part = run(Target(model), None, PROMPT, max_tokens=5)
    rounds = continued(part, None)
    assert [r.index for r in rounds] == list(range(5, 10))
    assert [r.position for r in rounds] == list(range(5, 10))
    assert {e.source for r in rounds for e in r.emitted} == {Source.PLAIN}


@pytest.mark.parametrize(("name", "ahead"), [("qwen3", False), ("qwen3", True), ("lfm2", True), ("gemma4_text", True)])
def test_plain_steps_keep_the_caches_exact_after_every_round_and_the_context_fit_for_the_next_reply(
    name: str, ahead: bool
) -> None:
    model = family(name)
    target = Target(model, looks_ahead=ahead)
    for count in (9, 1, 14):
        reply = run(target, None, PROMPT, max_tokens=count, after=lambda session: assert_in_step(session.target))
        assert reply.tokens == naive(model, PROMPT, count)


def test_a_forward_built_ahead_is_dropped_when_the_drafter_has_a_proposal_after_all() -> None:
    model = family("qwen3")
    truth = naive(model, PROMPT, 12)
    drafter = Scripted([[], [], truth[3:6], [], truth[7:9]])
    drafter.idle = True
    reply = run(
        Target(model, looks_ahead=True),
        drafter,
        PROMPT,
        max_tokens=12,
        after=lambda session: assert_in_step(session.target),
    )
    assert reply.tokens == truth
    assert sum(r.accepted for r in reply.rounds) > 0


@pytest.mark.parametrize("drafted", [False, True])
def test_a_forced_token_makes_a_round_of_its_own_and_the_reply_goes_on_from_it(drafted: bool) -> None:
    model = toy(Induction(11, latest=True), 11)
    part = run(Target(model), lookup() if drafted else None, PROMPT, max_tokens=6)
    other = (part.tokens[3] + 1) % 11
    asked = part.session.params
    session = Session(part.session.target, lookup() if drafted else None, asked, Keys(0), lambda ids: "x" * len(ids))
    rounds = list(session.rounds(PROMPT, written=part.tokens[:3], first_round=2, forced=other))
    first = rounds[0]
    assert (first.index, first.position, first.text) == (2, 3, "x")
    assert [(e.token, e.source) for e in first.emitted] == [(other, Source.FORCED)]
    assert (first.forward, first.timings.total) == (False, 0)
    rest = [e.token for r in rounds[1:] for e in r.emitted]
    assert rest == naive(model, [*PROMPT, *part.tokens[:3], other], 6)


def test_a_forced_end_of_text_ends_the_reply_and_is_not_shown() -> None:
    model = toy(Induction(11, latest=True), 11, end=frozenset({7}))
    session = Session(Target(model), None, SessionParams(max_tokens=5), Keys(0))
    (made,) = session.rounds(PROMPT, written=[1], first_round=1, forced=7)
    assert made.emitted == ()
    assert made.finish is session.finish is FinishReason.END_OF_TEXT
