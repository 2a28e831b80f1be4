"""The Compare screen: what runs side by side, where it parts, what the table says, and what can be done with it."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from pytestqt.qtbot import QtBot

from compare.made import RULES, comparison, fill, play, played
from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.compare import export, files
from draftlens.compare.arms import ArmSettings
from draftlens.compare.files import Journal
from draftlens.core.events import Compare, Differed, Loading, ReplyEvent, Request, Started
from draftlens.core.round import FinishReason, Round
from draftlens.core.rules import RuleId
from draftlens.ui.compare.screen import COMPARE, CompareScreen
from draftlens.ui.main_window import MainWindow
from fakes import ScriptedEngine
from ui.conftest import Window

PROMPT = "Why is the sky blue?"


@dataclass
class Arms(ScriptedEngine):
    """Every arm plays rounds of its own rule; from the second trial on it may be held."""

    hold_trial: int | None = None
    trials: int = 0

    def compare(
        self, asked: Compare, emit: Callable[[ReplyEvent | Loading | Differed], None], cancelled: Callable[[], bool]
    ) -> None:
        self.hold_after = 5 if self.trials == self.hold_trial else None
        self.trials += 1
        for arm in asked.arms:
            emit(self.reply(arm.request, emit, cancelled))

    def reply(self, request: Request, emit: Callable[..., None], cancelled: Callable[[], bool]):  # type: ignore[no-untyped-def]
        self.rounds = rounds_for(request)
        params = request.params
        emit(Started(request.run, 9, params.rule, params.drafter, None, params.seed or 0, False))
        return super().reply(request, emit, cancelled)


def rounds_for(request: Request) -> Sequence[Round]:
    seed = request.params.seed or 0
    return play(np.random.default_rng((seed, request.params.k)), request.params.rule, 14)[request.first_round :]


Shown = Callable[..., tuple[CompareScreen, EngineBridge, MainWindow]]


@pytest.fixture
def screen(window: Window) -> Shown:
    def make(engine: ScriptedEngine | None = None) -> tuple[CompareScreen, EngineBridge, MainWindow]:
        shown, bridge = window(engine or Arms())
        shown.resize(1440, 900)
        shown.screens.show_screen(COMPARE)
        return shown.compare, bridge, shown

    return make


def run(made: CompareScreen, qtbot: QtBot, seeds: int = 1, *, wait: bool = True) -> None:
    made.prompt.edit.setText(PROMPT)
    made.prompt.again.click() if seeds > 1 else made.prompt.run.click()
    assert made.comparing.running
    if wait:
        qtbot.waitUntil(lambda: not made.comparing.running, timeout=10_000)


def cell(made: CompareScreen, row: int, column: int) -> str:
    return str(made.results.table.rows.index(row, column).data())


def test_two_arms_stream_side_by_side_with_header_rounds_and_table(screen: Shown, qtbot: QtBot) -> None:
    made, _, _ = screen()
    assert not made.results.isVisible()
    assert not made.prompt.run.isEnabled()
    run(made, qtbot)
    assert [c.rule.value for c in made.columns] == ["rule=sampler-match", "rule=stochastic"]
    for arm, column in enumerate(made.columns):
        kept = made.comparing.comparison.reply(0, arm)  # type: ignore[union-attr]
        assert column.page.text.replace("\n", "")
        assert len(kept.rounds) == 15
        assert f"{kept.stats.tokens_per_second:.1f} tok/s" in column.figures.whole
        assert column.phase.text() == "finished"
        assert column.guarantee.words.text() == "lossless"
        assert column.range.text().startswith("Rounds ")
    assert made.results.isVisible()
    assert cell(made, 1, 0) == "per_position_acceptance"
    assert cell(made, 1, 3).startswith(("+", "−"))
    assert "different text is expected" in made.results.sentence.whole


def test_the_first_token_that_differs_is_flagged_in_every_column(screen: Shown, qtbot: QtBot) -> None:
    made, _, _ = screen()
    run(made, qtbot)
    tokens = [made.comparing.comparison.reply(0, arm).tokens for arm in range(2)]  # type: ignore[union-attr]
    place = next(i for i, (a, b) in enumerate(zip(*tokens, strict=False)) if a != b)
    for column in made.columns:
        assert f"⚑ token {place + 1} " in column.page.text


def test_identical_texts_are_said_to_be_and_the_same_rule_is_an_amber_note(screen: Shown, qtbot: QtBot) -> None:
    made, _, _ = screen()
    made.setup.set_arm(1, made.setup.arms[0])
    run(made, qtbot)
    length = len(made.comparing.comparison.reply(0, 0).tokens)  # type: ignore[union-attr]
    assert f"A and B: identical, {length} tokens" in made.results.foot.whole
    assert made.results.sentence.whole == "Both arms ran the same rule; this is not an A/B."
    assert made.results.note.property("kind") == "caution"
    assert not any("⚑" in column.page.text for column in made.columns)


def test_a_biased_arm_has_a_red_badge_and_a_red_note(screen: Shown, qtbot: QtBot) -> None:
    made, _, _ = screen()
    first = made.setup.arms[0]
    made.setup.set_arm(1, ArmSettings(replace(first.params, rule=RuleId.ARGMAX_AGAINST_ARGMAX)))
    run(made, qtbot)
    assert made.columns[1].guarantee.property("kind") == "bad"
    assert made.results.note.property("kind") == "bad"
    assert "greedy stream" in made.results.sentence.whole


def test_there_are_two_to_four_arms_and_each_can_be_held_against_the_first(screen: Shown, qtbot: QtBot) -> None:
    made, _, _ = screen()
    for _ in range(5):
        made.setup.add_arm()
    assert len(made.columns) == len(made.setup.arms) == 4
    run(made, qtbot)
    assert [made.results.pair.itemText(i) for i in range(3)] == ["B − A", "C − A", "D − A"]
    made.results.pair.setCurrentIndex(2)
    assert made.results.table.rows.heads[5] == "Δ (D − A)"
    for _ in range(5):
        made.setup.remove_arm(0)
    assert len(made.columns) == 2


def test_seeds_run_one_after_the_other_and_the_intervals_are_paired(screen: Shown, qtbot: QtBot) -> None:
    made, bridge, _ = screen()
    made.prompt.seeds.setValue(3)
    run(made, qtbot, 3)
    assert made.comparing.comparison is not None
    assert made.comparing.comparison.plan.seeds == (1234, 1235, 1236)
    assert "3 paired seeds" in made.results.foot.whole
    assert made.results.trials.count() == 3
    made.results.trials.activated.emit(1)
    rounds = made.comparing.comparison.reply(1, 0).rounds
    assert words(made.columns[0].page.text) == "".join(r.text for r in rounds).split()
    assert not bridge.running


def words(text: str) -> list[str]:
    """The words of a column without its flag."""
    return re.sub(r"⚑ token \d+", "", text).split()


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


def test_the_settings_of_an_arm_go_into_the_chat(screen: Shown, qtbot: QtBot) -> None:
    made, bridge, shown = screen()
    first = made.setup.arms[1]
    made.setup.set_arm(1, ArmSettings(replace(first.params, k=7)))
    made.columns[1].menu.useAsked.emit(1)
    assert (bridge.next_reply.params.rule, bridge.next_reply.params.k) == (RuleId.STOCHASTIC, 7)
    assert shown.screens.current == "chat"


def test_a_reply_is_continued_as_a_chat_that_is_kept(screen: Shown, qtbot: QtBot) -> None:
    made, bridge, shown = screen()
    run(made, qtbot)
    made.columns[1].menu.continueAsked.emit(1)
    assert shown.screens.current == "chat"
    kept = made.comparing.comparison.reply(0, 1)  # type: ignore[union-attr]
    prompt, answer = bridge.chat.path
    assert prompt.content == PROMPT
    assert bridge.chat.reply(answer.id).rounds == kept.rounds
    assert bridge.chat.reply(answer.id).stats.finish is FinishReason.END_OF_TEXT
    id = bridge.chat.id
    bridge.archive.flush(2)
    found = bridge.archive.load(id)
    assert found is not None and found.path[1].content == kept.text
    assert bridge.send("And at night?")


def test_a_prompt_set_takes_the_place_of_the_prompt(screen: Shown, qtbot: QtBot, tmp_path: Path) -> None:
    made, _, _ = screen()
    (tmp_path / "set.txt").write_text("One?\nTwo?\n")
    made.setup.open_prompts(tmp_path / "set.txt")
    assert made.prompt.edit.text() == "set.txt: 2 prompts"
    made.prompt.run.click()
    qtbot.waitUntil(lambda: not made.comparing.running)
    assert made.comparing.comparison is not None and made.comparing.comparison.plan.count == 2
    assert made.results.trials.itemText(1) == "seed 1234 · prompt 2"


def test_narrow_windows_cut_no_number_and_no_rule(screen: Shown, qtbot: QtBot) -> None:
    made, _, shown = screen()
    made.setup.add_arm()
    made.setup.add_arm()
    run(made, qtbot)
    shown.resize(1040, 680)
    qtbot.waitUntil(lambda: all(column.figures.text() == column.figures.whole for column in made.columns))
    assert made.results.table.rows.heads[1:3] == ("A sampler-match", "B stochastic")
    for column in made.columns:
        assert column.rule.width() >= column.rule.sizeHint().width()
    for chip in (made.bar.block, made.bar.temperature, made.bar.seed):
        assert chip.width() >= chip.sizeHint().width()
