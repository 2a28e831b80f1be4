"""The seed decides the text: not the drafter, the diagnostics, another session, nor where the rounds begin."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import mlx.core as mx
import numpy as np
import pytest

from draftlens.core.params import SamplingParams, SessionParams
from draftlens.core.rules import RuleId
from draftlens.engine.drafters.draft_model import DraftModel
from draftlens.engine.keys import DrawName, Keys
from draftlens.engine.observe import _likeliest
from draftlens.engine.sampling import Chain
from draftlens.engine.session import Session
from draftlens.engine.target import DraftContext, Target
from engine.families import VOCABULARY, model
from engine.toys import run

WARM = SamplingParams(temperature=0.9, xtc_probability=0.3, xtc_threshold=0.2)
PROMPT = [4, 8, 15, 16, 23, 42]
RULES = [RuleId.SAMPLER_MATCH, RuleId.STOCHASTIC]


def session(
    seed: int | None, rule: RuleId, *, closed_forms: bool = True, candidates: int = 0, sampling: SamplingParams = WARM
) -> Session:
    keys = Keys(seed)
    drafter = DraftModel(DraftContext(model("qwen3", 1)), Chain(sampling, VOCABULARY), keys)
    params = SessionParams(
        sampling=sampling, k=3, rule=rule, max_tokens=40, closed_forms=closed_forms, candidates=candidates
    )
    return Session(Target(model("qwen3")), drafter, params, keys)


def text_of(session: Session) -> list[int]:
    return [e.token for r in session.rounds(PROMPT) for e in r.emitted]


@pytest.mark.parametrize("rule", RULES)
def test_the_same_seed_gives_the_same_text_and_another_seed_another(rule: RuleId) -> None:
    assert text_of(session(7, rule)) == text_of(session(7, rule))
    assert text_of(session(7, rule)) != text_of(session(8, rule))


@pytest.mark.parametrize("rule", RULES)
def test_replies_without_a_seed_differ_and_each_can_be_made_again(rule: RuleId) -> None:
    first, second = Keys(None), Keys(None)
    assert first.seed != second.seed
    assert text_of(session(None, rule)) != text_of(session(None, rule))
    assert text_of(session(first.seed, rule)) == text_of(session(first.seed, rule))


def test_the_thread_that_draws_does_not_matter_and_without_a_seed_two_threads_differ() -> None:
    with ThreadPoolExecutor(2) as threads:
        seeded = [threads.submit(lambda: Keys(7).uniforms("draw", 0, 9)) for _ in range(2)]
        free = [threads.submit(lambda: Keys(None).uniforms("draw", 0, 9)) for _ in range(2)]
    assert seeded[0].result() == seeded[1].result() == Keys(7).uniforms("draw", 0, 9)
    assert free[0].result() != free[1].result()


@pytest.mark.parametrize("rule", RULES)
def test_diagnostics_change_nothing(rule: RuleId) -> None:
    plain = text_of(session(3, rule, closed_forms=False))
    assert text_of(session(3, rule, closed_forms=True)) == plain
    assert text_of(session(3, rule, candidates=5)) == plain
    assert text_of(session(3, rule, candidates=VOCABULARY + 9)) == plain


@pytest.mark.parametrize("rule", RULES)
def test_two_sessions_interleaved_on_the_same_weights_say_what_each_says_alone(rule: RuleId) -> None:
    alone = [text_of(session(seed, rule)) for seed in (1, 2)]
    running = [session(seed, rule).rounds(PROMPT) for seed in (1, 2)]
    texts: list[list[int]] = [[], []]
    open_ = {0, 1}
    while open_:
        for i in sorted(open_):
            made = next(running[i], None)
            if made is None:
                open_.discard(i)
            else:
                texts[i] += [e.token for e in made.emitted]
    assert texts == alone


def test_sampler_match_says_what_plain_decoding_says_with_the_same_probabilities_at_every_block_length() -> None:
    for seed in (1, 2, 3):
        plain = run(Target(model("qwen3")), None, PROMPT, sampling=WARM, seed=seed, max_tokens=30)
        for k in (1, 2, 5):
            keys = Keys(seed)
            drafter = DraftModel(DraftContext(model("qwen3", 1)), Chain(WARM, VOCABULARY), keys)
            fast = run(Target(model("qwen3")), drafter, PROMPT, sampling=WARM, keys=keys, max_tokens=30, k=k)
            assert fast.tokens == plain.tokens
            assert fast.probabilities == pytest.approx(plain.probabilities, abs=1e-3)


def test_a_uniform_is_a_function_of_seed_name_and_position_alone() -> None:
    keys = Keys(5)
    assert keys.uniform("draw", 9) == Keys(5).uniform("draw", 9)
    names: tuple[DrawName, ...] = ("draft", "accept", "draw", "gate", "draft-gate")
    values = [Keys(seed).uniform(n, i) for seed in (5, 6) for n in names for i in range(50)]
    assert len(set(values)) == len(values)
    assert keys.uniforms("accept", 3, 4) == [keys.uniform("accept", i) for i in (3, 4, 5, 6)]


def test_uniforms_fill_the_unit_interval_evenly_and_float32_holds_them() -> None:
    values = Keys(1).uniforms("draw", 0, 8000)
    assert all(0 <= v < 1 and v * 2**24 == int(v * 2**24) for v in values)
    counts = Counter(int(v * 16) for v in values)
    assert sum((counts[i] - 500) ** 2 / 500 for i in range(16)) < 44.3  # chi-square, 15 degrees, 1 in 10 000


def test_a_round_records_the_uniforms_that_decided_it() -> None:
    keys = Keys(11)
    for rule in RULES:
        for made in session(11, rule).rounds(PROMPT):
            for i, emitted in enumerate(made.emitted):
                drawn = emitted.source != "draft" or rule is RuleId.SAMPLER_MATCH
                assert emitted.w == (keys.uniform("draw", made.position + i) if drawn else None)
            for i, proposal in enumerate(made.proposals):
                tested = rule is RuleId.STOCHASTIC and proposal.fate != "untested"
                assert proposal.u == (keys.uniform("accept", made.position + i) if tested else None)


def test_every_recorded_decision_follows_from_its_recorded_figures() -> None:
    for seed in range(4):
        for made in session(seed, RuleId.STOCHASTIC, candidates=VOCABULARY).rounds(PROMPT):
            for proposal in made.proposals:
                if proposal.fate == "untested":
                    assert (proposal.p, proposal.u, proposal.sum_min) == (None, None, None)
                    continue
                assert proposal.p is not None and proposal.u is not None and proposal.q is not None
                assert (proposal.fate == "accepted") == (proposal.p > 0 and proposal.u * proposal.q <= proposal.p)
                seen = proposal.candidates
                assert seen is not None and seen.q is not None
                at = seen.tokens.index(proposal.token)
                assert (seen.p[at], seen.q[at]) == (proposal.p, proposal.q)
                assert list(seen.p) == sorted(seen.p, reverse=True)
                low = sum(min(a, b) for a, b in zip(seen.p, seen.q, strict=True))
                product = sum(a * b for a, b in zip(seen.p, seen.q, strict=True))
                assert (low, product) == (pytest.approx(proposal.sum_min, abs=1e-5),
                                          pytest.approx(proposal.sum_prod, abs=1e-5))  # fmt: skip
        for made in session(seed, RuleId.SAMPLER_MATCH).rounds(PROMPT):
            for proposal in made.proposals:
                if proposal.fate != "untested":
                    assert (proposal.fate == "accepted") == (proposal.drawn == proposal.token)


def test_a_snapshot_of_one_token_holds_the_most_likely_the_proposal_and_what_was_drawn() -> None:
    sizes, keys = set(), Keys(2)
    drafter = DraftModel(DraftContext(model("qwen3")), Chain(WARM, VOCABULARY), keys)
    reply = run(Target(model("qwen3")), drafter, PROMPT, sampling=WARM, keys=keys, max_tokens=40, candidates=1)
    for made in reply.rounds:
        for proposal in made.proposals:
            seen = proposal.candidates
            if proposal.fate == "untested":
                assert seen is None
                continue
            assert seen is not None and seen.q is not None
            assert seen.p == tuple(sorted(seen.p, reverse=True))
            assert proposal.token in seen.tokens
            assert len(set(seen.tokens)) == len(seen.tokens) == len(seen.p) == len(seen.q)
            sizes.add(len(seen.tokens))
        assert made.next is None or made.next_candidates is not None
        if made.next is not None and made.next_candidates is not None:
            assert made.next.token in made.next_candidates.tokens
    assert sizes == {1, 2, 3}


@pytest.mark.parametrize("vocabulary", [7, 256, 9001, 20480])
def test_the_likeliest_tokens_are_found_block_by_block(vocabulary: int) -> None:
    rows = mx.softmax(mx.random.normal((3, vocabulary), key=mx.random.key(vocabulary)) * 4, axis=-1)
    for count in (1, 5, 12):
        count = min(count, vocabulary)
        found = np.array(_likeliest(rows, count))
        expected = np.argsort(-np.array(rows), axis=-1)[:, :count]
        assert [set(row) for row in found.tolist()] == [set(row) for row in expected.tolist()]
