"""The way of the Tab key: what the next reply will be, the chat, its figures, then the sidebar."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
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


def set_focus_order(window: MainWindow) -> None:
    """Let Tab go this way."""
    for first, second in pairwise(focus_order(window)):
        QWidget.setTabOrder(first, second)
