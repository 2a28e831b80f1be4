"""The way of the Tab key: what the next reply will be, the chat, its figures, then the sidebar; on Compare likewise."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from draftlens.ui.compare.screen import CompareScreen
    from draftlens.ui.inspector.distribution import Distribution
    from draftlens.ui.inspector.log_tab import LogTab
    from draftlens.ui.inspector.run_tab import RunTab
    from draftlens.ui.inspector.twin import Twin
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
        *_run_order(inspector.run),
        *_distribution_order(inspector.distribution),
        *_log_order(inspector.log),
        sidebar.new,
        sidebar.search,
        *sidebar.screens.links.values(),
        sidebar.list,
        sidebar.deleted,
        sidebar.gear,
        sidebar.hide_button,
    ]


def _run_order(run: RunTab) -> list[QWidget]:
    paying = run.times.paying
    figures = (*run.tiles.views, run.prove, *_both(run.gauge_twin), run.forms_on, *run.choice.buttons, run.strip)
    blocks = (*_both(run.blocks.positions), *_both(run.blocks.lengths))
    return [*figures, run.table, *blocks, paying.measure, paying.off, *_both(run.times.times), run.log.button]


def _distribution_order(tab: Distribution) -> list[QWidget]:
    return [tab.previous, tab.following, *_both(tab.test_twin), *_both(tab.bars_twin), tab.branch, tab.copy]


def _log_order(tab: LogTab) -> list[QWidget]:
    return [tab.runs, tab.lines, tab.timings, tab.copy, tab.round, tab.export, tab.open]


def _both(twin: Twin) -> tuple[QWidget, QWidget]:
    """A chart, and the table that can stand in its place."""
    return twin.chart, twin.table


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
