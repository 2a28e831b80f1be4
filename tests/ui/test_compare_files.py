"""Comparisons in the window are kept as they grow: stopped, closed, on a full disk, gone on with, reopened."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from compare.made import RULES, comparison, fill, play, played
from draftlens.compare import export, files
from draftlens.compare.files import Journal
from ui.comparing import PROMPT, Arms, Shown, run


def test_a_stop_keeps_what_was_run_and_going_on_finishes_it(screen: Shown, qtbot: QtBot) -> None:
    engine = Arms(hold_trial=1)
    made, bridge, _ = screen(engine)
    made.prompt.seeds.setValue(3)
    run(made, qtbot, 3, wait=False)
    qtbot.waitUntil(engine.holding.is_set)
    assert not bridge.send("no chat meanwhile")
    assert "one at a time" in bridge.comparing or "interleaved" in bridge.comparing
    assert made.prompt.stop.isEnabled()
    made.prompt.stop.click()
    qtbot.waitUntil(lambda: not made.comparing.running)
    assert "stopped early, 1 of 3 trials" in made.results.badge.text()
    assert made.comparing.can_resume and made.comparing.path is not None
    kept = files.read(made.comparing.path)
    assert kept.complete == [0]
    assert len(kept.reply(1, 1).rounds) == 5, "in the second trial the other arm begins"
    made.comparing.resume()
    qtbot.waitUntil(lambda: not made.comparing.running)
    assert files.read(made.comparing.path).complete == [0, 1, 2]
    assert not made.results.badge.isVisible()


def test_closing_the_window_in_the_middle_leaves_a_file_that_opens(screen: Shown, qtbot: QtBot) -> None:
    engine = Arms(hold_trial=0)
    made, bridge, shown = screen(engine)
    run(made, qtbot, wait=False)
    qtbot.waitUntil(engine.holding.is_set)
    qtbot.waitUntil(lambda: len(made.comparing.reply(0).rounds) == 5)  # type: ignore[union-attr]
    shown.close()
    assert bridge.join(3)
    assert made.comparing.path is not None
    assert len(files.read(made.comparing.path).reply(0, 0).rounds) == 5


def test_a_disk_that_is_full_stops_the_comparison_and_says_so(
    screen: Shown, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, bridge, _ = screen(Arms(pace=0.02))

    class Full:
        """A file on a disk without room."""

        def __init__(self, file: object) -> None:
            self._file = file

        def write(self, data: bytes) -> int:
            raise OSError(28, "No space left on device")

        def __getattr__(self, name: str) -> object:
            return getattr(self._file, name)

    run(made, qtbot, wait=False)
    journal = made.comparing._journal
    assert journal is not None
    monkeypatch.setattr(journal, "_file", Full(journal._file))
    qtbot.waitUntil(lambda: not made.comparing.running)
    assert bridge.problem is not None
    assert "No space left on device" in bridge.problem.detail
    assert made.banner.isVisible()
    assert made.comparing.path is not None
    files.read(made.comparing.path)


def test_where_nothing_can_be_kept_it_runs_all_the_same_and_says_so(
    screen: Shown, qtbot: QtBot, tmp_path: Path
) -> None:
    made, bridge, _ = screen()
    (tmp_path / "file").write_text("in the way")
    made.comparing._folder = tmp_path / "file"
    run(made, qtbot)
    assert made.comparing.comparison is not None and made.comparing.comparison.complete == [0]
    assert bridge.problem is not None and bridge.problem.title == "This comparison is not kept"


def test_saved_comparisons_are_listed_and_reopen_with_their_texts(screen: Shown, qtbot: QtBot) -> None:
    made, _, _ = screen()
    run(made, qtbot)
    text = [column.page.text for column in made.columns]
    made.prompt.edit.setText("Another one")
    (item,) = made.comparing.saved()
    assert item.title == PROMPT
    made.setup.add_arm()
    assert not made.results.isVisible()
    assert made.open(item.path)
    assert len(made.columns) == 2
    assert [column.page.text for column in made.columns] == text
    assert made.prompt.text == PROMPT
    assert made.results.isVisible()


def test_an_export_opens_again_and_a_wrong_file_is_said(screen: Shown, tmp_path: Path) -> None:
    made, bridge, _ = screen()
    export.write(played(), tmp_path / "o.json")
    assert made.open(tmp_path / "o.json")
    assert made.columns[1].page.text
    assert made.prompt.text == made.prompt.edit.text() == "Prompt 0"
    assert made.setup.seed == 5
    assert not made.comparing.can_resume
    (tmp_path / "bad.json").write_text("{}")
    assert not made.open(tmp_path / "bad.json")
    assert bridge.problem is not None and "is not a comparison" in bridge.problem.detail
    assert made.comparing.write(tmp_path / "again.csv")
    assert (tmp_path / "again.csv").exists()


def test_an_unfinished_file_can_be_gone_on_with(screen: Shown, qtbot: QtBot, tmp_path: Path) -> None:
    made, _, _ = screen()
    half = comparison()
    fill(half, 0, 0, play(np.random.default_rng((5, 4)), RULES[0], 14)[:6], over=False)
    path = tmp_path / "half.jsonl"
    journal = Journal(path, half, new=True)
    for event in half.reply(0, 0).events():
        journal.take(0, 0, event)
    journal.close()
    assert made.open(path)
    made.comparing.resume()
    qtbot.waitUntil(lambda: not made.comparing.running)
    kept = files.read(path)
    assert kept.complete == [0]
    assert kept.reply(0, 0).rounds == play(np.random.default_rng((5, 4)), RULES[0], 14)
