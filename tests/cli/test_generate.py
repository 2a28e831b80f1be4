"""A reply in the terminal: text first, then the lines that name the rule, and nothing else on standard output."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import Call, Ran
from draftlens.core.round import Round
from draftlens.core.rules import DIAGNOSTICS_VARIABLE, STOCHASTIC_VARIABLE
from draftlens.core.stats import RunStats
from draftlens.library.demo import DemoPair

PROMPT = ("generate", "-p", "Name three colours.", "--seed", "4", "-n", "12")
ACCEPTANCE = re.compile(
    r"^\[Speculative acceptance\] rule=(\S+) rounds=(\d+) proposed=(\d+) positions_tested=(\d+) accepted=(\d+) "
    r"per_position_acceptance=\d\.\d{4} acceptance_rate=\d\.\d{4} mean_accepted_len=\d+\.\d{4} \(.+\)$"
)
DIAGNOSTIC = re.compile(
    r"^\[Speculative acceptance diagnostic\] closed_form_sum_min=\d\.\d{4} closed_form_sum_prod=\d\.\d{4} \(.+\)$"
)
LOOKUP = re.compile(
    r"^\[Prompt lookup\] rounds=\d+ drafted_rounds=\d+ paused_rounds=\d+ proposed=\d+ accepted=\d+ "
    r"acceptance_rate=\d\.\d{4} tokens_per_forward=\d+\.\d{4} shadow_confirmations=\d+$"
)


@pytest.fixture(scope="module")
def kept() -> dict[str, Ran]:
    return {}


@pytest.fixture
def usual(call: Call, kept: dict[str, Ran]) -> Ran:
    """PROMPT as it stands, run once for all tests that look at it."""
    if "text" not in kept:
        kept["text"] = call(*PROMPT)
    return kept["text"]


@pytest.fixture
def record(call: Call, kept: dict[str, Ran]) -> dict[str, Any]:
    """The record of the same run, made once too."""
    if "json" not in kept:
        kept["json"] = call(*PROMPT, "--json")
    found: dict[str, Any] = json.loads(kept["json"].out)
    return found


def lines_of(out: str) -> list[str]:
    return [line for line in out.splitlines() if line.startswith("[")]


def rule_of(out: str) -> str:
    match = ACCEPTANCE.match(lines_of(out)[0])
    assert match is not None
    return match[1]


def test_the_demo_pair_is_used_without_a_model_and_said_so_on_standard_error(usual: Ran) -> None:
    assert usual.code == 0
    assert "demo pair" in usual.err
    assert "demo pair" not in usual.out
    assert ACCEPTANCE.match(usual.out.splitlines()[-1])
    assert len(lines_of(usual.out)) == 1


def test_plain_decoding_prints_the_reply_alone_and_sampler_match_writes_the_same_text(call: Call, usual: Ran) -> None:
    plain = call(*PROMPT, "--no-draft")
    assert lines_of(plain.out) == []
    assert usual.out.startswith(plain.out)


@pytest.mark.parametrize("value", ["1", "true", "TRUE", " on ", "Yes"])
def test_the_environment_asks_for_the_stochastic_rule(call: Call, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv(STOCHASTIC_VARIABLE, value)
    assert rule_of(call(*PROMPT, "-n", "4").out) == "stochastic"


@pytest.mark.parametrize("value", ["0", "false", "off", "no", "", "maybe"])
def test_any_other_text_does_not(call: Call, monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv(STOCHASTIC_VARIABLE, value)
    assert rule_of(call(*PROMPT, "-n", "4").out) == "sampler-match"


def test_the_flag_outranks_the_environment(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(STOCHASTIC_VARIABLE, "1")
    assert rule_of(call(*PROMPT, "-n", "4", "--rule", "sampler-match").out) == "sampler-match"


def test_temperature_0_and_top_k_1_are_greedy_whatever_is_asked(call: Call) -> None:
    for flags in (("--temp", "0"), ("--top-k", "1")):
        assert rule_of(call(*PROMPT, "-n", "4", "--rule", "stochastic", *flags).out) == "greedy-argmax"


def test_prompt_lookup_names_its_fallback_and_prints_its_own_line(call: Call) -> None:
    ran = call(*PROMPT, "-p", "red red red red, red red red red, red red", "--prompt-lookup", "--rule", "stochastic")
    assert rule_of(ran.out) in ("sampler-match-no-proposal-distribution", "unknown")
    assert LOOKUP.match(ran.out.splitlines()[-1])
    assert "this drafter reports no q" in ran.err


def test_a_top_k_of_the_whole_vocabulary_is_off_and_spoils_nothing_that_comes_after(call: Call, usual: Ran) -> None:
    for more in (("--top-k", "49152"), ("--top-k", "99999"), ()):
        assert call(*PROMPT, *more).out == usual.out


def test_the_diagnostic_line_appears_when_asked_and_changes_no_token(
    call: Call, usual: Ran, monkeypatch: pytest.MonkeyPatch
) -> None:
    for value in ("1", "anything"):
        monkeypatch.setenv(DIAGNOSTICS_VARIABLE, value)
        ran = call(*PROMPT)
        assert ran.out.startswith(usual.out)
        assert DIAGNOSTIC.match(ran.out.splitlines()[-1])
    monkeypatch.setenv(DIAGNOSTICS_VARIABLE, "off")
    assert call(*PROMPT).out == usual.out


def test_no_round_is_named_as_such(call: Call) -> None:
    ran = call(*PROMPT, "-n", "1")
    assert "rule=unknown rounds=0" in ran.out
    assert "(no speculative round ran)" in ran.out


def test_k_0_decodes_plainly_and_says_why(call: Call) -> None:
    ran = call(*PROMPT, "--num-draft-tokens", "0")
    assert "rule=unknown" in ran.out
    assert "speculation: k is 0" in ran.err


def test_json_holds_the_same_reply_figures_and_every_round(usual: Ran, record: dict[str, Any]) -> None:
    stats = RunStats()
    rounds = [Round.from_json(r) for r in record["rounds"]]
    for made in rounds:
        stats.add(made)
    assert usual.out.startswith(record["text"])
    assert "".join(r.text for r in rounds) == record["text"]
    assert record["acceptance"]["rule"] == rule_of(usual.out)
    assert record["acceptance"]["accepted"] == stats.accepted
    assert record["timings"]["draft_n"] == stats.proposed
    assert record["timings"]["draft_kind"] == "classic"
    assert record["timings"]["predicted_n"] == 12
    assert record["settings"]["seed"] == 4


def test_a_plain_run_has_no_draft_keys(call: Call) -> None:
    timings = json.loads(call(*PROMPT, "--no-draft", "--json").out)["timings"]
    assert not [key for key in timings if key.startswith("draft")]
    assert len(timings) == 9


def test_a_raw_prompt_is_continued_without_a_template(call: Call) -> None:
    record = json.loads(
        call("generate", "-p", "2, 4, 6, 8,", "--no-chat-template", "--temp", "0", "-n", "3", "--json").out
    )
    assert record["text"].strip().startswith("1")
    assert record["timings"]["prompt_n"] + record["timings"]["cache_n"] < 16


def test_a_stop_string_ends_the_reply_before_itself(call: Call, record: dict[str, Any]) -> None:
    whole = record["text"]
    stop = whole[10:14]
    stopped = json.loads(call(*PROMPT, "--stop", stop, "--json").out)
    assert stopped["text"] == whole[: whole.index(stop)]
    assert stopped["finish_reason"] == "stop string"


def test_tracing_is_silent_unless_asked_for(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    quiet = call(*PROMPT, "--rule", "stochastic")
    monkeypatch.setenv("DRAFTLENS_LOG", "info")
    loud = call(*PROMPT, "--rule", "stochastic")
    assert loud.out == quiet.out
    assert "INFO" not in quiet.err
    assert loud.err.count("speculative acceptance rule active rule=stochastic distribution_preserving=true") == 1
    assert "speculative stochastic acceptance outcome first seen" in loud.err
    assert "speculative decode finished rule=stochastic" in loud.err


def test_ctrl_c_ends_the_reply_after_its_round_and_reports_it(demo_pair: DemoPair) -> None:
    command = [sys.executable, "-m", "draftlens", "generate", "-m", str(demo_pair.target), "--prompt-lookup"]
    process = subprocess.Popen(
        [*command, "-p", "Count from one to five hundred.", "-n", "2000", "--temp", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stdout.read(1)
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130
    assert b"[Speculative acceptance] rule=" in out
    assert b"Traceback" not in err


def test_a_reader_that_goes_away_ends_the_run_quietly(demo_pair: DemoPair, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "draftlens", "generate", "-m", str(demo_pair.target), "-p", "Count.", "-n", "500"]
    notes = tmp_path / "notes"
    with notes.open("wb") as err, subprocess.Popen(command, stdout=subprocess.PIPE, stderr=err) as process:
        assert process.stdout is not None
        process.stdout.read(1)
        process.stdout.close()
        assert process.wait(timeout=60) != 0
    assert b"Traceback" not in notes.read_bytes()


def test_help_needs_neither_qt_nor_mlx() -> None:
    code = (
        "import sys\nfrom draftlens.main import run\nassert run(['--help']) == 0\n"
        "assert not {'mlx', 'PySide6', 'numpy', 'transformers'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "draftlens generate" in done.stdout


def test_inspect_says_what_a_folder_is(call: Call, demo_pair: DemoPair, tmp_path: Path) -> None:
    ran = call("models", "inspect", str(demo_pair.target), "--json")
    assert ran.code == 0
    assert json.loads(ran.out)["role"] == "chat model"
    (tmp_path / "config.json").write_text('{"model_type": "medusa", "medusa_num_heads": 4}')
    refused = call("models", "inspect", str(tmp_path / "config.json"))
    assert refused.code == 2
    assert "bound drafter: Medusa" in refused.out


def test_the_self_test_names_every_check_and_agrees_with_its_json(call: Call) -> None:
    text = call("self-test")
    data = json.loads(call("self-test", "--json").out)
    assert text.code == (0 if data["ok"] else 1)
    assert len(text.out.splitlines()) == len(data["checks"])
    assert {"ok", "warning", "failed"} >= {c["state"] for c in data["checks"]}


def test_a_draft_model_whose_own_context_ends_says_so(call: Call, tmp_path: Path, demo_pair: DemoPair) -> None:
    for file in demo_pair.drafter.iterdir():
        if file.name != "config.json":
            (tmp_path / file.name).symlink_to(file)
    config = json.loads((demo_pair.drafter / "config.json").read_text(encoding="utf-8"))
    (tmp_path / "config.json").write_text(json.dumps(config | {"max_position_embeddings": 48}), encoding="utf-8")
    ran = call("generate", "-p", "Count to one hundred.", "--temp", "0", "-n", "24", "--draft-model", str(tmp_path))
    assert ran.code == 0
    assert f"draftlens: speculation: the draft model {tmp_path.name} reads 48 tokens at most, so from token " in ran.err
    assert ran.err.rstrip().endswith("of the reply on nothing was drafted")
