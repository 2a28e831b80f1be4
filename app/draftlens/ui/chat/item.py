"""One turn of the transcript, built or not: its message, its height or a guess at it, its widget while it is near."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from draftlens.bridge.chat import Chat
from draftlens.core.chat import Message, Role, Version
from draftlens.ui.chat.formats import Formats
from draftlens.ui.chat.formulas import Formulas
from draftlens.ui.chat.prompt_view import PromptView
from draftlens.ui.chat.reply_view import ReplyView
from draftlens.ui.theme import Theme

_AFTER = {Role.USER: 16, Role.ASSISTANT: 28}


class Item:
    """`height` is a guess until `measure` was called at the width in force."""

    def __init__(self, message: Message) -> None:
        self.message = message
        self.version: Version | None = None
        self.view: PromptView | ReplyView | None = None
        self.height = 0
        self._width = -1

    @property
    def room(self) -> int:
        """The height with the space behind it."""
        return self.height + _AFTER[self.message.role]

    @property
    def holds(self) -> bool:
        """Whether the widget must stay although it is far away: it runs, or has the focus."""
        view = self.view
        if view is None:
            return False
        return (isinstance(view, ReplyView) and view.reply.phase.running) or view.isAncestorOf(
            view.window().focusWidget() or view
        )

    def take(self, message: Message, version: Version | None) -> None:
        """Take over the message's state in the tree."""
        changed = message is not self.message or version != self.version
        self.message, self.version = message, version
        if changed and version is not None:
            if isinstance(self.view, ReplyView):
                self.view.show_message(message, version)
            elif self.view is not None:
                self.view.show_version(version)

    def build(
        self, chat: Chat, formats: Formats, formulas: Formulas, parent: QWidget, tinted: bool, lined: bool
    ) -> PromptView | ReplyView:
        """Make the widget."""
        version = chat.conversation.version(self.message.id)
        if self.message.role is Role.USER:
            self.view = PromptView(formats.theme, self.message, version, parent)
        else:
            reply = chat.reply(self.message.id)
            self.view = ReplyView(formats, formulas, self.message, reply, version, parent, tinted=tinted, lined=lined)
        return self.view

    def estimate(self, width: int, theme: Theme) -> None:
        """Guess the height from the text, unless it was measured at this width."""
        if width == self._width and self.height:
            return
        self._width = -1
        per_line = max(20, width // max(1, theme.px(7)))
        text = self.message.content
        lines = text.count("\n") + len(text) // per_line + 1
        self.height = lines * theme.line("body") + (28 if self.message.role is Role.ASSISTANT else 20)

    def measure(self, width: int) -> bool:
        """Lay the widget out; return whether the height differs from what was thought."""
        assert self.view is not None
        height = self.view.fit(width)
        self._width = width
        if height == self.height:
            return False
        self.height = height
        return True

    def fits(self, width: int) -> bool:
        """Whether the widget is there and laid out at this width."""
        return self.view is not None and self._width == width

    def drop(self) -> None:
        """Give the widget up; the height stays known."""
        if self.view is not None:
            self.view.hide()
            self.view.deleteLater()
            self.view = None
