"""A stopped reply goes on as it would have; a forward built ahead of its token is never seen before its time."""

from __future__ import annotations

import pytest

from draftlens.core.params import LookupParams, SamplingParams
from draftlens.core.round import Round, Source
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


@pytest.mark.parametrize("name", ["qwen3", "lfm2", "gemma4_text"])
def test_plain_steps_keep_the_caches_exact_after_every_round_and_the_context_fit_for_the_next_reply(name: str) -> None:
    model = family(name)
    target = Target(model)
    for count in (9, 1, 14):
        reply = run(target, None, PROMPT, max_tokens=count, after=lambda session: assert_in_step(session.target))
        assert reply.tokens == naive(model, PROMPT, count)


def test_a_forward_built_ahead_is_dropped_when_the_drafter_has_a_proposal_after_all() -> None:
    model = family("qwen3")
    truth = naive(model, PROMPT, 12)
    drafter = Scripted([[], [], truth[3:6], [], truth[7:9]])
    drafter.idle = True
    reply = run(Target(model), drafter, PROMPT, max_tokens=12, after=lambda session: assert_in_step(session.target))
    assert reply.tokens == truth
    assert sum(r.accepted for r in reply.rounds) > 0
