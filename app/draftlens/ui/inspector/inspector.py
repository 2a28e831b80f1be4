"""The inspector: which rule ran, and below it the tabs Run, Distribution and Log, all on one selection."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from draftlens.bridge.reply import Reply
from draftlens.bridge.selection import Selection
from draftlens.core.rules import RuleId
from draftlens.ui.inspector.distribution import Distribution
from draftlens.ui.inspector.log_tab import LogTab
from draftlens.ui.inspector.rule_row import RuleRow
from draftlens.ui.inspector.run_tab import RunTab
from draftlens.ui.inspector.segments import Segments
from draftlens.ui.inspector.twin import Twin
from draftlens.ui.theme import Theme

RUN, DISTRIBUTION, LOG = range(3)


class Inspector(QWidget):
    """Shows one reply; the selection in it is shared with the transcript."""

    def __init__(self, theme: Theme, selection: Selection, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("inspector")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.selection = selection
        self.tabs = Segments(("Run", "Distribution", "Log"))
        self.rule = RuleRow(theme)
        self.run = RunTab(theme, selection)
        self.distribution = Distribution(theme, selection)
        self.log = LogTab(theme, selection)
        self.pages = QStackedWidget()
        # In a low window, or with large text, the tab scrolls before anything in it is squeezed.
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(self.run)
        for page in (area, self.distribution, self.log):
            self.pages.addWidget(page)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(16, 12, 16, 12)
        layout.setSpacing(12)
        layout.addWidget(self.tabs)
        layout.addWidget(self.rule)
        layout.addWidget(self.pages, 1)
        self.tabs.chosen.connect(self._show_page)
        self.distribution.copyAsked.connect(self.log.copy_round)
        selection.changed.connect(self._follow)
        self.show_reply(None, RuleId.SAMPLER_MATCH)

    @property
    def twins(self) -> tuple[Twin, ...]:
        """Every chart with its table."""
        return *self.run.twins, *self.distribution.twins

    def show_reply(self, reply: Reply | None, following: RuleId, ratio: str = "") -> None:
        """Show a reply, or what it gained since the last call; see `RunTab.show_reply`."""
        self.rule.show_stats(None if reply is None else reply.stats, running=reply is not None and reply.phase.running)
        self.run.show_reply(reply, following, ratio)
        self.log.show_reply(reply)
        self.selection.show(reply)
        if self.tabs.current == DISTRIBUTION:
            self.distribution.refresh()

    def show_tables(self, on: bool) -> None:
        """Show the charts' tables, or the charts."""
        for twin in self.twins:
            twin.as_table(on)

    def _follow(self) -> None:
        self.run.follow()
        self.log.follow()
        if self.tabs.current == DISTRIBUTION:
            self.distribution.refresh()

    def _show_page(self, number: int) -> None:
        self.pages.setCurrentIndex(number)
        if number == DISTRIBUTION:
            self.distribution.refresh()
