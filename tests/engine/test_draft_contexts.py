"""A draft model of any cache family is put back exactly: its tokens and the owed ones are the target's, every round."""

from __future__ import annotations

import mlx.core as mx
import pytest

from draftlens.core.params import SamplingParams
from draftlens.core.rules import RuleId
from draftlens.engine.drafters.draft_model import DraftModel
from draftlens.engine.keys import Keys
from draftlens.engine.sampling import Chain
from draftlens.engine.session import Session
from draftlens.engine.target import DraftContext, Target
from engine.checks import assert_in_step, assert_same_text, naive
from engine.families import FAMILIES, VOCABULARY, model
from engine.toys import GREEDY, run

TOKENS = 20
PROMPT = [(7 * i * i + 3) % VOCABULARY for i in range(12)]


def both_in_step(session: Session) -> None:
    drafter = session.drafter
    assert isinstance(drafter, DraftModel)
    assert_in_step(session.target)
    assert_in_step(drafter.context)
    assert drafter.context.tokens + drafter.owed(session.target.tokens) == session.target.tokens


@pytest.mark.parametrize("k", [1, 2, 5])
@pytest.mark.parametrize("family", FAMILIES)
def test_drafting_with_another_model_of_the_family_gives_the_plain_text(family: str, k: int) -> None:
    made = model(family)
    truth = naive(made, PROMPT, TOKENS)
    # The same weights accept nearly everything, other weights almost nothing.
    for seed in (0, 1):
        drafter = DraftModel(DraftContext(model(family, seed)), Chain(GREEDY, VOCABULARY), Keys(0))
        reply = run(Target(made), drafter, PROMPT, after=both_in_step, max_tokens=TOKENS, k=k)
        assert_same_text(made, PROMPT, reply.tokens, truth)


@pytest.mark.parametrize("rule", [RuleId.SAMPLER_MATCH, RuleId.STOCHASTIC])
@pytest.mark.parametrize("family", FAMILIES)
def test_at_temperature_a_warm_draft_context_is_in_step_after_every_kind_of_round(family: str, rule: RuleId) -> None:
    """The drafter is the target at a temperature near and far: blocks are accepted whole, in part, and not at all."""
    made, lengths = model(family), set()
    for target_temperature, draft_temperature in ((0.2, 0.2), (1.2, 0.5)):
        keys = Keys(5)
        drafter = DraftModel(DraftContext(made), Chain(SamplingParams(temperature=draft_temperature), VOCABULARY), keys)
        warm = SamplingParams(temperature=target_temperature)
        reply = run(
            Target(made), drafter, PROMPT, sampling=warm, keys=keys, after=both_in_step, max_tokens=20, k=3, rule=rule
        )
        lengths |= {r.accepted for r in reply.rounds if r.proposals}
    assert lengths >= {0, 3}


@pytest.mark.parametrize("family", FAMILIES)
def test_sampler_match_gives_the_very_text_of_plain_decoding_at_the_same_seed(family: str) -> None:
    made, warm = model(family), SamplingParams(temperature=0.8, min_p=0.02)
    for seed in (1, 2):
        plain = run(Target(made), None, PROMPT, sampling=warm, seed=seed, max_tokens=TOKENS).tokens
        keys = Keys(seed)
        drafter = DraftModel(DraftContext(made), Chain(warm, VOCABULARY), keys)
        assert run(Target(made), drafter, PROMPT, sampling=warm, keys=keys, max_tokens=TOKENS).tokens == plain


def test_a_drafter_with_the_targets_weights_and_penalties_is_always_right() -> None:
    """Its rows see its own drafts, as the target's rows see them."""
    penalties = SamplingParams(temperature=0, repetition_penalty=1.5, repetition_window=6, presence_penalty=0.5)
    made = model("qwen3")
    drafter = DraftModel(DraftContext(made), Chain(penalties, VOCABULARY), Keys(0))
    reply = run(Target(made), drafter, PROMPT, sampling=penalties, max_tokens=31, k=5)
    assert [r.accepted for r in reply.rounds] == [0, 5, 5, 5, 5, 5]


def test_between_tokens_that_tie_exactly_any_may_be_taken_and_nothing_else_differs() -> None:
    """Every token has a twin of the same weights, so that each row ties at its top: only twins may be exchanged."""
    made, twin = model("qwen3", seed=9), VOCABULARY // 2
    for part in (made.network.lm_head, made.network.model.embed_tokens):
        part.weight = mx.concatenate([part.weight[:twin], part.weight[:twin]])
    truth = naive(made, PROMPT, TOKENS)
    assert len({t % twin for t in truth}) > 3
    for k in (1, 2, 3, 4):
        for draft in (made, model("qwen3", 1)):
            drafter = DraftModel(DraftContext(draft), Chain(GREEDY, VOCABULARY), Keys(0))
            reply = run(Target(made), drafter, PROMPT, max_tokens=TOKENS, k=k)
            assert [t % twin for t in reply.tokens] == [t % twin for t in truth]
    # What tells a tie from a fault forgives the twin and not the neighbour.
    assert_same_text(made, PROMPT, [*truth[:-1], (truth[-1] + twin) % VOCABULARY], truth)
    with pytest.raises(AssertionError, match=f"token {TOKENS - 1} differs"):
        assert_same_text(made, PROMPT, [*truth[:-1], (truth[-1] + 1) % VOCABULARY], truth)


@pytest.mark.parametrize("family", FAMILIES)
def test_the_next_turn_reuses_what_both_contexts_hold_and_says_the_same(family: str) -> None:
    made = model(family)
    target, context = Target(made), DraftContext(model(family, 1))

    def turn(target: Target, context: DraftContext, prompt: list[int]) -> tuple[list[int], int]:
        drafter = DraftModel(context, Chain(GREEDY, VOCABULARY), Keys(0))
        reply = run(target, drafter, prompt, after=both_in_step, max_tokens=10, k=3)
        return reply.tokens, reply.session.cached

    first, _ = turn(target, context, PROMPT)
    longer = [*PROMPT, *first, 5, 9, 33]
    again, cached = turn(target, context, longer)
    assert cached >= len(PROMPT) + len(first) - 1
    fresh, nothing = turn(Target(made), DraftContext(model(family, 1)), longer)
    assert nothing == 0
    assert_same_text(made, longer, again, fresh)
    # A prompt that departs from what is held: trimmed where caches can be, read anew where they cannot.
    other = [*PROMPT[:6], 1, 2, 3]
    changed, kept = turn(target, context, other)
    assert kept == (6 if family == "qwen3" else 0)
    assert_same_text(made, other, changed, naive(made, other, 10))


@pytest.mark.parametrize("context", [8, 18])
def test_beyond_its_own_context_a_draft_model_proposes_nothing_and_the_text_goes_on(context: int) -> None:
    made = model("qwen3")
    drafter = DraftModel(DraftContext(model("qwen3", context=context)), Chain(GREEDY, VOCABULARY), Keys(0))
    reply = run(Target(made), drafter, PROMPT, max_tokens=TOKENS, k=2)
    assert reply.tokens == naive(made, PROMPT, TOKENS)
    assert all(r.context + r.drafted <= context for r in reply.rounds if r.proposals)
    assert reply.rounds[-1].proposals == ()
    first = next(r for r in reply.rounds[1:] if not r.proposals)
    assert drafter.note == (
        f"the draft model {drafter.context.model.name} reads {context} tokens at most, "
        f"so from token {first.position + 1} of the reply on nothing was drafted"
    )


def test_within_its_own_context_a_draft_model_has_nothing_to_note() -> None:
    drafter = DraftModel(DraftContext(model("qwen3")), Chain(GREEDY, VOCABULARY), Keys(0))
    run(Target(model("qwen3")), drafter, PROMPT, max_tokens=TOKENS, k=2)
    assert drafter.note is None
