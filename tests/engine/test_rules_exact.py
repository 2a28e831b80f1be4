"""A lossless rule emits exactly the target's law: enumerated, not sampled; wrong rules fail the same test."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import Phase, given, settings

from draftlens.engine.rules import ArgmaxAgainstArgmax, GreedyArgmax, SamplerMatch, Stochastic
from engine import enumeration as exact
from engine.enumeration import Row, World, is_lossless, plain_world, worlds
from engine.wrong_rules import ArgmaxEmission, DenseForCertain, OtherTemperature, ResampleFromP, ReusedUniform

# Without shrinking: a broken rule fails on nearly every world, and each costs a second.
EXAMPLES = settings(max_examples=30, deadline=None, derandomize=True, phases=(Phase.explicit, Phase.generate))
KS = (1, 2, 3)


@EXAMPLES
@given(worlds(certain=False))
def test_sampler_match_with_drawn_proposals_is_lossless(world: World) -> None:
    assert is_lossless(SamplerMatch(), world, exact.matching)


@EXAMPLES
@given(worlds(certain=True))
def test_sampler_match_with_certain_proposals_is_lossless(world: World) -> None:
    assert is_lossless(SamplerMatch(), world, exact.matching)


@EXAMPLES
@given(worlds(certain=False))
def test_stochastic_with_drawn_proposals_is_lossless(world: World) -> None:
    assert is_lossless(Stochastic(), world, exact.testing)


@EXAMPLES
@given(worlds(certain=True))
def test_stochastic_with_certain_proposals_is_lossless(world: World) -> None:
    assert is_lossless(Stochastic(), world, exact.testing)


@EXAMPLES
@given(worlds(certain=False))
def test_greedy_is_lossless_for_a_target_at_temperature_zero(world: World) -> None:
    onehot = {c: np.eye(exact.V)[int(np.argmax(row))] for c, row in world.p.items()}
    assert is_lossless(GreedyArgmax(), World(world.k, onehot, world.q, False), exact.matching)


@EXAMPLES
@given(worlds(certain=False))
def test_a_certain_world_is_judged_alike_as_a_point_mass_and_as_one_hot_rows(world: World) -> None:
    q = {c: np.eye(exact.V)[int(np.argmax(row))] for c, row in world.q.items()}
    point, dense = World(world.k, world.p, q, True), World(world.k, world.p, q, False)
    for rule, breakpoints in ((Stochastic(), exact.testing), (SamplerMatch(), exact.matching)):
        laws = [exact.round_law(rule, w, breakpoints) for w in (point, dense)]
        assert laws[0].keys() == laws[1].keys()
        assert all(abs(laws[0][s] - laws[1][s]) < exact.TOLERANCE for s in laws[0])


@EXAMPLES
@given(worlds(certain=False))
def test_the_first_position_is_accepted_at_exactly_the_closed_form(world: World) -> None:
    p, q = world.p[()], world.q[()]
    high, low = np.minimum(p, q).sum(), (p * q).sum()
    assert exact.first_accept_rate(Stochastic(), world, exact.testing) == pytest.approx(high, abs=exact.TOLERANCE)
    assert exact.first_accept_rate(SamplerMatch(), world, exact.matching) == pytest.approx(low, abs=exact.TOLERANCE)


@pytest.mark.parametrize("k", KS)
def test_resampling_from_p_after_a_rejection_is_found_out(k: int) -> None:
    def breakpoints(p: Row, q: Row | None, token: int) -> tuple[list[float], list[float]]:
        return list(exact.testing(p, q, token)[0]), list(exact.matching(p, q, token)[1])

    assert not is_lossless(ResampleFromP(), plain_world(k, 1), breakpoints)
    assert not is_lossless(ResampleFromP(), plain_world(k, 1, certain=True), breakpoints)


@pytest.mark.parametrize("k", KS)
def test_emitting_the_argmax_after_a_rejection_is_found_out(k: int) -> None:
    assert not is_lossless(ArgmaxEmission(), plain_world(k, 7), exact.testing)


@pytest.mark.parametrize("k", [1, 2])
def test_using_the_rejecting_uniform_again_is_found_out(k: int) -> None:
    assert not is_lossless(ReusedUniform(), plain_world(k, 3), exact.everywhere)


@pytest.mark.parametrize("k", KS)
def test_judging_by_q_at_another_temperature_is_found_out(k: int) -> None:
    wrong = OtherTemperature(0.7)

    def breakpoints(p: Row, q: Row | None, token: int) -> tuple[list[float], list[float]]:
        believed = None if q is None else q**wrong.power / (q**wrong.power).sum()
        accept, drawn = exact.testing(p, believed, token)
        return list(accept), list(drawn)

    assert not is_lossless(wrong, plain_world(k, 4), breakpoints)
    assert is_lossless(OtherTemperature(1.0), plain_world(k, 4), exact.testing)


@pytest.mark.parametrize("k", KS)
def test_a_spread_out_q_for_a_certain_proposal_is_found_out(k: int) -> None:
    def breakpoints(p: Row, q: Row | None, token: int) -> tuple[list[float], list[float]]:
        accept, drawn = exact.testing(p, None if q is None else np.full(exact.V, 1 / exact.V), token)
        return list(accept), list(drawn)

    assert not is_lossless(DenseForCertain(), plain_world(k, 5, certain=True), breakpoints)


@pytest.mark.parametrize("k", KS)
def test_argmax_against_argmax_is_not_lossless_and_does_not_claim_to_be(k: int) -> None:
    rule = ArgmaxAgainstArgmax()
    assert not rule.id.lossless
    assert not is_lossless(rule, plain_world(k, 6), exact.matching)
