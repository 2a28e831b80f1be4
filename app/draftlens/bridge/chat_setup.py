"""What the chat in view is asked to be: its own parameters and system prompt, or those of the settings."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QObject

from draftlens.bridge.archive import Archive
from draftlens.bridge.chat import Chat
from draftlens.bridge.engine_link import ThreadFactory
from draftlens.bridge.next_reply import NextReply
from draftlens.bridge.trials import Trials
from draftlens.core.chat import RunSummary
from draftlens.core.params import SessionParams


class ChatSetup(Trials):
    """Keeps the chips and the chat in view in step; what a person changes is the chat's own and kept with it."""

    def __init__(
        self,
        make_thread: ThreadFactory,
        next_reply: NextReply,
        system: str,
        archive: Archive,
        defaults: Callable[[], SessionParams] | None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(make_thread, next_reply, parent)
        first = next_reply.params
        self.system = system
        self.archive = archive
        self.defaults = defaults or (lambda: first)
        self.chat = Chat(archive)
        self._switching = False
        next_reply.changed.connect(self._keep_params)

    def summary(self) -> RunSummary:
        """What the next reply's run will be asked to be."""
        assert self.loaded is not None
        drafter = self.loaded.drafter
        return RunSummary(self.loaded.target.name, None if drafter is None else drafter.name, self.next_reply.params)

    def set_system(self, text: str | None) -> None:
        """Give the chat a system prompt of its own; None follows the settings."""
        self.chat.conversation = replace(self.chat.conversation, system_prompt=text)
        self._keep_setup()

    def reset_params(self) -> None:
        """Let the chat follow the settings again."""
        self._adopt(self.defaults())
        self.chat.conversation = replace(self.chat.conversation, params=None)
        self._keep_setup()

    def follow_settings(self, system: str) -> None:
        """The settings changed: a chat without parameters of its own follows them."""
        self.system = system
        if self.chat.conversation.params is None:
            self._adopt(self.defaults())

    def _adopt(self, params: SessionParams) -> None:
        """Set the chips without taking it for a choice of the person."""
        self._switching = True
        if params.drafter == "draft-model" and self.loaded is not None and self.loaded.drafter is None:
            params = replace(params, drafter="prompt-lookup")
        self.next_reply.take(params)
        self._switching = False

    def _keep_params(self) -> None:
        if not self._switching:
            self.chat.conversation = replace(self.chat.conversation, params=self.next_reply.params)
            self._keep_setup()

    def _keep_setup(self) -> None:
        if self.chat.saved:
            made = self.chat.conversation
            self.archive.set_up(made.id, made.system_prompt, made.params)
