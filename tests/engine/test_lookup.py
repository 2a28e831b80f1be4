"""Prompt lookup finds the latest earlier match of the longest suffix, and the text is that of plain decoding."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draftlens.core.params import LookupParams, SamplingParams
from draftlens.core.rules import RuleId
from draftlens.core.stats import RunStats
from draftlens.engine.drafters.lookup_index import LookupIndex
from draftlens.engine.drafters.prompt_lookup import PromptLookup
from draftlens.engine.session import Session
from draftlens.engine.target import Target
from engine.toys import GREEDY, Induction, held, run, toy

VOCABULARY = 40


def find(tokens: list[int], longest: int, shortest: int, limit: int) -> list[int]:
    index = LookupIndex(shortest, longest)
    index.extend(tokens)
    return index.find(limit)


def scan(tokens: list[int], longest: int, shortest: int, limit: int) -> list[int]:
    """The definition itself: longest suffix first, latest earlier start, at least one token after it."""
    for n in range(min(longest, len(tokens) - 1), shortest - 1, -1):
        for start in range(len(tokens) - n - 1, -1, -1):
            if tokens[start : start + n] == tokens[-n:]:
                return tokens[start + n : start + n + limit]
    return []


@pytest.mark.parametrize(
    ("tokens", "longest", "shortest", "limit", "found"),
    [
        ([9, 1, 2, 3, 4, 5, 6, 8, 1, 2], 2, 1, 3, [3, 4, 5]),
        ([1, 2, 3, 4, 1, 2], 3, 2, 7, [3, 4, 1, 2]),
        ([7, 7, 7, 7], 2, 1, 5, [7]),
        ([1, 1], 3, 1, 7, [1]),
        ([1, 2, 3, 9, 5, 3, 8, 1, 2, 3], 3, 1, 2, [9, 5]),  # a longer match beats a later, shorter one
        ([1, 2, 3, 1, 2, 4, 1, 2], 2, 2, 1, [4]),  # of equal length the latest wins
        ([1, 2, 3, 4], 3, 2, 7, []),
        ([5], 3, 1, 7, []),
        ([], 3, 1, 7, []),
    ],
)
def test_the_finders_examples(tokens: list[int], longest: int, shortest: int, limit: int, found: list[int]) -> None:
    assert find(tokens, longest, shortest, limit) == found == scan(tokens, longest, shortest, limit)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(
    st.lists(st.integers(0, 3), max_size=40),
    st.integers(1, 4),
    st.integers(0, 3),
    st.integers(1, 9),
    st.lists(st.integers(1, 7), max_size=8),
)
def test_the_index_says_what_a_scan_says_however_the_tokens_arrive(
    tokens: list[int], shortest: int, more: int, limit: int, pieces: list[int]
) -> None:
    index = LookupIndex(shortest, shortest + more)
    fed = 0
    for size in [*pieces, len(tokens)]:
        index.extend(tokens[fed : fed + size])
        fed = min(len(tokens), fed + size)
        assert index.find(limit) == scan(tokens[:fed], shortest + more, shortest, limit)


CONFIGS = [
    LookupParams(),
    LookupParams(policy="gated"),
    LookupParams(ngram_min=1, ngram_max=1, max_draft=3),
    LookupParams(adaptive=False, max_draft=12, ngram_min=1),
    LookupParams(policy="gated", floor=3.0, ngram_max=5),
]


def tokens_prompt(seed: int) -> list[int]:
    random = Random(seed)
    return [random.randrange(VOCABULARY) for _ in range(48)]


def cache_is_the_text(session: Session) -> None:
    assert held(session.target.caches[0]) == session.target.tokens


@pytest.mark.parametrize("latest", [True, False])
@pytest.mark.parametrize("config", CONFIGS)
def test_the_text_is_that_of_plain_decoding(config: LookupParams, latest: bool) -> None:
    drafted = 0
    for seed in range(6):
        prompt = tokens_prompt(seed)
        for sampling in (GREEDY, SamplingParams(temperature=0, repetition_penalty=1.3, repetition_window=3)):
            made = toy(Induction(VOCABULARY, latest=latest), VOCABULARY)
            plain = run(Target(made), None, prompt, sampling=sampling, max_tokens=96)
            fast = run(
                Target(made), PromptLookup(config), prompt, sampling=sampling, max_tokens=96, after=cache_is_the_text
            )
            assert fast.tokens == plain.tokens
            drafted += sum(bool(r.proposals) for r in fast.rounds)
            assert len(fast.rounds) < 97
    assert drafted > 30


@pytest.mark.parametrize("policy", ["graded", "gated"])
def test_at_temperature_the_text_is_that_of_plain_decoding_at_the_same_seed(policy: str) -> None:
    warm = SamplingParams(temperature=2.5)
    config = LookupParams(policy="graded" if policy == "graded" else "gated", ngram_min=1)
    accepted = 0
    for seed in range(4):
        made, prompt = toy(Induction(VOCABULARY, latest=True), VOCABULARY), tokens_prompt(seed)
        plain = run(Target(made), None, prompt, sampling=warm, seed=seed, max_tokens=96).tokens
        fast = run(Target(made), PromptLookup(config), prompt, sampling=warm, seed=seed, max_tokens=96)
        assert fast.tokens == plain
        accepted += sum(r.accepted for r in fast.rounds)
    assert accepted > 10


def test_asked_for_stochastic_lookup_runs_sampler_match_and_says_why() -> None:
    made, prompt = toy(Induction(VOCABULARY, latest=True), VOCABULARY), tokens_prompt(1)
    reply = run(
        Target(made),
        PromptLookup(LookupParams()),
        prompt,
        sampling=SamplingParams(temperature=1),
        rule=RuleId.STOCHASTIC,
        max_tokens=20,
    )
    assert {r.rule for r in reply.rounds} == {RuleId.SAMPLER_MATCH_NO_Q}
    for proposal in (p for r in reply.rounds for p in r.proposals if p.fate != "untested"):
        assert proposal.q == 1
        assert proposal.sum_min == proposal.sum_prod == proposal.expected == proposal.p


def test_lookup_needs_no_end_of_text_id_and_none_of_its_proposals_outruns_the_budget() -> None:
    prompt = [1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6, 1, 2]
    for budget in (1, 2, 3, 5):
        made = toy(Induction(VOCABULARY, latest=True), VOCABULARY)
        reply = run(Target(made), PromptLookup(LookupParams()), prompt, max_tokens=budget)
        assert reply.tokens == [3, 4, 5, 6, 1, 2][:budget]
        # The last token that fits is the target's own draw: proposing it too would win nothing.
        left = [budget - sum(len(r.emitted) for r in reply.rounds[:i]) for i in range(len(reply.rounds))]
        assert all(r.drafted <= room - 1 for r, room in zip(reply.rounds, left, strict=True))
        assert any(r.proposals for r in reply.rounds) is (budget > 2)
        assert reply.finish == "length"


PASSAGE = list(range(100, 130))
NEW = list(range(200, 230))


def replay(config: LookupParams, prompt: list[int], text: list[int]) -> tuple[PromptLookup, RunStats]:
    """Drive the drafter alone through a known text, as a greedy target would."""
    drafter, stats = PromptLookup(config), RunStats()
    drafter.begin(prompt, lambda: False)
    committed, at = list(prompt), 0
    while at < len(text):
        proposal = drafter.propose(committed[:-1], committed[-1], min(config.max_draft, len(text) - at), at)
        block: list[int] = [] if proposal is None else proposal.tokens.tolist()  # type: ignore[assignment]
        accepted = next((i for i, t in enumerate(block) if t != text[at + i]), len(block))
        emitted = text[at : at + accepted + 1]
        drafter.settle(block[:accepted], emitted)
        stats.rounds += bool(block)
        stats.accepted += accepted
        stats.paused_rounds += drafter.paused
        committed += emitted
        at += len(emitted)
    return drafter, stats


def test_copy_break_copy_has_exactly_one_shadow_confirmation() -> None:
    prompt = [*PASSAGE, 7, *PASSAGE[:2]]
    # In the break every other token is one of the passage, so that a lookup of one token always finds a wrong copy.
    broken = [token for pair in zip(PASSAGE[:9], NEW, strict=False) for token in pair]
    text = [*PASSAGE[2:14], *broken, *PASSAGE[1:28]]
    drafter, stats = replay(LookupParams(policy="gated", ngram_min=1), prompt, text)
    assert drafter.shadow_confirmations == 1
    assert stats.rounds >= 3
    assert stats.accepted >= 10
    assert stats.paused_rounds > 0


def test_a_copy_without_a_break_needs_no_confirmation_and_graded_never_looks_in_the_shadow() -> None:
    prompt = [*PASSAGE, 7, *PASSAGE[:2]]
    text = [*PASSAGE[2:14], *NEW, *PASSAGE[2:28]]
    assert replay(LookupParams(policy="gated"), prompt, PASSAGE[2:28])[0].shadow_confirmations == 0
    assert replay(LookupParams(policy="graded", ngram_min=1), prompt, text)[0].shadow_confirmations == 0
