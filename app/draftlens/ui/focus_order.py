"""The way of the Tab key: what the next reply will be, the chat, its figures, then the sidebar; on Compare likewise."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from draftlens.ui.compare.screen import CompareScreen
    from draftlens.ui.main_window import MainWindow


def focus_order(window: MainWindow) -> list[QWidget]:
    """The stops in order."""
    toolbar, chat, inspector, sidebar = window.toolbar, window.chat, window.inspector, window.sidebar
    composer = chat.composer
    return [
        *toolbar.chips,
        toolbar.speculation,
        toolbar.inspector,
        chat.provenance.switch,
        chat.transcript,
        composer.attach,
        composer.edit,
        composer.stop,
        composer.send,
        *inspector.tabs.buttons,
        *inspector.run.tiles.views,
        inspector.run.gauge,
        *inspector.run.choice.buttons,
        inspector.run.strip,
        inspector.run.table,
        inspector.run.log.button,
        sidebar.new,
        sidebar.search,
        *sidebar.screens.links.values(),
        sidebar.list,
        sidebar.deleted,
        sidebar.gear,
        sidebar.hide_button,
    ]


def compare_order(screen: CompareScreen) -> list[QWidget]:
    """The stops of the Compare screen: what all arms share, the prompt, arm by arm, and what may be concluded."""
    bar, prompt, results = screen.bar, screen.prompt, screen.results
    columns = [part for column in screen.columns for part in (column.rule, column.page, column.strip)]
    return [
        bar.sidebar,
        bar.pair,
        bar.block,
        bar.temperature,
        bar.seed,
        bar.provenance,
        bar.csv,
        bar.json,
        bar.more,
        prompt.edit,
        prompt.stop,
        prompt.run,
        prompt.again,
        prompt.seeds,
        *columns,
        results.pair,
        results.trials,
        results.table,
    ]


def set_order(stops: Sequence[QWidget]) -> None:
    """Let Tab go this way."""
    for first, second in pairwise(stops):
        QWidget.setTabOrder(first, second)
