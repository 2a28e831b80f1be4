"""The Tab key goes the way of the design, over the turns too, whatever came or went since the window was built."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.core.round import Source
from draftlens.ui.chat.code_block import CodeBlock
from draftlens.ui.chat.reply_view import ReplyView
from draftlens.ui.chat.transcript import Transcript
from draftlens.ui.main_window import MainWindow
from fakes import ScriptedEngine, step, verify_round

Window = Callable[..., tuple[MainWindow, EngineBridge]]

ROUNDS = [
    step(0, "Sort", Source.PREFILL),
    verify_round(1, [" by", " start"], ",", ["x", "y"]),
    step(2, ":\n\n```python\nx = 1\n```\n\nThat is all."),
]


@pytest.fixture
def talk(window: Window, qtbot: QtBot) -> tuple[MainWindow, EngineBridge]:
    shown, bridge = window(ScriptedEngine(rounds=ROUNDS))
    shown.resize(1440, 900)
    ask(shown, bridge, qtbot, "One")
    ask(shown, bridge, qtbot, "Two")
    return shown, bridge


def ask(shown: MainWindow, bridge: EngineBridge, qtbot: QtBot, text: str) -> None:
    shown.chat.ask(text)
    settled(shown, bridge, qtbot)


def settled(shown: MainWindow, bridge: EngineBridge, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: shown.chat.waiting is None)
    qtbot.waitUntil(lambda: not bridge.running and not shown.chat.transcript._ahead.isActive())


def walk(shown: MainWindow, qtbot: QtBot, start: QWidget, *, back: bool = False) -> list[QWidget]:
    """What Tab comes to, once around the window."""
    start.setFocus()
    assert shown.focusWidget() is start
    key = Qt.Key.Key_Backtab if back else Qt.Key.Key_Tab
    seen = [start]
    for _ in range(150):
        qtbot.keyClick(shown.focusWidget(), key)
        if shown.focusWidget() is start:
            return seen
        seen.append(shown.focusWidget())
    raise AssertionError("Tab does not come back to where it began.")


def of_turns(shown: MainWindow) -> list[QWidget]:
    """The stops in the turns, as they are seen from the top down."""
    stops: list[QWidget] = []
    for item in shown.chat.transcript.items:
        view = item.view
        assert view is not None
        if isinstance(view, ReplyView):
            stops += [view.raw, view.copy, view.again]
            for part in view.body.parts:
                stops += [part.copy, part.text] if isinstance(part, CodeBlock) else [part]
        else:
            stops += [view.text, view.copy, view.edit]
    return stops


def way(shown: MainWindow, *, inspector: bool = True) -> list[QWidget]:
    """The order of the design, with a talk in view."""
    toolbar, chat, sidebar, run = shown.toolbar, shown.chat, shown.sidebar, shown.inspector.run
    figures = [
        shown.inspector.tabs.buttons[0],
        *run.tiles.views,
        run.prove,
        run.gauge,
        run.choice.buttons[0],
        run.strip,
        run.table,
        run.log.button,
    ]
    return [
        *toolbar.chips,
        toolbar.speculation,
        toolbar.inspector,
        chat.provenance.switch,
        chat.transcript,
        *of_turns(shown),
        chat.composer.attach,
        chat.composer.edit,
        *(figures if inspector else []),
        sidebar.new,
        sidebar.search,
        *sidebar.screens.links.values(),
        sidebar.list,
        sidebar.gear,
        sidebar.hide_button,
    ]


def test_tab_goes_over_the_turns_behind_the_transcript_and_back_the_same_way(
    talk: tuple[MainWindow, EngineBridge], qtbot: QtBot
) -> None:
    shown, _ = talk
    wanted = way(shown)
    assert len(of_turns(shown)) == 2 * (3 + 3 + 4)
    assert walk(shown, qtbot, wanted[0]) == wanted
    assert walk(shown, qtbot, wanted[0], back=True) == [wanted[0], *reversed(wanted[1:])]


def test_a_turn_that_is_new_and_a_version_that_is_another_have_their_places(
    talk: tuple[MainWindow, EngineBridge], qtbot: QtBot
) -> None:
    shown, bridge = talk
    first = shown.chat.transcript.turns[0]
    bridge.regenerate(first.message.id)
    settled(shown, bridge, qtbot)
    ask(shown, bridge, qtbot, "Three")
    shown.chat.transcript.verticalScrollBar().setValue(0)
    versions = shown.chat.transcript.turns[0].versions
    assert versions.previous is not None and versions.next is not None
    # The newest version is shown: there is a way back, none forward.
    wanted = way(shown)
    wanted.insert(wanted.index(shown.chat.transcript.turns[0].raw), versions.previous)
    assert walk(shown, qtbot, wanted[0]) == wanted


def test_another_chat_and_an_inspector_that_is_closed_leave_the_order_as_it_is(
    talk: tuple[MainWindow, EngineBridge], qtbot: QtBot
) -> None:
    shown, bridge = talk
    first = bridge.chat.id
    bridge.new_chat()
    ask(shown, bridge, qtbot, "Elsewhere")
    assert walk(shown, qtbot, shown.toolbar.target) == way(shown)
    assert bridge.open(first)
    settled(shown, bridge, qtbot)
    shown.toolbar.inspector.click()
    assert walk(shown, qtbot, shown.toolbar.target) == way(shown, inspector=False)


def test_what_comes_and_goes_is_reached_where_it_stands(talk: tuple[MainWindow, EngineBridge], qtbot: QtBot) -> None:
    shown, _ = talk
    chat = shown.chat
    shown.toggle_sidebar()
    chat.find_bar.begin()
    chat.composer.replace("Three")
    order = walk(shown, qtbot, chat.composer.edit)
    bar = chat.find_bar
    assert order[order.index(chat.provenance.switch) + 1 :][:4] == [bar.field, bar.previous, bar.next, bar.close_button]
    assert order[order.index(chat.composer.edit) + 1] is chat.composer.send
    assert order[order.index(shown.toolbar.target) - 1] is shown.toolbar.sidebar


def test_turns_that_are_scrolled_away_are_no_stops_and_what_is_partly_seen_is_scrolled_into_view(
    talk: tuple[MainWindow, EngineBridge], qtbot: QtBot
) -> None:
    shown, bridge = talk
    for text in ("Three", "Four", "Five", "Six"):
        ask(shown, bridge, qtbot, text)
    page = shown.chat.transcript
    order = walk(shown, qtbot, page)
    stops = order[1 : order.index(shown.chat.composer.attach)]
    assert shown.chat.transcript.prompts[0].copy not in stops
    assert page.turns[-1].copy in stops
    prompt, bar = page.prompts[-1], page.verticalScrollBar()
    bar.setValue(bar.value() + bottom(prompt.copy, page) - 2)
    prompt.text.setFocus()
    qtbot.keyClick(shown.focusWidget(), Qt.Key.Key_Tab)
    assert shown.focusWidget() is prompt.copy
    assert bottom(prompt.copy, page) >= prompt.copy.height() - 1


def test_stopping_by_a_click_or_by_a_key_leaves_the_focus_in_the_composer(window: Window, qtbot: QtBot) -> None:
    engine = ScriptedEngine(rounds=ROUNDS, hold_after=2)
    shown, bridge = window(engine)
    composer = shown.chat.composer

    def begin() -> None:
        composer.edit.setFocus()
        shown.chat.ask("Go")
        qtbot.waitUntil(composer.stop.isEnabled)

    begin()
    qtbot.mouseClick(composer.stop, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: not bridge.running)
    assert shown.focusWidget() is composer.edit
    begin()
    composer.stop.setFocus()
    qtbot.keyClick(composer.stop, Qt.Key.Key_Space)
    qtbot.waitUntil(lambda: not bridge.running)
    assert not composer.stop.isEnabled()
    assert shown.focusWidget() is composer.edit


def bottom(widget: QWidget, page: Transcript) -> int:
    return widget.mapTo(page.viewport(), widget.rect().bottomLeft()).y()


def test_a_button_that_goes_with_its_turn_hands_the_focus_to_the_composer(
    talk: tuple[MainWindow, EngineBridge], qtbot: QtBot
) -> None:
    shown, bridge = talk
    again = shown.chat.transcript.turns[-1].again
    again.setFocus()
    qtbot.keyClick(again, Qt.Key.Key_Space)
    settled(shown, bridge, qtbot)
    assert shown.focusWidget() is shown.chat.composer.edit
