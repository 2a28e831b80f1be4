"""The legend of the tint is never cut, and stays as long as its words find room."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from draftlens.core.round import Source
from draftlens.ui.chat.provenance_bar import ProvenanceBar
from draftlens.ui.theme import Theme


def test_a_narrow_bar_keeps_the_legend_and_gives_up_words_and_shortcut(theme: Theme, qtbot: QtBot) -> None:
    bar = ProvenanceBar(theme, "Ctrl+Shift+P")
    qtbot.addWidget(bar)
    bar.show_replacement(Source.TARGET)
    bar.show()
    read = []
    for width in (800, 420, 200):
        bar.resize(width, bar.height())
        words = [word.text() for word in bar._words.values()] if bar._legend.isVisible() else []
        read.append((words, bar._untinted.isVisible(), bar.switch.sizeHint().width()))
    wide, narrow, narrowest = read
    assert wide[:2] == (["Accepted draft", "Target draw", "Bonus draw"], True)
    assert narrow[:2] == (["Accepted", "Target", "Bonus"], False)
    assert narrow[2] < wide[2]
    assert narrowest[0] == []
