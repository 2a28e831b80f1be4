"""The Compare screen: what runs side by side, where it parts, what the table says, and what can be done with it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from PySide6.QtWidgets import QDoubleSpinBox
from pytestqt.qtbot import QtBot

from draftlens.compare.arms import ArmSettings
from draftlens.core.round import FinishReason
from draftlens.core.rules import RuleId
from draftlens.ui.compare.arm_sampling import ArmSampling
from ui.comparing import PROMPT, Shown, cell, run, words


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
        assert column.phase.accessibleName() == "finished"
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


def test_an_arm_has_a_sampling_chain_of_its_own(screen: Shown) -> None:
    made, _, _ = screen()
    made.columns[1].menu.sampling()
    chain = made.findChild(ArmSampling)
    assert isinstance(chain, ArmSampling)
    assert chain.windowTitle() == "Sampling of arm B"
    assert "max_tokens" not in chain.form.fields
    for name, value in (("top_p", 0.9), ("repetition_penalty", 1.2)):
        field = chain.form.fields[name]
        assert isinstance(field, QDoubleSpinBox)
        field.setValue(value)
    first, second = (arm.params.sampling for arm in made.setup.arms)
    assert (second.top_p, second.repetition_penalty) == (0.9, 1.2)
    assert (first.top_p, first.repetition_penalty) == (1, 1)


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
