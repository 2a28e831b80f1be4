"""The turns in a column of readable width; only those near the viewport exist, however long the chat is."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence

from PySide6.QtCore import QTimer, Signal, SignalInstance
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

from draftlens.bridge.chat import Chat
from draftlens.core.chat import Role
from draftlens.ui.chat.formats import Formats
from draftlens.ui.chat.formulas import Formulas
from draftlens.ui.chat.item import Item
from draftlens.ui.chat.page import Page
from draftlens.ui.chat.places import Places
from draftlens.ui.chat.prompt_view import PromptView
from draftlens.ui.chat.reply_view import ReplyView
from draftlens.ui.theme import Theme

_ASKS = ("editAsked", "regenerateAsked", "resumeAsked", "switchAsked", "linkAsked", "tokenAsked")
"""What turns ask for is passed on under the same names."""
_SLACK, _TOP, _BOTTOM = 8, 20, 0
_KEEP, _AHEAD = 3, 1.5
"""Turns this many viewports away are given up, and built."""
_IN_VIEW_S, _AHEAD_S = 0.004, 0.0015
"""What may be spent at a time on turns that came into view, and on those that may come: the rest of a frame is for
painting. A turn that is not ready in time is blank until the next one."""


class Transcript(Page):
    """Shows a chat. Heights of turns never seen are estimated, and corrected without moving what is in view."""

    editAsked = Signal(str)
    regenerateAsked = Signal(str)
    resumeAsked = Signal(str)
    switchAsked = Signal(str, int)
    linkAsked = Signal(str)
    tokenAsked = Signal(str, int, int)

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(theme, parent)
        self._formats = Formats(theme)
        self._formulas = Formulas(self)
        self._chat: Chat | None = None
        self._items: list[Item] = []
        self._places = Places(_TOP)
        self._tinted = self._lined = True
        self._busy = False
        self._following = True
        self._placing = False
        self._built: dict[str, tuple[int, Item]] = {}
        self._shown_at = 0
        self.setAccessibleName("Conversation")
        self.pill.clicked.connect(self.follow)
        self._ahead = QTimer(self)
        self._ahead.setInterval(4)
        self._ahead.timeout.connect(self._build_ahead)
        theme.changed.connect(self._on_theme)
        self._formulas.ready.connect(self._on_formulas)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)

    @property
    def turns(self) -> list[ReplyView]:
        """The replies that are built, oldest first."""
        return [item.view for item in self._items if isinstance(item.view, ReplyView)]

    @property
    def prompts(self) -> list[PromptView]:
        """The prompts that are built, oldest first."""
        return [item.view for item in self._items if isinstance(item.view, PromptView)]

    @property
    def items(self) -> Sequence[Item]:
        """Everything in the chat, built or not."""
        return self._items

    @property
    def stops(self) -> list[QWidget]:
        """What Tab comes to in the turns that are built, from the top down, whether it is in view or not."""
        return [stop for item in self._items if item.view is not None for stop in item.view.stops]

    def show_chat(self, chat: Chat) -> None:
        """Show a chat, or another path of the one shown; what stays keeps its widgets."""
        same = chat is self._chat
        known = {item.message.id: item for item in self._items}
        if not same:
            while known:
                known.popitem()[1].drop()
        self._chat = chat
        self._items = []
        for message in chat.path:
            item = known.pop(message.id) if message.id in known else Item(message)
            item.take(message, chat.conversation.version(message.id))
            self._items.append(item)
        for item in known.values():
            item.drop()
        self._built = {item.message.id: (n, item) for n, item in enumerate(self._items) if item.view is not None}
        for number, item in self._built.values():
            if isinstance(item.view, ReplyView):
                item.view.set_newest(number == len(self._items) - 1)
        self._estimate()
        self.follow()

    def refresh(self) -> None:
        """Take over what the newest reply gained."""
        if self._items and self._chat is not None:
            last = self._items[-1]
            last.take(self._chat.conversation.message(last.message.id), last.version)
            if isinstance(last.view, ReplyView):
                last.view.refresh()
            self._place()

    def refresh_header(self) -> None:
        """Show the newest reply's figures."""
        if self._items and isinstance(self._items[-1].view, ReplyView):
            self._items[-1].view.refresh_header()

    def set_busy(self, busy: bool) -> None:
        """While a reply runs nothing can be asked again."""
        if busy != self._busy:
            self._busy = busy
            for item in self._items:
                if item.view is not None:
                    item.view.set_busy(busy)
            self._place()

    def set_tinted(self, on: bool, lined: bool | None = None) -> None:
        """Show or hide where the tokens came from, in every turn."""
        self._tinted, self._lined = on, self._lined if lined is None else lined
        for view in self.turns:
            view.set_tinted(self._tinted, self._lined)
        self._place()

    def follow(self) -> None:
        """Go to the end and stay with it."""
        self._following = True
        self._place()
        self.pill.hide()

    def reveal(self, number: int) -> Item:
        """Scroll to a turn and build it."""
        self._following = False
        bar = self.verticalScrollBar()
        for _ in range(3):
            bar.setValue(self._places.tops[number] - 40)
            self._place()
        return self._items[number]

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out again, with what is at the upper edge kept there."""
        anchor, offset = self._places.at(self.verticalScrollBar().value())
        super().resizeEvent(event)
        self.pill.settle()
        self._estimate()
        if not self._following and self._items:
            self.verticalScrollBar().setValue(self._places.tops[anchor] + offset)
        self._place()

    def _estimate(self) -> None:
        width = self._width()
        for item in self._items:
            item.estimate(width, self._theme)
        self._sum()

    def _sum(self, first: int = 0) -> None:
        self._places.add_up(self._items, first)
        bar = self.verticalScrollBar()
        bar.setPageStep(max(40, self.viewport().height() - 40))
        bar.setRange(0, max(0, self._places.bottom + _BOTTOM - self.viewport().height()))

    def _place(self, until: float = math.inf) -> None:
        """Build what is in view, correct heights, move widgets; what is at the upper edge stays there.

        Args:
            until: when to leave the rest of building for later, on the clock of `time.perf_counter`.
        """
        if self._placing or self._chat is None or self.viewport().height() <= 0:
            return
        self._placing = True
        try:
            for _ in range(4):
                if not self._settle(until):
                    break
            self._move()
        finally:
            self._placing = False
        # Not started again: scrolling, which needs it most, would put it off for ever.
        if not self._ahead.isActive():
            self._ahead.start()

    def _settle(self, until: float) -> bool:
        """Build and measure what is in view; return whether a height changed."""
        bar, width = self.verticalScrollBar(), self._width()
        if self._following:
            bar.setValue(bar.maximum())
        anchor, offset = self._places.at(bar.value())
        changed = []
        for number in self._places.between(bar.value(), bar.value() + self.viewport().height()):
            while (unmade := self._make(number, width)) and time.perf_counter() < until:
                pass
            if unmade:
                break
            if self._items[number].measure(width):
                changed.append(number)
        if changed:
            self._sum(changed[0])
            bar.setValue(bar.maximum() if self._following else self._places.tops[anchor] + offset)
        return bool(changed)

    def _move(self) -> None:
        y, high, width = self.verticalScrollBar().value(), self.viewport().height(), self._width()
        left = self._left()
        # Moves the widgets with their pixels: only what comes into view is painted.
        self.viewport().scroll(0, self._shown_at - y)
        self._shown_at = y
        for id, (number, item) in list(self._built.items()):
            top = self._places.tops[number]
            far = top + item.height < y - _KEEP * high or top > y + (1 + _KEEP) * high
            if item.view is None or (far and not item.holds):
                item.drop()
                del self._built[id]
                continue
            if not item.fits(width):
                continue
            item.view.setGeometry(left, top - y, width, item.height)
            if item.view.isHidden():
                item.view.show()

    def _build_ahead(self) -> None:
        """Steps towards the turns in view and just outside it, as many as a part of a frame has room for."""
        start = time.perf_counter()
        while (number := self._next()) is not None:
            self._step(number)
            bar = self.verticalScrollBar()
            seen = number in self._places.between(bar.value(), bar.value() + self.viewport().height())
            if time.perf_counter() > start + (_IN_VIEW_S if seen else _AHEAD_S):
                return
        self._ahead.stop()

    def _next(self) -> int | None:
        """The turn that is needed first of those that are not laid out."""
        y, high, width = self.verticalScrollBar().value(), self.viewport().height(), self._width()
        near = self._places.between(y - _AHEAD * high, y + (1 + _AHEAD) * high)
        missing = [number for number in near if not self._items[number].fits(width)]
        return min(missing, key=lambda n: abs(self._places.tops[n] - y - high // 2), default=None)

    def _step(self, number: int) -> None:
        """One step towards a turn; the last is its layout."""
        bar, width = self.verticalScrollBar(), self._width()
        if self._make(number, width):
            return
        anchor, offset = self._places.at(bar.value())
        if self._items[number].measure(width):
            self._sum(number)
        self._placing = True
        bar.setValue(bar.maximum() if self._following else self._places.tops[anchor] + offset)
        self._move()
        self._placing = False

    def _make(self, number: int, width: int) -> bool:
        """One step of making a turn: a reply's rounds, a widget, a slice of its text; False if nothing was left."""
        item, chat = self._items[number], self._chat
        if item.view is not None:
            return isinstance(item.view, ReplyView) and item.view.prepare(width)
        if chat is not None and item.message.role is not Role.USER and chat.known(item.message.id) is None:
            chat.reply(item.message.id)
        else:
            self._build(number)
        return True

    def _build(self, number: int) -> None:
        assert self._chat is not None
        item = self._items[number]
        self._built[item.message.id] = (number, item)
        view = item.build(self._chat, self._formats, self._formulas, self.viewport(), self._tinted, self._lined)
        for name in _ASKS:
            if isinstance(inner := getattr(view, name, None), SignalInstance):
                inner.connect(getattr(self, name))
        if isinstance(view, ReplyView):
            view.changed.connect(self._place)
            view.set_newest(number == len(self._items) - 1)
        view.set_busy(self._busy)

    def _on_scrolled(self, value: int) -> None:
        if self._placing:
            return
        self._following = value >= self.verticalScrollBar().maximum() - _SLACK
        self._place(time.perf_counter() + _IN_VIEW_S)
        self.pill.setVisible(not self._following and self.verticalScrollBar().maximum() > 0)

    def _on_formulas(self) -> None:
        for view in self.turns:
            if view.body.waits:
                view.rebuild()
        self._place()

    def _on_theme(self) -> None:
        for item in self._items:
            item.drop()
        self._estimate()
        self._place()
