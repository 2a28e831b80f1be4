"""Whether speculation pays is said from measured speeds alone, with an interval and the acceptance that would do."""

from __future__ import annotations

import math

import pytest

from draftlens.core.baseline import Baseline, Pair, break_even, gain
from draftlens.core.round import Round, Source, Timings
from draftlens.core.stats import RunStats
from fakes import step, verify_round

PAIR = Pair.of("target", "drafter", 300)


def timed(made: Round, ms: float) -> Round:
    return Round(**{**{name: getattr(made, name) for name in made.__slots__}, "timings": Timings(verify=ms)})


def stats(*rounds: Round) -> RunStats:
    found = RunStats()
    for made in rounds:
        found.add(made)
    return found


def plain(*ms: float) -> RunStats:
    return stats(step(0, "a", Source.PREFILL), *(timed(step(i + 1, "b"), t) for i, t in enumerate(ms)))


def blocks(*ms: float) -> RunStats:
    """Blocks that give three tokens each, four drafted."""
    made = [timed(verify_round(i + 1, [" a", " b"], "c", ["x", "y"]), t) for i, t in enumerate(ms)]
    return stats(step(0, "a", Source.PREFILL), *made)


def test_a_pair_is_known_by_its_names_and_a_rounded_context() -> None:
    assert [Pair.of("t", None, n).context for n in (0, 1, 128, 129, 300, 4096)] == [128, 128, 128, 256, 512, 4096]
    assert Pair.of("t", None, 1).drafter == ""


def test_the_gain_is_the_ratio_of_two_measured_speeds() -> None:
    baseline = Baseline.of(PAIR, plain(20, 20, 20, 20), 5.0)
    assert baseline is not None
    assert (baseline.speed, baseline.error, baseline.rounds) == (pytest.approx(50), pytest.approx(0, abs=1e-6), 4)
    found = gain(blocks(30, 30, 30, 30), baseline)
    assert found is not None
    assert found.times == pytest.approx(2)
    assert found.pays and not found.loses


def test_the_interval_widens_with_what_either_side_scatters() -> None:
    steady, shaky = Baseline.of(PAIR, plain(20, 20, 20, 20), 0), Baseline.of(PAIR, plain(5, 35, 5, 35), 0)
    assert steady is not None and shaky is not None
    calm, wild = gain(blocks(30, 32, 28, 30), steady), gain(blocks(30, 32, 28, 30), shaky)
    assert calm is not None and wild is not None
    assert calm.high / calm.low < wild.high / wild.low
    assert wild.low < 1 < wild.high


def test_the_error_of_plain_rounds_is_that_of_their_mean() -> None:
    times = [18.0, 25.0, 21.0, 30.0, 19.0]
    mean = sum(times) / 5
    spread = math.sqrt(sum((t - mean) ** 2 for t in times) / 4 / 5) / mean
    assert plain(*times).speed_error == pytest.approx(spread)


def test_nothing_is_said_without_enough_rounds_or_without_a_block() -> None:
    assert Baseline.of(PAIR, plain(20, 20), 0) is None
    baseline = Baseline.of(PAIR, plain(20, 21, 20), 0)
    assert baseline is not None
    assert gain(plain(20, 21, 20), baseline) is None
    assert break_even(plain(20, 21, 20), baseline) is None


@pytest.mark.parametrize(("ms", "wanted"), [(20, 0.0), (62, 0.7583), (99.9, 0.9995), (101, math.inf)])
def test_the_break_even_acceptance_solves_the_blocks_cost(ms: float, wanted: float) -> None:
    baseline = Baseline.of(PAIR, plain(20, 20, 20), 0)
    assert baseline is not None
    found = break_even(blocks(ms, ms, ms), baseline)
    assert found == pytest.approx(wanted, abs=1e-3)
    if found is not None and 0 < found < 1:
        assert sum(found**i for i in range(5)) == pytest.approx(ms / 20)
