"""A run record comes in again as it went out, can be counted by anybody, and a bad one is refused by line and field."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from draftlens.core.chat import Message, Role
from draftlens.core.errors import UserError
from draftlens.core.params import SamplingParams
from draftlens.core.round import FinishReason
from draftlens.core.rules import RuleId
from draftlens.engine.drafters.draft_model import DraftModel
from draftlens.engine.keys import Keys
from draftlens.engine.sampling import Chain
from draftlens.engine.target import DraftContext, Target
from draftlens.store import exchange, run_record
from draftlens.store.db import Database
from draftlens.store.messages import load
from draftlens.store.records import RunRecord, runs
from engine.toys import DRAFT_LOGITS, TARGET_LOGITS, context_free, run
from store.samples import RUN

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "run-record.md"


@pytest.fixture(scope="module")
def reply() -> run_record.Reply:
    """A reply of the real loop over small models, in two runs."""
    keys, sampling = Keys(1), SamplingParams(temperature=0.7)
    drafter = DraftModel(DraftContext(context_free(DRAFT_LOGITS)), Chain(sampling, 6), keys)
    made = run(
        Target(context_free(TARGET_LOGITS)), drafter, [1], sampling=sampling, keys=keys, rule=RuleId.STOCHASTIC, k=4,
        max_tokens=150, candidates=3, decode=lambda ids: "".join("abcdef"[i] for i in ids),
    )  # fmt: skip
    summary = replace(RUN, finish=FinishReason.LENGTH, prompt_tokens=9, cached_tokens=4, prompt_ms=12.5)
    parts = RunRecord(0, summary, tuple(made.rounds[:20])), RunRecord(40, summary, tuple(made.rounds[20:]))
    message = Message("m", "p", Role.ASSISTANT, made.text, 5.0, run=summary)
    return run_record.Reply("Sorting", (("system", "Be brief."), ("user", "Sort")), message, parts, {"versions": {}})


@pytest.fixture(scope="module")
def lines(reply: run_record.Reply) -> list[str]:
    return run_record.write(reply).splitlines()


def read(lines: list[str]) -> run_record.Reply:
    return run_record.read("\n".join(lines).encode(), "run.jsonl")


def test_a_record_comes_in_again_with_every_round(reply: run_record.Reply, lines: list[str]) -> None:
    again = read(lines)
    assert (again.title, again.prompt, again.runs) == (reply.title, reply.prompt, reply.runs)
    assert again.message.content == reply.message.content


def test_an_opened_record_is_a_chat_of_its_own(db: Database, lines: list[str], reply: run_record.Reply) -> None:
    added = exchange.add(db, run_record.parcel(read(lines))).result(5)
    found = load(db, added.id)
    assert found is not None
    assert found.title == "Run record: Sorting"
    assert [m.content for m in found.path] == ["Sort", reply.message.content]
    assert runs(db, found.path[-1].id) == reply.runs


def test_twenty_lines_of_numpy_give_the_same_figures(lines: list[str], tmp_path: Path) -> None:
    script = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(encoding="utf-8"), re.DOTALL)
    assert len(script) == 1
    (tmp_path / "count.py").write_text(script[0], encoding="utf-8")
    (tmp_path / "run.jsonl").write_text("\n".join(lines), encoding="utf-8")
    command = [sys.executable, "count.py", "run.jsonl"]
    done = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
    counted: dict[str, float] = json.loads(done.stdout)
    stated = json.loads(lines[-1])["figures"]
    stated |= stated["timings"]
    assert stated["positions_tested"] > 100
    assert counted == pytest.approx({name: stated[name] for name in counted}, rel=1e-9)


def edited(lines: list[str], number: int, change: Callable[[dict[str, Any]], None]) -> list[str]:
    data = json.loads(lines[number])
    change(data)
    return [*lines[:number], json.dumps(data), *lines[number + 1 :]]


def put(*path: str | int, value: object) -> Callable[[dict[str, Any]], None]:
    def change(data: Any) -> None:
        for key in path[:-1]:
            data = data[key]
        data[path[-1]] = value

    return change


EDITS = [
    (0, put("version", value=2), "line 1, version is 2, and this Draftlens reads 1"),
    (0, put("format", value="other"), 'line 1, format is "other", but must be draftlens-run'),
    (0, put("content", value=None), "line 1, content is missing"),
    (0, put("prompt", value=[]), "line 1, prompt must end with a user's turn"),
    (1, put("run", "params", "k", value="4"), "line 2, run.params cannot be used: k (draft tokens a round) is 4"),
    (3, put("round", "version", value=9), "line 4, round.version is 9, and this Draftlens reads 1"),
    (3, put("round", "proposals", 0, "p", value=1.4), "line 4, round.proposals[0].p is 1.4, but must be from 0 to 1"),
    (3, put("round", "proposals", 0, "u", value="x"), 'line 4, round.proposals[0].u is "x", but must be a number'),
    (
        3,
        put("round", "proposals", 0, "fate", value="lost"),
        'line 4, round.proposals[0].fate is "lost", but must be one of',
    ),
    (3, put("round", "proposals", 0, "luck", value=1), "line 4, round.proposals[0].luck is not part of a run record"),
    (3, put("round", "timings", value={"draft": 1.0}), "line 4, round.timings.judge is missing"),
    (3, put("round", "next", "source", value=3), "line 4, round.next.source is 3, but must be one of"),
    (3, put("round", "index", value=7), "line 4, round.index is 7, but the round before makes it 1"),
    (3, put("round", "timings", "draft", value=-1.0), "line 4, round.timings.draft is -1.0"),
    (3, put("round", "emitted", value=[]), "line 5, round.position is"),
    (-1, put("figures", "accepted", value=1), "figures.accepted is 1, but the rounds give"),
    (-1, put("figures", "timings", "draft_n", value=1), "figures.timings.draft_n is 1, but the rounds give"),
]


@pytest.mark.parametrize(("number", "change", "problem"), EDITS, ids=[problem for _, _, problem in EDITS])
def test_a_field_changed_by_hand_is_named_with_its_line(
    lines: list[str], number: int, change: Callable[[dict[str, Any]], None], problem: str
) -> None:
    with pytest.raises(UserError) as refused:
        read(edited(lines, number % len(lines), change))
    assert problem in refused.value.sentence
    assert refused.value.next_step == "Nothing was opened; choose a run record of Draftlens."


def test_a_record_that_was_cut_off_says_where_it_ends(lines: list[str]) -> None:
    with pytest.raises(UserError, match=r"line 11 is missing: the file ends before its figures"):
        read(lines[:10])
    with pytest.raises(UserError, match=r"line 10, column \d+ is not JSON"):
        read([*lines[:9], lines[9][:40]])
    with pytest.raises(UserError, match=r"line 2 is missing: the file ends after its head"):
        read(lines[:1])
    with pytest.raises(UserError, match="the file is empty"):
        read([])


def test_a_round_taken_out_is_missed(lines: list[str]) -> None:
    with pytest.raises(UserError, match=r"line 4, round\.index is 2, but the round before makes it 1"):
        read([*lines[:3], *lines[4:]])
    with pytest.raises(UserError, match=r"recorded_rounds is \d+, but the rounds give \d+"):
        read([*lines[:-2], lines[-1]])


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        (b"\x89PNG\r\n", "line 1 is not UTF-8 text"),
        (b"hello\n", "line 1, column 1 is not JSON"),
        (b"[1]\n", "line 1 is [1], but must be an object"),
        (b'{"a": NaN}\n', "line 1 holds NaN, which is no number"),
        (b"[" * 100_000, "it is nested too deeply"),
    ],
)
def test_a_foreign_file_is_refused_in_a_sentence(source: bytes, problem: str) -> None:
    with pytest.raises(UserError) as refused:
        run_record.read(source, "other.bin")
    assert problem in refused.value.sentence
