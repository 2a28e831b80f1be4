"""Temperature 0 with any proposals is plain decoding, in every cache family, and the caches are right every round."""

from __future__ import annotations

import pytest

from draftlens.core.events import Cancelled
from draftlens.core.params import SamplingParams, SessionParams
from draftlens.core.round import FinishReason
from draftlens.engine.keys import Keys
from draftlens.engine.session import Session
from draftlens.engine.target import Model, Target
from engine.checks import assert_in_step, assert_same_text, each_round, naive
from engine.families import EXACT, TARGETS, VOCABULARY, model
from engine.toys import GREEDY, Adversary, Reply, run

KS = (1, 2, 4, 8)
PROMPTS = (3, 7, 8, 9, 33)
TOKENS = 24
PENALTIES = SamplingParams(
    temperature=0,
    repetition_penalty=1.4,
    repetition_window=5,
    frequency_penalty=0.6,
    presence_penalty=0.3,
    penalty_window=12,
)


def prompt_of(length: int) -> list[int]:
    return [(11 * i * i + 5 * i + length) % VOCABULARY for i in range(length)]


def attacked(made: Model, prompt: list[int], truth: list[int], k: int, sampling: SamplingParams | None = None) -> Reply:
    """Run against an adversary and look at the caches after every round."""
    adversary = Adversary(truth, VOCABULARY, rate=0.3, seed=k)
    return run(Target(made), adversary, prompt, sampling=sampling, after=each_round(), max_tokens=TOKENS, k=k)


def assert_same(
    family: str, made: Model, prompt: list[int], got: list[int], expected: list[int], sampling: SamplingParams = GREEDY
) -> None:
    if family in EXACT:
        assert got == expected
    assert_same_text(made, prompt, got, expected, sampling)


@pytest.mark.parametrize("length", PROMPTS)
@pytest.mark.parametrize("family", TARGETS)
def test_plain_decoding_is_what_the_network_alone_says(family: str, length: int) -> None:
    made, prompt = model(family), prompt_of(length)
    reply = run(Target(made), None, prompt, max_tokens=TOKENS, after=each_round())
    assert_same(family, made, prompt, reply.tokens, naive(made, prompt, TOKENS))


@pytest.mark.parametrize("k", KS)
@pytest.mark.parametrize("family", TARGETS)
def test_any_proposals_give_the_plain_text(family: str, k: int) -> None:
    made = model(family)
    for length in (3, 8, 33):
        prompt = prompt_of(length)
        truth = naive(made, prompt, TOKENS)
        assert len(set(truth)) > 3
        reply = attacked(made, prompt, truth, k)
        assert_same(family, made, prompt, reply.tokens, truth)
        fates = {p.fate for r in reply.rounds for p in r.proposals}
        assert {"accepted", "rejected"} <= fates


@pytest.mark.parametrize("k", KS)
@pytest.mark.parametrize("family", TARGETS)
def test_penalties_see_the_same_history_inside_a_block_as_token_by_token(family: str, k: int) -> None:
    made = model(family)
    for length in (3, 20):
        prompt = prompt_of(length)
        plain = run(Target(made), None, prompt, sampling=PENALTIES, max_tokens=TOKENS).tokens
        reply = attacked(made, prompt, plain, k, PENALTIES)
        assert_same(family, made, prompt, reply.tokens, plain, PENALTIES)


def test_penalties_change_the_text_so_that_the_test_above_means_something() -> None:
    made, prompt = model("qwen3"), prompt_of(20)
    plain = run(Target(made), None, prompt, sampling=PENALTIES, max_tokens=TOKENS).tokens
    assert plain != naive(made, prompt, TOKENS)


@pytest.mark.parametrize("family", TARGETS)
def test_a_reply_stopped_after_any_round_leaves_the_caches_in_step(family: str) -> None:
    made, prompt = model(family), prompt_of(9)
    truth = naive(made, prompt, TOKENS)
    for rounds in range(1, 6):
        target = Target(made)
        reply = stopped_after(target, Adversary(truth, VOCABULARY, rate=0.3, seed=rounds), prompt, rounds)
        assert reply.finish is FinishReason.STOPPED
        assert len(reply.rounds) == rounds
        assert_in_step(target)
        again = run(target, None, [*prompt, *reply.tokens], max_tokens=4)
        assert_same(family, made, prompt, (reply.tokens + again.tokens)[:TOKENS], truth[: len(reply.tokens) + 4])


def stopped_after(target: Target, drafter: Adversary, prompt: list[int], count: int) -> Reply:
    reply = Reply(Session(target, drafter, SessionParams(sampling=GREEDY, max_tokens=TOKENS, k=4), Keys(0)))
    for made in reply.session.rounds(prompt, cancelled=lambda: len(reply.rounds) == count):
        reply.rounds.append(made)
    return reply


@pytest.mark.parametrize("family", TARGETS)
def test_a_reply_stopped_while_the_prompt_is_read_keeps_whole_chunks(family: str) -> None:
    made, target, asked = model(family), Target(model(family)), []
    prompt = prompt_of(9)

    def after_one_chunk() -> bool:
        asked.append(target.position)
        return target.position > 0

    with pytest.raises(Cancelled):
        target.prefill([*prompt_of(300), *prompt_of(300)][:600], cancelled=after_one_chunk)
    assert asked == [0, 512]
    assert_in_step(target)
    assert_same(family, made, prompt, run(target, None, prompt, max_tokens=6).tokens, naive(made, prompt, 6))
