"""One conversation as it is open: its tree, and the replies on it that have been looked at."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, replace
from itertools import pairwise

from draftlens.bridge.archive import Archive
from draftlens.bridge.reply import Phase, Reply
from draftlens.core.chat import Conversation, Message, Role, Status, new_conversation
from draftlens.store.drafts import NEW_CHAT

_KEPT = 80
"""Replies read back from the store that stay in memory, with their rounds."""

_STATUS = {
    Phase.DONE: Status.COMPLETE,
    Phase.STOPPED: Status.STOPPED,
    Phase.INTERRUPTED: Status.INTERRUPTED,
    Phase.FAILED: Status.FAILED,
}


@dataclass(frozen=True)
class Turn:
    """What was asked and the reply to it."""

    prompt: Message
    reply: Reply

    @property
    def user(self) -> str:
        """The text of the prompt."""
        return self.prompt.content


class Chat:
    """Owner: the window's thread. `conversation` is replaced as it changes.

    Args:
        saved: whether the store knows the conversation; a new one is stored with its first prompt.
    """

    def __init__(self, archive: Archive, conversation: Conversation | None = None) -> None:
        self._archive = archive
        self.saved = conversation is not None
        self.conversation = conversation or new_conversation()
        self._replies: OrderedDict[str, Reply] = OrderedDict()
        self._live: Reply | None = None

    @property
    def id(self) -> str:
        """The conversation's id."""
        return self.conversation.id

    @property
    def draft_key(self) -> str:
        """Under what its unsent text is kept."""
        return self.id if self.saved else NEW_CHAT

    @property
    def path(self) -> tuple[Message, ...]:
        """The messages shown."""
        return self.conversation.path

    @property
    def turns(self) -> list[Turn]:
        """The prompts shown with the replies to them."""
        path = self.path
        return [
            Turn(prompt, self.reply(answer.id)) for prompt, answer in pairwise(path) if answer.role is Role.ASSISTANT
        ]

    @property
    def last(self) -> Message | None:
        """The last reply shown, None if there is none."""
        path = self.path
        return path[-1] if path and path[-1].role is Role.ASSISTANT else None

    def with_typed(self, system: str, typed: Message | None, edited: str | None = None) -> tuple[tuple[str, str], ...]:
        """The chat as a model reads it, with a prompt that is not sent yet; nothing if there is nothing to read.

        Args:
            edited: the prompt in whose place it will be asked; what follows that one is not read.
        """
        messages = list(self._above(edited).turns(system))
        if typed is not None and messages and messages[-1][0] == Role.USER:
            messages[-1] = ("user", f"{messages[-1][1]}\n\n{typed.prompt_text}")
        elif typed is not None:
            messages.append(("user", typed.prompt_text))
        return tuple(messages) if any(role != "system" for role, _ in messages) else ()

    def _above(self, prompt: str | None) -> Conversation:
        """The conversation up to a prompt, without it; all of it if none is named."""
        if prompt is None:
            return self.conversation
        return replace(self.conversation, messages=self.conversation.above(prompt)[:-1])

    def reply(self, id: str) -> Reply:
        """The reply that is a message's text, read back with its rounds if need be."""
        live = self._live
        if live is not None and live.message == id:
            return live
        found = self._replies.get(id)
        if found is None:
            message = self.conversation.message(id)
            found = Reply.stored(message, self._archive.runs(id))
            self._replies[id] = found
            if len(self._replies) > _KEPT:
                self._replies.popitem(last=False)
        self._replies.move_to_end(id)
        return found

    def known(self, id: str) -> Reply | None:
        """The reply if it is in memory."""
        live = self._live
        return live if live is not None and live.message == id else self._replies.get(id)

    def follow(self, reply: Reply) -> None:
        """Keep a running reply, whatever else is looked at."""
        self._live = reply
        self._replies[reply.message] = reply

    def settle(self, reply: Reply) -> None:
        """Take a reply that has ended into the tree."""
        old = self.conversation.message(reply.message)
        run = old.run
        if run is not None:
            run = replace(
                run, params=reply.params, seed=reply.seed, note=reply.note, finish=reply.finish, thinking=reply.thinking
            )
        message = replace(
            old,
            content=reply.text,
            status=_STATUS[reply.phase],
            run=run,
            error=None if reply.error is None else reply.error.sentence,
        )
        self.conversation = self.conversation.replaced(message)
        if self._live is reply:
            self._live = None
