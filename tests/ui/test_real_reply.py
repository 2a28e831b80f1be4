"""The window on the real engine and the demo pair: a prompt, a streamed reply, its rounds, a stop, an end."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from draftlens import main
from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.bridge.next_reply import NextReply
from draftlens.bridge.state import State
from draftlens.core.params import SamplingParams, SessionParams
from draftlens.core.round import FinishReason, Source
from draftlens.core.rules import RuleId
from draftlens.library.demo import DemoPair
from draftlens.runtime.engine_thread import EngineThread
from draftlens.ui.main_window import MainWindow
from draftlens.ui.theme import Theme

MINUTE = 60_000


@pytest.fixture
def bridge(qtbot: QtBot, demo_pair: DemoPair) -> Iterator[EngineBridge]:
    params = SessionParams(rule=RuleId.STOCHASTIC, seed=11, max_tokens=24, sampling=SamplingParams(temperature=0.7))
    made = EngineBridge(lambda wake: EngineThread(main.open_engine, main.fetch_demo, wake), NextReply(params))
    made.load(demo_pair.target, demo_pair.drafter)
    qtbot.waitUntil(lambda: made.loading is None, timeout=2 * MINUTE)
    assert made.problem is None
    yield made
    made.quit()
    assert made.join(3)


@pytest.fixture
def window(qtbot: QtBot, theme: Theme, bridge: EngineBridge) -> MainWindow:
    shown = MainWindow(theme, bridge)
    qtbot.addWidget(shown)
    shown.resize(1440, 900)
    shown.show()
    return shown


def ask(window: MainWindow, qtbot: QtBot, text: str) -> None:
    window.chat.composer.edit.setPlainText(text)
    qtbot.keyClick(window.chat.composer.edit, Qt.Key.Key_Return)
    qtbot.waitUntil(lambda: window.chat.waiting is None)


def test_a_prompt_becomes_a_reply_with_its_rounds(window: MainWindow, bridge: EngineBridge, qtbot: QtBot) -> None:
    ask(window, qtbot, "Name three colours.")
    qtbot.waitUntil(lambda: not bridge.running, timeout=MINUTE)
    qtbot.waitUntil(lambda: bool(window.inspector.run.log.text))
    reply, inspector = bridge.turns[0].reply, window.inspector
    shown = window.chat.transcript.turns[0]
    assert reply.text
    assert shown.body.shown_text.strip()
    assert reply.text == "".join(piece.text for piece in reply.pieces)
    assert inspector.run.model.rowCount() == len(reply.rounds)
    assert reply.rounds[0].next is not None and reply.rounds[0].next.source is Source.PREFILL
    assert reply.stats.rule is RuleId.STOCHASTIC
    assert inspector.run.log.text.startswith("[Speculative acceptance] rule=stochastic ")
    assert "closed_form_sum_min" in inspector.run.log.text
    assert inspector.run.tiles.views[5].value.text() != "–"
    assert reply.seed == 11

    first = reply.text
    ask(window, qtbot, "And two more.")
    qtbot.waitUntil(lambda: not bridge.running, timeout=MINUTE)
    assert bridge.turns[1].reply.prefill is not None
    assert bridge.turns[1].reply.prefill.total > bridge.turns[0].reply.stats.prompt_tokens
    assert bridge.turns[0].reply.text == first


def test_each_drafter_and_the_switch_run_as_the_chips_say(
    window: MainWindow, bridge: EngineBridge, qtbot: QtBot
) -> None:
    texts = []
    for kind in ("draft-model", "prompt-lookup", "none"):
        bridge.new_chat()
        bridge.next_reply.set_temperature(0)
        bridge.next_reply.set_drafter(kind)
        ask(window, qtbot, "Count: one two three four one two three four one two")
        qtbot.waitUntil(lambda: not bridge.running, timeout=MINUTE)
        assert bridge.reply is not None
        texts.append(bridge.reply.text)
        drafters = {r.drafter for r in bridge.reply.rounds if r.proposals}
        assert drafters <= {{"draft-model": "classic"}.get(kind, kind)}
    assert texts[0] == texts[1] == texts[2]
    assert bridge.reply is not None and bridge.reply.stats.rounds == 0


def test_stop_ends_a_reply_at_once_and_the_next_one_works(
    window: MainWindow, bridge: EngineBridge, qtbot: QtBot
) -> None:
    bridge.next_reply._params = SessionParams(max_tokens=400)
    ask(window, qtbot, "Write a long story about a lighthouse.")
    qtbot.waitUntil(lambda: bridge.reply is not None and len(bridge.reply.rounds) > 3, timeout=MINUTE)
    qtbot.mouseClick(window.chat.composer.stop, Qt.MouseButton.LeftButton)
    qtbot.waitUntil(lambda: bridge.state is State.STOPPED, timeout=3000)
    assert bridge.reply is not None and bridge.reply.finish is FinishReason.STOPPED
    stopped, rounds = bridge.reply.text, len(bridge.reply.rounds)
    assert bridge.resume()
    qtbot.waitUntil(lambda: bridge.reply is not None and len(bridge.reply.rounds) > rounds + 3, timeout=MINUTE)
    bridge.stop()
    qtbot.waitUntil(lambda: bridge.state is State.STOPPED, timeout=3000)
    assert bridge.reply.text.startswith(stopped)
    assert len(bridge.reply.text) > len(stopped)
    assert [r.index for r in bridge.reply.rounds] == list(range(len(bridge.reply.rounds)))
    bridge.next_reply._params = SessionParams(max_tokens=4)
    ask(window, qtbot, "Short now.")
    qtbot.waitUntil(lambda: not bridge.running, timeout=MINUTE)
    assert bridge.reply.text


def test_a_folder_that_is_no_model_is_refused_in_a_sentence(
    window: MainWindow, bridge: EngineBridge, qtbot: QtBot, tmp_path: Path
) -> None:
    bridge.load(tmp_path / "nowhere")
    qtbot.waitUntil(lambda: bridge.problem is not None, timeout=MINUTE)
    assert "does not exist" in window.banner.detail.text()
    assert "is still loaded" in window.banner.detail.text()
    assert bridge.state is State.READY


def test_closing_in_the_middle_of_a_reply_ends_the_engine_in_time(
    window: MainWindow, bridge: EngineBridge, qtbot: QtBot
) -> None:
    bridge.next_reply._params = SessionParams(max_tokens=400)
    ask(window, qtbot, "Write a long story about a lighthouse.")
    qtbot.waitUntil(lambda: bridge.reply is not None and len(bridge.reply.rounds) > 3, timeout=MINUTE)
    window.close()
    assert bridge.join(3)
