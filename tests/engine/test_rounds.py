"""Round accounting on orbit models: counts, cache lengths and the owed token, all exact."""

from __future__ import annotations

from typing import Any

import pytest

from draftlens.core.params import SamplingParams
from draftlens.core.rules import RuleId
from draftlens.core.stats import RunStats
from draftlens.engine.drafters.draft_model import DraftModel
from draftlens.engine.keys import Keys
from draftlens.engine.sampling import Chain
from draftlens.engine.session import Session
from draftlens.engine.target import DraftContext, Model, Target
from engine.toys import GREEDY, Reply, Table, held, orbit, orbit_text, run

SAME, MIXED, REJECTING = (1, 1), (2, 1), (1, 4)
PROMPT = [2]


def speculate(drafter: tuple[int, int], sampling: SamplingParams = GREEDY, **params: Any) -> Reply:
    keys = Keys(0)
    model = DraftModel(DraftContext(orbit(*drafter)), Chain(sampling, 6), keys)
    return run(Target(orbit(1, 1)), model, PROMPT, sampling=sampling, keys=keys, after=in_step, **params)


def in_step(session: Session) -> None:
    """Both caches hold exactly their tokens, and the drafter's with what it is owed are the target's."""
    drafter = session.drafter
    assert isinstance(drafter, DraftModel)
    target, draft = session.target, drafter.context
    assert held(target.caches[0]) == target.tokens == [*PROMPT, *session.emitted][: len(target.tokens)]
    assert held(draft.caches[0]) == draft.tokens
    owed = drafter.owed(target.tokens)
    assert len(owed) <= 1
    assert draft.tokens + owed == target.tokens


def totals(reply: Reply) -> RunStats:
    stats = RunStats()
    for made in reply.rounds:
        stats.add(made)
    return stats


@pytest.mark.parametrize("rule", [RuleId.SAMPLER_MATCH, RuleId.STOCHASTIC])
@pytest.mark.parametrize("k", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("drafter", [SAME, MIXED, REJECTING])
def test_temperature_zero_is_the_orbit_whatever_the_drafter(drafter: tuple[int, int], k: int, rule: RuleId) -> None:
    reply = speculate(drafter, k=k, rule=rule, max_tokens=48)
    assert reply.tokens == orbit_text(1, 1, PROMPT[0], 48)
    assert {r.rule for r in reply.rounds} == {RuleId.GREEDY_ARGMAX}
    assert all(e.w is None for r in reply.rounds for e in r.emitted)


@pytest.mark.parametrize("k", [1, 3, 5])
def test_a_reply_that_ends_in_a_rejection_has_not_forwarded_its_last_token(k: int) -> None:
    reply = speculate(REJECTING, k=k, max_tokens=24)
    assert reply.session.target.caches[0].offset == 1 + 24 - 1


@pytest.mark.parametrize("k", [2, 4])
def test_a_reply_that_ends_inside_an_accepted_block_has_forwarded_every_token(k: int) -> None:
    reply = speculate(SAME, k=k, max_tokens=24)
    assert reply.session.target.caches[0].offset == 1 + 24
    assert reply.rounds[-1].next is None


@pytest.mark.parametrize(
    ("drafter", "k", "rounds", "proposed", "accepted"),
    [
        # 1 token from the prompt, then k + 1 a round; the last block is cut to what is left and has no bonus
        (SAME, 1, 12, 12, 12),
        (SAME, 3, 6, 18, 18),
        # one token a round; the last blocks are cut to 2 and 1
        (REJECTING, 1, 23, 23, 0),
        (REJECTING, 3, 23, 66, 0),
    ],
)
def test_the_counts_of_24_tokens_are_exact(
    drafter: tuple[int, int], k: int, rounds: int, proposed: int, accepted: int
) -> None:
    stats = totals(speculate(drafter, k=k, max_tokens=24))
    assert (stats.rounds, stats.proposed, stats.accepted) == (rounds, proposed, accepted)
    assert stats.tested == (rounds if drafter is REJECTING else proposed)
    assert stats.generated == 24
    assert stats.bonus == (rounds - 1 if drafter is SAME else 0)


@pytest.mark.parametrize("count", [4, 7])
def test_a_fully_accepted_last_block_leaves_its_last_proposal_owed(count: int) -> None:
    reply = speculate(SAME, k=2, max_tokens=count)
    drafter, target = reply.session.drafter, reply.session.target
    assert isinstance(drafter, DraftModel)
    # The block is [.., bonus] with the bonus never forwarded: the owed token is the one before it.
    assert reply.rounds[-1].next is not None
    assert drafter.owed(target.tokens) == [reply.tokens[-2]]
    assert drafter.context.caches[0].offset + 1 == target.caches[0].offset


@pytest.mark.parametrize("k", [1, 3, 5])
def test_mixed_acceptance_stays_consistent_at_temperature(k: int) -> None:
    warm = SamplingParams(temperature=3)
    fates = set()
    for seed in range(8):
        keys = Keys(seed)
        drafter = DraftModel(DraftContext(orbit(2, 1)), Chain(warm, 6), keys)
        reply = run(
            Target(orbit(1, 1)),
            drafter,
            PROMPT,
            sampling=warm,
            keys=keys,
            after=in_step,
            k=k,
            max_tokens=40,
            rule=RuleId.STOCHASTIC,
        )
        assert len(reply.tokens) == 40
        fates |= {p.fate for r in reply.rounds for p in r.proposals}
    assert {"accepted", "rejected"} <= fates


def test_k_zero_is_plain_decoding() -> None:
    reply = run(Target(orbit(1, 1)), None, PROMPT, k=0, max_tokens=24)
    assert reply.tokens == orbit_text(1, 1, PROMPT[0], 24)
    assert totals(reply).rounds == 0
    assert totals(reply).plain_steps == 23


def test_a_draft_model_with_other_row_counts_is_cut_or_filled_and_padding_is_never_proposed() -> None:
    """Padded rows carry the largest logits here, so that leaving them in would show at once."""
    for rows in (6, 8):
        for draft_rows in (6, 9):
            target = Model(Table(padded(1, 1, rows)), 6, 1 << 20)
            drafter = Model(Table(padded(2, 1, draft_rows)), 6, 1 << 20)
            for sampling in (GREEDY, SamplingParams(temperature=0.7)):
                keys = Keys(1)
                model = DraftModel(DraftContext(drafter), Chain(sampling, 6), keys)
                reply = run(Target(target), model, PROMPT, sampling=sampling, keys=keys, k=3, max_tokens=30)
                assert max(reply.tokens) < 6
                assert max(p.token for r in reply.rounds for p in r.proposals) < 6
                if sampling.greedy:
                    assert reply.tokens == orbit_text(1, 1, PROMPT[0], 30)


def padded(multiplier: int, offset: int, size: int) -> list[list[float]]:
    rows = [[8.0 * ((t * multiplier + offset) % 6 == x) for x in range(6)] for t in range(6)]
    return [row + [99.0] * (size - 6) for row in rows] + [[0.0] * size] * (size - 6)


def test_a_draft_model_with_fewer_rows_gives_the_missing_ids_no_mass() -> None:
    """Target ids 5 and above are unknown to the drafter; they are drawn by the target alone, and q has none of them."""
    keys = Keys(3)
    sampling = SamplingParams(temperature=0.7)
    # No row of the target leads to 5, so the drafter is never fed an id it has no row for.
    target = Model(Table([[1.0, 0.5, 0.2, 0.1, 0.0, -1e9]] * 6), 6, 1 << 20)
    drafter = Model(Table([[1.0, 0.1, 0.9, 0.1, 0.3]] * 5), 5, 1 << 20)
    model = DraftModel(DraftContext(drafter), Chain(sampling, 6), keys)
    reply = run(
        Target(target), model, PROMPT, sampling=sampling, keys=keys, k=3, max_tokens=40, rule=RuleId.STOCHASTIC,
        candidates=6,
    )  # fmt: skip
    drafted = [p for r in reply.rounds for p in r.proposals if p.candidates is not None]
    assert drafted
    for proposal in drafted:
        assert proposal.candidates is not None and proposal.candidates.q is not None
        q = dict(zip(proposal.candidates.tokens, proposal.candidates.q, strict=True))
        assert q[5] == 0
        assert sum(q.values()) == pytest.approx(1, abs=1e-5)
