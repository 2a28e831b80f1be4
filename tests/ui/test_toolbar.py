"""The chips show what is loaded and set what the next reply is asked to be."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.core.round import Source
from draftlens.core.rules import RuleId
from draftlens.ui.main_window import MainWindow
from draftlens.ui.toolbar.chip import Chip
from draftlens.ui.toolbar.menu_row import MenuRow
from fakes import ScriptedEngine, step, verify_round

Window = Callable[..., tuple[MainWindow, EngineBridge]]

ROUNDS = [step(0, "Sort", Source.PREFILL), verify_round(1, [" by"], ",", ["x"])]


def answered(bridge: EngineBridge, qtbot: QtBot) -> None:
    assert bridge.send("Hi")
    qtbot.waitUntil(lambda: not bridge.running)


def rows(chip: Chip) -> dict[str, MenuRow]:
    chip.menu().aboutToShow.emit()
    return {row.text(): row for row in chip.menu().findChildren(MenuRow)}


def test_the_chips_set_what_the_next_reply_is_asked_to_be(window: Window, qtbot: QtBot) -> None:
    engine = ScriptedEngine(rounds=ROUNDS)
    shown, bridge = window(engine)
    bar = shown.toolbar
    rows(bar.rule)["rule=stochastic"].click()
    rows(bar.drafter)["Prompt lookup"].click()
    bar._k_field.setValue(5)
    bar._temperature_field.setValue(0.4)
    bar._seed_field.setText("")
    qtbot.keyClicks(bar._seed_field, "18446744073709551615")
    answered(bridge, qtbot)
    params = engine.requests[-1].params
    assert (params.rule, params.drafter, params.lookup.max_draft) == (RuleId.STOCHASTIC, "prompt-lookup", 5)
    assert (params.sampling.temperature, params.seed) == (0.4, 2**64 - 1)
    assert [c.value for c in (bar.drafter, bar.block, bar.rule, bar.temperature, bar.seed)] == [
        "prompt lookup",
        "5",
        "rule=stochastic",
        "0.4",
        "18446744073709551615",
    ]


@pytest.mark.parametrize("typed", ["0.35", "1.25", "12.5", "0.05"])
def test_a_temperature_is_typed_digit_by_digit_although_each_is_taken_at_once(
    window: Window, qtbot: QtBot, typed: str
) -> None:
    bar = window(ScriptedEngine())[0].toolbar
    field = bar._temperature_field
    field.selectAll()
    qtbot.keyClicks(field.lineEdit(), typed)
    assert field.text() == typed
    assert bar.temperature.value == f"{float(typed):g}"


def test_the_switch_turns_speculation_off_and_on(window: Window, qtbot: QtBot) -> None:
    engine = ScriptedEngine(rounds=ROUNDS)
    shown, bridge = window(engine)
    qtbot.mouseClick(shown.toolbar.speculation, Qt.MouseButton.LeftButton)
    assert shown.toolbar.drafter.value == "off"
    answered(bridge, qtbot)
    assert engine.requests[-1].params.drafter == "none"
    qtbot.mouseClick(shown.toolbar.speculation, Qt.MouseButton.LeftButton)
    assert shown.toolbar.drafter.value == "demo-drafter"


def test_a_rule_that_is_not_lossless_says_so_where_it_is_chosen(window: Window) -> None:
    shown, _ = window(ScriptedEngine())
    names = {name: row.accessibleName() for name, row in rows(shown.toolbar.rule).items()}
    assert "Not lossless above temperature 0" in names["rule=argmax-against-argmax"]
    assert len(names) == 3


def test_temperature_zero_shows_the_rule_that_will_run(window: Window) -> None:
    shown, _ = window(ScriptedEngine())
    shown.toolbar._temperature_field.setValue(0)
    assert shown.toolbar.rule.value == "rule=greedy-argmax"


def test_nothing_can_be_loaded_while_a_reply_runs(window: Window, qtbot: QtBot) -> None:
    engine = ScriptedEngine(hold_prefill=True)
    shown, bridge = window(engine)
    bridge.send("Hi")
    qtbot.waitUntil(engine.holding.is_set)
    assert not any(row.isEnabled() for row in rows(shown.toolbar.target).values())
    assert rows(shown.toolbar.drafter)["Prompt lookup"].isEnabled()
    bridge.stop()
    qtbot.waitUntil(lambda: not bridge.running)
    assert all(row.isEnabled() for row in rows(shown.toolbar.target).values())


def test_a_name_too_long_for_its_chip_is_cut_and_whole_in_the_tooltip(window: Window) -> None:
    shown, _ = window(ScriptedEngine())
    chip = shown.toolbar.target
    chip.show_value("a-very-long-model-name-" * 10, title="Target")
    assert chip.sizeHint().width() < 400
    assert chip.toolTip().startswith("a-very-long-model-name-")
    assert "a-very-long-model-name-" in chip.accessibleName()


def test_a_long_word_gives_way_before_any_name_is_cut(window: Window) -> None:
    shown, _ = window(ScriptedEngine())
    bar = shown.toolbar
    names, seen = (bar.target, bar.drafter), set()
    for width in range(1100, 600, -20):
        bar.resize(width, bar.height())
        layout = bar.layout()
        assert layout is not None
        layout.activate()
        whole = all(chip.width() >= chip.sizeHint().width() for chip in names)
        seen.add((bar.temperature._shown_label, whole))
    assert ("Temperature", True) in seen and ("T", True) in seen
    assert ("Temperature", False) not in seen
