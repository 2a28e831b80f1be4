"""What is on disk: every event as it came, whole after a kill or a full disk, and read strictly."""

from __future__ import annotations

import csv
import errno
import io
import json
import os
import re
import resource
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from compare.made import comparison, fill, play, played
from draftlens.compare import export, files
from draftlens.compare.comparison import Comparison
from draftlens.compare.files import Journal
from draftlens.compare.table import table
from draftlens.core.errors import UserError
from draftlens.core.events import Differed, Finished, RoundDone, Started
from draftlens.core.round import FinishReason
from draftlens.core.rules import RuleId

DIFFERED = Differed(0, 0, 1, 3, (4, 5), ("a", "b"), (1.0, 0.9), (1.0, 0.9), (0.9, 1.0), True)


def kept(folder: Path, made: Comparison) -> Path:
    """The file of a comparison whose events were written as they came."""
    path = files.new_path(folder, made)
    journal = Journal(path, made, new=True)
    for (trial, arm), reply in sorted(made.replies.items()):
        for event in reply.events():
            journal.take(trial, arm, event)
    for trial, found in made.differences.items():
        for one in found:
            journal.differ(trial, one)
    journal.close()
    return path


def same(a: Comparison, b: Comparison) -> None:
    assert (a.plan, a.about, a.differences) == (b.plan, b.about, b.differences)
    assert {k: (r.rounds, r.text, r.finish, r.stats) for k, r in a.replies.items()} == {
        k: (r.rounds, r.text, r.finish, r.stats) for k, r in b.replies.items()
    }


def test_what_is_written_is_read_again_and_so_is_an_export(tmp_path: Path) -> None:
    made = played(seeds=2)
    made.differ(1, DIFFERED)
    same(files.read(kept(tmp_path, made)), made)
    export.write(made, tmp_path / "o.json")
    again = files.read(tmp_path / "o.json")
    same(again, made)
    assert table(again) == table(made)


def test_a_line_that_a_kill_cut_off_is_left_out_and_going_on_begins_after_the_last_whole_one(tmp_path: Path) -> None:
    path = kept(tmp_path, played())
    whole = path.read_bytes()
    for cut in (1, 20, 300):
        path.write_bytes(whole[:-cut])
        read = files.read(path)
        journal = Journal(path, read, new=False)
        journal.take(0, 1, Finished(0, FinishReason.LENGTH, "", seed=5))
        journal.close()
        assert files.read(path).reply(0, 1).over


def test_a_killed_process_loses_no_event_it_was_told_of(tmp_path: Path) -> None:
    code = textwrap.dedent(f"""
        import os, signal, sys
        sys.path.insert(0, {str(Path(__file__).parents[1])!r})
        import numpy as np
        from pathlib import Path
        from compare.made import RULES, comparison, fill, play
        from draftlens.compare.files import Journal
        from draftlens.core.events import RoundDone, Started
        made = comparison()
        journal = Journal(Path({str(tmp_path)!r}) / "x.jsonl", made, new=True)
        journal.take(0, 0, Started(0, 9, RULES[0], "classic", None, 5, False))
        for one in play(np.random.default_rng(1), RULES[0], 30):
            journal.take(0, 0, RoundDone(0, one))
        os.kill(os.getpid(), signal.SIGKILL)
    """)
    done = subprocess.run([sys.executable, "-c", code], check=False)
    assert done.returncode == -signal.SIGKILL
    read = files.read(tmp_path / "x.jsonl")
    assert len(read.reply(0, 0).rounds) == 31
    assert not read.reply(0, 0).over
    assert next(read.remaining).index == 0


def test_a_full_disk_is_said_leaves_whole_lines_and_loses_nothing_once_there_is_room(tmp_path: Path) -> None:
    made = comparison()
    rounds = play(np.random.default_rng(2), RuleId.STOCHASTIC, 12)
    path = tmp_path / "full.jsonl"
    journal = Journal(path, made, new=True)
    journal.take(0, 0, Started(0, 9, RuleId.STOCHASTIC, "classic", None, 5, False))
    journal.take(0, 0, RoundDone(0, rounds[0]))
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size + 700, before[1]))
    try:
        with pytest.raises(UserError, match=re.escape(os.strerror(errno.EFBIG)) + "|" + os.strerror(errno.ENOSPC)):
            for one in rounds[1:6]:
                journal.take(0, 0, RoundDone(0, one))
        assert path.read_bytes().endswith(b"\n")
        assert files.read(path).reply(0, 0).rounds[0] == rounds[0]
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, ignored)
    lost = len(files.read(path).reply(0, 0).rounds)
    for one in rounds[lost + 1 :]:
        journal.take(0, 0, RoundDone(0, one))
    journal.close()
    assert files.read(path).reply(0, 0).rounds == rounds


def test_a_folder_that_cannot_be_written_and_a_file_in_use_are_said(tmp_path: Path) -> None:
    made = comparison()
    (tmp_path / "no").write_text("a file")
    with pytest.raises(UserError, match="cannot be saved in"):
        Journal(tmp_path / "no" / "x.jsonl", made, new=True)
    journal = Journal(tmp_path / "x.jsonl", made, new=True)
    with pytest.raises(UserError, match="being written by another"):
        Journal(tmp_path / "x.jsonl", made, new=False)
    journal.close()


def test_the_list_shows_what_is_kept_newest_first_and_leaves_out_what_is_none(tmp_path: Path) -> None:
    older, newer = played(), played()
    newer.about = {"created": "2026-02-02T00:00:00+00:00"}
    paths = [kept(tmp_path, older), kept(tmp_path, newer), kept(tmp_path, newer)]
    assert len(set(paths)) == 3
    (tmp_path / "other.jsonl").write_text("{}\n")
    (tmp_path / "notes.txt").write_text("x")
    found = files.saved(tmp_path)
    assert [item.created[:7] for item in found] == ["2026-02", "2026-02", "2026-01"]
    assert found[0].title == "Prompt 0"
    assert "sampler-match" in found[0].arms and "stochastic" in found[0].arms
    assert files.saved(tmp_path / "nothing") == []


def edited(change: Callable[[dict[str, Any]], None]) -> str:
    data = json.loads(export.as_json(played()))
    change(data)
    return json.dumps(data)


def put(*path: Any, value: object) -> Callable[[dict[str, Any]], None]:
    def change(data: Any) -> None:
        for key in path[:-1]:
            data = data[key]
        if value is None:
            del data[path[-1]]
        else:
            data[path[-1]] = value

    return change


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (put("draftlens_comparison", value=None), "draftlens_comparison is missing: this is not a comparison"),
        (put("draftlens_comparison", value=99), "draftlens_comparison is 99"),
        (put("arms", value=None), "arms is null, but must be a list"),
        (put("arms", 0, "params", "k", value="four"), r"arms\[0\].params"),
        (put("arms", 1, "params", "rule", value="magic"), r"arms\[1\].params"),
        (put("arms", value=[]), "A comparison has 2 to 4 arms"),
        (put("prompts", 0, value={"messages": [["user"]]}), r"prompts\[0\].messages\[0\] must be a role and a content"),
        (put("seeds", 0, value=1.5), r"seeds\[0\] is 1.5, but must be a whole number"),
        (put("seeds", 0, value=-1), r"seeds\[0\] is -1"),
        (put("schedule", value="random"), 'schedule is "random", but must be one of'),
        (put("events", value=None), "events is missing"),
        (put("events", 2, "trial", value=7), r"events\[2\].trial is 7, but there are only 1"),
        (put("events", 2, "arm", value="A"), r'events\[2\].arm is "A", but must be a number'),
        (put("events", 2, "event", value="party"), r'events\[2\].event is "party", which is not known'),
        (put("events", 2, "round", "index", value=None), r"events\[2\].round.index is missing"),
        (put("events", 0, "rule", value="magic"), r'events\[0\].rule is "magic"'),
    ],
)
def test_a_file_that_is_wrong_is_refused_in_one_sentence_that_names_the_place(
    tmp_path: Path, change: Callable[[dict[str, Any]], None], said: str
) -> None:
    path = tmp_path / "bad.json"
    path.write_text(edited(change))
    with pytest.raises(UserError, match=said) as caught:
        files.read(path)
    assert caught.value.sentence.startswith("bad.json cannot be read as a comparison: ")


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.json", b"", "it is empty"),
        ("a.json", b"{", r"the file is not JSON \(line 1, column 2\)"),
        ("a.json", b"[1]", r"the file is \[1\], but must be an object"),
        ("a.json", b"\xff\xfe\x00", "not text in UTF-8"),
        ("a.jsonl", b'{"draftlens_comparison": 1}', "line 1 was never finished"),
        ("a.jsonl", b"nope\n", "line 1 is not JSON"),
        ("a.json", b"[" * 100_000, "not JSON"),
    ],
)
def test_what_is_no_comparison_is_refused(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(UserError, match=said):
        files.read(tmp_path / name)


def test_a_wrong_line_is_named_by_its_number(tmp_path: Path) -> None:
    path = kept(tmp_path, played())
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines[:4], "oops\n", *lines[5:]]))
    with pytest.raises(UserError, match="line 5 is not JSON"):
        files.read(path)


def test_the_csv_has_one_line_a_round_and_says_above_what_ran_on_what(tmp_path: Path) -> None:
    made = played(seeds=2)
    made.about["machine"] = {"processor": "X"}
    export.write(made, tmp_path / "o.csv")
    text = (tmp_path / "o.csv").read_text()
    above = [line for line in text.splitlines() if line.startswith("#")]
    assert {"schedule", "arms", "prompts", "seeds", "machine"} <= {line[2:].partition(":")[0] for line in above}
    rows = list(csv.DictReader(io.StringIO("\n".join(line for line in text.splitlines() if line[0] != "#"))))
    assert len(rows) == sum(len(r.rounds) for r in made.replies.values())
    stats = made.reply(0, 1).stats
    mine = [r for r in rows if r["trial"] == "0" and r["arm"] == "B"]
    assert sum(int(r["accepted"]) for r in mine) == stats.accepted
    assert sum(float(r["total_ms"]) for r in mine[1:]) == pytest.approx(stats.decode_ms, abs=0.5)


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("src", "href", "onload", "onclick")]


def test_the_report_is_one_page_without_scripts_and_without_anything_from_elsewhere(tmp_path: Path) -> None:
    made = played(seeds=8)
    made.reply(0, 0).text += "<script>alert(1)</script>"
    export.write(made, tmp_path / "o.html")
    text = (tmp_path / "o.html").read_text()
    page = _Page()
    page.feed(text)
    assert page.tags.count("svg") == 3
    assert page.tags.count("table") == 1
    assert not page.links and "script" not in page.tags
    assert "http" not in text.replace("&lt;", "")
    assert "headroom 1.40×" in text and "sampler-match" in text


def test_an_export_that_cannot_be_written_is_said_and_leaves_no_half_file(tmp_path: Path) -> None:
    made = played()
    with pytest.raises(UserError, match="cannot be written"):
        export.write(made, tmp_path / "nowhere" / "o.json")
    with pytest.raises(UserError, match="names no form"):
        export.write(made, tmp_path / "o.pdf")
    assert list(tmp_path.iterdir()) == []


def test_a_reply_that_is_going_on_is_kept_as_one(tmp_path: Path) -> None:
    made = comparison()
    rounds = play(np.random.default_rng(5), RuleId.SAMPLER_MATCH, 20)
    fill(made, 0, 0, rounds[:8], over=False)
    made.take(0, 0, Finished(0, FinishReason.STOPPED, "", seed=5))
    assert not made.reply(0, 0).over
    asked = made.request(next(made.remaining), 0, 7)
    assert asked.written == made.reply(0, 0).tokens
    assert asked.first_round == 8
    assert asked.params.max_tokens == 64 - len(asked.written)
    fill(made, 0, 0, rounds[8:])
    read = files.read(kept(tmp_path, made))
    assert read.reply(0, 0).rounds == rounds
    assert read.reply(0, 0).over
