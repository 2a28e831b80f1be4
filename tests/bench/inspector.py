"""What the inspector costs a reply, how even the window stays under it, and whether its figures sit where they must."""

from __future__ import annotations

import itertools
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from bench.figures import REPEATS, Figure, bench, median, paired, spread
from draftlens.core.params import SamplingParams, SessionParams
from draftlens.core.rules import RuleId
from draftlens.core.stats import RunStats

if TYPE_CHECKING:
    from draftlens.engine.rules import AcceptanceRule

_HERE = Path(__file__).resolve().parent
TESTED = 1500


class _Side:
    """A process that keeps the pair loaded and answers each line with the speed of one more reply."""

    def __init__(self, scene: str, data: str) -> None:
        environment = {**os.environ, "DRAFTLENS_DATA_DIR": data}
        if sys.platform == "linux":
            environment["QT_QPA_PLATFORM"] = "offscreen"
        command = [sys.executable, str(_HERE / "inspector_scenes.py"), scene]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def speed(self) -> float:
        """Ask for a reply and return its tokens a second."""
        _write(self._process.stdin, "reply\n")
        assert self._process.stdout is not None
        return float(self._process.stdout.readline())

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(30)


def _write(stream: IO[str] | None, text: str) -> None:
    assert stream is not None
    stream.write(text)
    stream.flush()


@bench("inspector.overhead")
def overhead() -> Iterator[Figure]:
    """Tokens a second with the inspector open, closed forms and top 12 on, by those of the engine alone, both off."""
    with tempfile.TemporaryDirectory() as one, tempfile.TemporaryDirectory() as other:
        window, alone = _Side("window", one), _Side("headless", other)
        ratios = paired(window.speed, alone.speed)
        window.close()
        alone.close()
    yield Figure("inspector.overhead", median(ratios), 0.95, True, "x", spread(ratios))


@bench("inspector.engine_overhead")
def engine_overhead() -> Iterator[Figure]:
    """The engine's part of it, the same reply with both on and with both off round by round: other load hits both."""
    from bench.models import CHAT, chat_ids, iterate

    def ratio() -> float:
        on, off = (
            iterate(
                chat_ids(CHAT),
                SessionParams(
                    SamplingParams(temperature=0.7),
                    rule=RuleId.STOCHASTIC,
                    k=4,
                    max_tokens=48,
                    seed=1,
                    closed_forms=kept > 0,
                    candidates=kept,
                ),
                "draft-model",
            )
            for kept in (12, 0)
        )
        pairs = list(zip(on, off, strict=True))[1:]
        return median([b.timings.total / a.timings.total for a, b in pairs])

    ratio()
    values = [ratio() for _ in range(REPEATS)]
    yield Figure("inspector.engine_overhead", median(values), 0.95, True, "x", spread(values))


@bench("inspector.gaps")
def gaps() -> Iterator[Figure]:
    """A reply of 200 tokens a second with snapshots, each of the three tabs open for its own reply."""
    for tab in ("run", "distribution", "log"):
        with tempfile.TemporaryDirectory() as data:
            environment = {**os.environ, "DRAFTLENS_DATA_DIR": data}
            if sys.platform == "linux":
                environment["QT_QPA_PLATFORM"] = "offscreen"
            command = [sys.executable, str(_HERE / "inspector_scenes.py"), tab]
            done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment)
        seen: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        note = f"own processor time {seen['own_p99']:.1f} ms"
        yield Figure(f"inspector.gaps.{tab}_p99", seen["p99"], 16, False, "ms", note)


@bench("inspector.long_run")
def long_run() -> Iterator[Figure]:
    """20,000 rounds: shown at once, and scrubbed through a step a frame."""
    with tempfile.TemporaryDirectory() as data:
        environment = {**os.environ, "DRAFTLENS_DATA_DIR": data}
        if sys.platform == "linux":
            environment["QT_QPA_PLATFORM"] = "offscreen"
        command = [sys.executable, str(_HERE / "inspector_scenes.py"), "long_run"]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment)
    seen: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    yield Figure("inspector.long_run.shown", seen["shown"], 250, False, "ms")
    yield Figure(
        "inspector.long_run.scrub_p99", seen["p99"], 16, False, "ms", f"own processor time {seen['own_p99']:.1f} ms"
    )


@bench("inspector.acceptance")
def acceptance() -> Iterator[Figure]:
    """The demo pair at temperature 0.7, 1,500 tested positions a rule: distance from the closed form in sigmas.

    A position costs a tenth of a second, so this takes some minutes. Short blocks cost least a position here, as most
    end at their first rejection; several prompts keep one text from deciding. A wrong accept test must be far off.
    """
    from engine.wrong_rules import SquaredUniform

    for rule in (RuleId.SAMPLER_MATCH, RuleId.STOCHASTIC):
        stats = _tested(rule)
        yield Figure(f"inspector.acceptance.{rule}", abs(stats.z or 99), 3, False, "sigma", _measured(stats))
    wrong = _tested(RuleId.STOCHASTIC, SquaredUniform())
    seen = wrong.verdict().tone in ("warning", "error")
    yield Figure("inspector.acceptance.wrong", abs(wrong.z or 0) if seen else 0, 3, True, "sigma", _measured(wrong))


def _tested(rule: RuleId, judge: AcceptanceRule | None = None) -> RunStats:
    from bench.models import chat_ids, iterate, pair

    bans = tuple((token, float("-inf")) for token in sorted(pair()[0].model.end_of_text))
    stats = RunStats()
    for number in itertools.count():
        asked = SessionParams(
            SamplingParams(temperature=0.7, logit_bias=bans), rule=rule, k=2, max_tokens=160, seed=number
        )
        for made in iterate(chat_ids(f"Tell me {number + 2} things about the sea."), asked, "draft-model", judge):
            stats.add(made)
            if stats.tested >= TESTED:
                return stats
    raise AssertionError


def _measured(stats: RunStats) -> str:
    low, high = stats.closed_form_prod or 0, stats.closed_form_min or 0
    return (
        f"n {stats.tested}, measured {stats.per_position_acceptance:.4f}, sum_prod {low:.4f}, sum_min {high:.4f}; "
        f"{stats.verdict().sentence}"
    )
