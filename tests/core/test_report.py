"""The reported lines are exact, and the timings block has its draft keys if and only if a verify round ran."""

from __future__ import annotations

from typing import Any

import pytest

from draftlens.core.report import (
    acceptance_json,
    acceptance_line,
    diagnostic_line,
    lookup_line,
    run_record,
    timings_block,
)
from draftlens.core.rules import RuleId
from draftlens.core.stats import RunStats

BASE_KEYS = [
    "cache_n",
    "prompt_n",
    "prompt_ms",
    "prompt_per_token_ms",
    "prompt_per_second",
    "predicted_n",
    "predicted_ms",
    "predicted_per_token_ms",
    "predicted_per_second",
]
DRAFT_KEYS = ["draft_n", "draft_n_accepted", "draft_rounds", "draft_kind"]


def stats(**changes: Any) -> RunStats:
    figures: dict[str, Any] = {"rule": RuleId.STOCHASTIC, "rounds": 10, "proposed": 40, "tested": 24, "accepted": 18}
    return RunStats(**{**figures, **changes})


def test_the_acceptance_line() -> None:
    assert acceptance_line(stats()) == (
        "[Speculative acceptance] rule=stochastic rounds=10 proposed=40 positions_tested=24 accepted=18 "
        "per_position_acceptance=0.7500 acceptance_rate=0.4500 mean_accepted_len=1.8000 "
        "(stochastic: modified rejection sampling, acceptance-optimal)"
    )


@pytest.mark.parametrize(
    ("rule", "label"),
    [
        (RuleId.GREEDY_ARGMAX, "greedy target sampler: accept iff the draft is the argmax"),
        (
            RuleId.SAMPLER_MATCH,
            (
                "sampler-match: accept iff the draft equals a fresh target draw (default; set "
                "MLXCEL_SPECULATIVE_STOCHASTIC_ACCEPT=1 for the acceptance-optimal rule)"
            ),
        ),
        (
            RuleId.SAMPLER_MATCH_NO_Q,
            "sampler-match: stochastic acceptance requested but the drafter reported no proposal distribution",
        ),
        (RuleId.ARGMAX_AGAINST_ARGMAX, "argmax against argmax: not lossless above temperature 0"),
    ],
)
def test_every_rule_has_its_identifier_and_its_label(rule: RuleId, label: str) -> None:
    line = acceptance_line(stats(rule=rule))
    assert line.startswith(f"[Speculative acceptance] rule={rule} rounds=10 ")
    assert line.endswith(f" mean_accepted_len=1.8000 ({label})")
    assert " " not in rule


def test_the_acceptance_line_of_nothing() -> None:
    assert acceptance_line(RunStats()) == (
        "[Speculative acceptance] rule=unknown rounds=0 proposed=0 positions_tested=0 accepted=0 "
        "per_position_acceptance=0.0000 acceptance_rate=0.0000 mean_accepted_len=0.0000 (no speculative round ran)"
    )


def test_the_diagnostic_line_needs_tested_positions_with_mass() -> None:
    with_forms = stats(form_count=24, sum_min=24 * 0.7302, sum_prod=24 * 0.5651)
    assert diagnostic_line(with_forms) == (
        "[Speculative acceptance diagnostic] closed_form_sum_min=0.7302 closed_form_sum_prod=0.5651 (the measured "
        "per-position acceptance sits at sum_prod under the default sampler-match rule and at sum_min under the "
        "opt-in acceptance-optimal rule; sum_min >= sum_prod always)"
    )
    assert diagnostic_line(stats()) is None
    assert diagnostic_line(RunStats()) is None
    assert diagnostic_line(stats(form_count=24)) is None


def test_the_lookup_line_counts_every_decode_round() -> None:
    made = stats(rounds=8, plain_steps=12, paused_rounds=5, proposed=40, accepted=10, generated=31, given=1)
    assert lookup_line(made, 2) == (
        "[Prompt lookup] rounds=20 drafted_rounds=8 paused_rounds=5 proposed=40 accepted=10 acceptance_rate=0.2500 "
        "tokens_per_forward=1.5000 shadow_confirmations=2"
    )
    assert "rounds=0 drafted_rounds=0" in lookup_line(RunStats(), 0)
    assert "tokens_per_forward=0.0000" in lookup_line(RunStats(), 0)


def test_a_drafted_replys_timings_have_thirteen_keys_in_order() -> None:
    made = RunStats(
        rule=RuleId.GREEDY_ARGMAX, drafter="dflash", rounds=9, proposed=72, accepted=55, generated=64, decode_ms=320
    )
    made.prefill(120, 20, 50.0)
    block = timings_block(made)
    assert list(block) == [*BASE_KEYS, *DRAFT_KEYS]
    assert [block[k] for k in DRAFT_KEYS] == [72, 55, 9, "dflash"]
    assert block["cache_n"] == 20
    assert block["prompt_n"] == 100
    assert block["prompt_per_token_ms"] == pytest.approx(0.5)
    assert block["prompt_per_second"] == pytest.approx(2000)
    assert block["predicted_n"] == 64
    assert block["predicted_per_token_ms"] == pytest.approx(5)
    assert block["predicted_per_second"] == pytest.approx(200)


def test_without_a_verify_round_the_draft_keys_are_absent() -> None:
    made = RunStats(generated=5, given=1, plain_steps=4, decode_ms=20, drafter="classic")
    assert list(timings_block(made)) == BASE_KEYS
    assert set(timings_block(RunStats()).values()) == {0}


def test_the_json_block_leaves_out_what_was_not_measured() -> None:
    block = acceptance_json(stats())
    assert block["rule"] == "stochastic"
    assert block["lossless"] is True
    assert (block["positions_tested"], block["mean_accepted_len"]) == (24, 1.8)
    assert not {"closed_form_sum_min", "closed_form_sum_prod", "z"} & set(block)
    assert acceptance_json(RunStats())["rule"] == "unknown"
    assert "lossless" not in acceptance_json(RunStats())


def test_a_run_record_is_made_of_json_values() -> None:
    record = run_record({"k": 4}, "text", [], stats())
    assert (record["version"], record["settings"], record["finish_reason"], record["rounds"]) == (
        1, {"k": 4}, None, [],
    )  # fmt: skip
