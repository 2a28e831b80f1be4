"""`draftlens self-test --distribution` prints both tests of each rule, and its exit code is the verdict."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from draftlens import main
from draftlens.cli import run_cli
from draftlens.core.errors import UserError
from fakes import ScriptedEngine


def prove(engine: ScriptedEngine, *arguments: str) -> int:
    rooms = replace(
        main.rooms(), open_engine=lambda: engine, demo_pair=lambda report, cancelled: (Path("/m/t"), Path("/m/d"))
    )
    return run_cli(("self-test", "--distribution", *arguments), rooms)


def test_both_tests_of_each_rule_are_printed_with_their_figures(capsys: pytest.CaptureFixture[str]) -> None:
    engine = ScriptedEngine()
    assert prove(engine) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 6
    assert lines[0].startswith("rule=stochastic: n = 400 tokens in 4 contexts, χ² = 8.0 ≤ 33.7")
    assert lines[2].startswith("The emitted tokens follow the target’s distribution; rule=stochastic holds")
    assert lines[3].startswith("rule=sampler-match:")
    assert engine.closed.is_set()


def test_the_json_holds_n_statistic_and_threshold(capsys: pytest.CaptureFixture[str]) -> None:
    assert prove(ScriptedEngine(), "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert found["ok"] is True
    own = found["proofs"][0]["own"]
    assert (own["n"], own["statistic"], own["degrees"], own["fits"]) == (400, 8.0, 9, True)
    assert own["threshold"] == pytest.approx(33.72, abs=0.01)


def test_what_cannot_be_proved_is_said_with_exit_code_two(capsys: pytest.CaptureFixture[str]) -> None:
    assert prove(ScriptedEngine(error=UserError("No space.", "Free some."))) == 2
    assert capsys.readouterr().err.rstrip().endswith("draftlens: No space. Free some.")
