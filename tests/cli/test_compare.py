"""`draftlens compare` as a person calls it, and the two-command A/B with `draftlens generate`."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cli.conftest import Call
from draftlens import paths
from draftlens.compare import files
from draftlens.core.rules import DIAGNOSTICS_VARIABLE, STOCHASTIC_VARIABLE
from draftlens.library.demo import DemoPair

ASKED = ("compare", "-p", "Name three colours.", "-n", "6", "--seed", "4", "--num-draft-tokens", "2")


def test_the_table_is_on_standard_output_and_every_file_holds_the_same(call: Call, tmp_path: Path) -> None:
    names = [tmp_path / f"o.{kind}" for kind in ("json", "csv", "html")]
    ran = call(
        *ASKED, "--arm", "rule=sampler-match", "--arm", "rule=stochastic,k=3", "--seeds", "2",
        "--json", str(names[0]), "--csv", str(names[1]), "--html", str(names[2]),
    )  # fmt: skip
    assert ran.code == 0
    for words in ("tok/s", "per_position_acceptance", "mean_accepted_len", "k = 2 and k = 3", "2 paired seeds"):
        assert words in ran.out
    assert "demo pair" in ran.err and "Saved in" in ran.err
    assert all(name.stat().st_size > 500 for name in names)
    data = json.loads(names[0].read_text())
    assert data["seeds"] == [4, 5]
    assert data["versions"]["mlx"] and data["machine"]["cores"]
    (kept,) = (paths.data_dir() / files.FOLDER).iterdir()
    shown = call("compare", "--show", str(kept))
    again = call("compare", "--show", str(names[0]))
    assert shown.code == again.code == 0
    assert shown.out == again.out == ran.out


def test_greedy_arms_are_identical_and_the_rule_is_greedy_argmax_in_both(call: Call) -> None:
    ran = call(*ASKED, "--temp", "0")
    assert ran.code == 0
    assert "A and B: identical, 6 tokens" in ran.out
    assert ran.out.count("greedy-argmax") >= 3


def test_an_arm_that_fails_is_1_and_says_why_while_the_other_goes_on(call: Call, tmp_path: Path) -> None:
    ran = call(*ASKED, "-p", "sea " * 9000, "--json", str(tmp_path / "o.json"))
    assert ran.code == 1
    assert "reads at most" in ran.err
    assert (tmp_path / "o.json").exists()


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (("--arm", "rule=stochastic"), "A comparison has 2 to 4 arms, not 1."),
        (("--arm", "rule=magic", "--arm", "k=2"), "--arm rule=magic: rule magic is not known."),
        (("--seeds", "0"), "--seeds is 0, but must be a whole number"),
        (("--prompts", "x.txt"), "--prompts and a single prompt contradict each other."),
        (("--json", "out.txt"), "does not end in .json"),
        (("--json", "/nowhere/o.json"), "cannot be written: its folder is not there"),
        (("--token", "0"), "tokens count from 1"),
        (("--schedule", "backwards"), "invalid choice"),
        (("--resume", "x.jsonl"), "--resume or --show and a new comparison contradict each other."),
        (("--no-draft", "--prompt-lookup"), "contradict each other"),
    ],
)
def test_what_cannot_be_used_is_2_and_named(call: Call, flags: tuple[str, ...], said: str) -> None:
    ran = call(*ASKED, *flags)
    assert ran.code == 2
    assert said in ran.err
    assert ran.out == ""
    assert "Traceback" not in ran.err


def test_a_target_without_a_draft_model_uses_prompt_lookup_and_says_so(call: Call, demo_pair: DemoPair) -> None:
    ran = call(*ASKED, "-m", str(demo_pair.target), "-n", "3")
    assert ran.code == 0
    assert "prompt lookup" in ran.err
    refused = call(*ASKED, "-m", str(demo_pair.target), "--arm", "drafter=draft-model", "--arm", "k=2")
    assert refused.code == 2
    assert "no draft model is given" in refused.err


def test_a_comparison_that_ran_nothing_leaves_no_file_and_an_export_is_not_resumed(call: Call, tmp_path: Path) -> None:
    ran = call(*ASKED, "--arm", f"draft-model={tmp_path}", "--arm", "k=1")
    assert ran.code == 2
    assert not list((paths.data_dir() / files.FOLDER).iterdir())
    refused = call("compare", "--resume", str(tmp_path / "o.json"))
    assert refused.code == 2
    assert "cannot be gone on with" in refused.err


def test_a_prompt_set_is_run_prompt_by_prompt(call: Call, tmp_path: Path) -> None:
    (tmp_path / "set.txt").write_text("Name a colour.\nName a bird.\n")
    asked = ("compare", "--prompts", str(tmp_path / "set.txt"), "-n", "3", "--num-draft-tokens", "2")
    ran = call(*asked, "--schedule", "one-at-a-time")
    assert ran.code == 0
    assert "2 prompts, 1 seed, one at a time; 2 of 2 trials counted" in ran.out
    assert "2 paired prompt and seed pairs" in ran.out


def test_ctrl_c_keeps_what_was_run_and_resume_goes_on_from_there(call: Call, demo_pair: DemoPair) -> None:
    models = ("-m", str(demo_pair.target), "--draft-model", str(demo_pair.drafter))
    command = [sys.executable, "-m", "draftlens", *ASKED, *models, "-n", "10"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=dict(os.environ))
    folder = paths.data_dir() / files.FOLDER
    while process.poll() is None and not any(b'"round"' in f.read_bytes() for f in folder.glob("*.jsonl")):
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Traceback" not in err
    (kept,) = folder.iterdir()
    before = files.read(kept)
    assert list(before.remaining)
    ran = call("compare", "--resume", str(kept))
    assert ran.code == 0
    after = files.read(kept)
    assert not list(after.remaining)
    for arm in range(2):
        first = before.reply(0, arm).rounds
        assert after.reply(0, arm).rounds[: len(first)] == first
        assert len(after.reply(0, arm).tokens) == 10


def test_the_seeds_two_command_comparison_works_word_for_word(call: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once with the variable on, once off: three fields of one line each are then compared by eye."""
    asked = (
        "generate",
        "-p",
        "Name three colours.",
        "--num-draft-tokens",
        "4",
        "--temp",
        "0.7",
        "--seed",
        "4",
        "-n",
        "8",
    )
    monkeypatch.setenv(DIAGNOSTICS_VARIABLE, "1")
    found = {}
    for value in ("1", "0"):
        monkeypatch.setenv(STOCHASTIC_VARIABLE, value)
        line = next(row for row in call(*asked).out.splitlines() if row.startswith("[Speculative acceptance] "))
        fields = dict(re.findall(r"(\w+)=(\S+)", line))
        found[value] = {k: fields[k] for k in ("rule", "per_position_acceptance", "mean_accepted_len")}
    assert found["1"].pop("rule") == "stochastic"
    assert found["0"].pop("rule") == "sampler-match"
    assert all(0 <= float(number) <= 4 for fields in found.values() for number in fields.values())


def test_help_names_arms_and_exit_codes(capsys: pytest.CaptureFixture[str]) -> None:
    from draftlens.cli.arguments import parse

    with pytest.raises(SystemExit):
        parse(["compare", "--help"])
    out = capsys.readouterr().out
    for words in ("--arm", "rule=stochastic,k=6", "exit codes:", "130", "--resume"):
        assert words in out
