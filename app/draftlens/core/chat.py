"""A conversation as a tree of messages: editing and regenerating make siblings, and one path through it is shown.

Everything is a frozen value; a change returns a new one. Which child is shown is kept for every message, so switching
to another version and back finds the same continuation again.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType

from draftlens.core.errors import BugError
from draftlens.core.params import SessionParams
from draftlens.core.round import FinishReason

UNTITLED = "New chat"
_TITLE_LENGTH = 60


class Role(StrEnum):
    """Who speaks. The system prompt belongs to the conversation and is no message."""

    USER = "user"
    ASSISTANT = "assistant"


class Status(StrEnum):
    """How far a message is; a prompt is always complete."""

    COMPLETE = "complete"
    STREAMING = "streaming"
    STOPPED = "stopped"
    INTERRUPTED = "interrupted"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Attachment:
    """A text file sent with a prompt."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class RunSummary:
    """What a run was asked to be and what became of it, apart from its rounds.

    Attributes:
        model, drafter: names of what was loaded; drafter is None where none was.
        seed: the seed that makes the same reply again; `thinking`: the template opened a block that it goes on with.
        note: why speculation did not run, or ran otherwise than asked.
        finish: why it ended, None while it runs or if it failed.
    """

    model: str
    drafter: str | None
    params: SessionParams
    seed: int | None = None
    note: str | None = None
    finish: FinishReason | None = None
    prompt_tokens: int = 0
    cached_tokens: int = 0
    prompt_ms: float = 0.0
    shadow_confirmations: int = 0
    thinking: bool = False


@dataclass(frozen=True, slots=True)
class Message:
    """One turn.

    Attributes:
        parent: id of the message it answers or follows; None for a first message.
        content: the raw text, attachments not included.
        created: seconds since the epoch.
        run: for a reply, its newest run: continuing a reply adds a run.
        error: the sentence of a failed reply.
    """

    id: str
    parent: str | None
    role: Role
    content: str
    created: float
    status: Status = Status.COMPLETE
    attachments: tuple[Attachment, ...] = ()
    run: RunSummary | None = None
    error: str | None = None

    @property
    def model(self) -> str | None:
        """Name of the model that wrote it."""
        return None if self.run is None else self.run.model

    @property
    def can_continue(self) -> bool:
        """Whether the reply ended before its end and can be taken up again."""
        early = self.run is not None and self.run.finish in (FinishReason.LENGTH, FinishReason.CONTEXT)
        cut = self.status in (Status.STOPPED, Status.INTERRUPTED, Status.FAILED)
        return self.role is Role.ASSISTANT and (cut or (early and self.status is Status.COMPLETE))

    @property
    def prompt_text(self) -> str:
        """What the model reads for this turn: the attachments, each under its name, then the text."""
        parts = [f"{a.name}:\n{_fenced(a.text)}" for a in self.attachments]
        return "\n\n".join([*parts, self.content] if self.content else parts)


@dataclass(frozen=True, slots=True)
class Version:
    """Which of the siblings a message is, counted from 1: "2 of 3"."""

    number: int
    count: int
    ids: tuple[str, ...]

    def neighbour(self, step: int) -> str | None:
        """Return the id of the version `step` further, None past either end."""
        number = self.number + step
        return self.ids[number - 1] if 1 <= number <= self.count else None

    def __str__(self) -> str:
        return f"{self.number} of {self.count}"


@dataclass(frozen=True)
class Conversation:
    """A tree of messages and the choices that make one path of it.

    Attributes:
        messages: in the order they were made; a parent comes before its children.
        chosen: the child shown below a message (None: below the beginning); without a choice, the newest.
        system_prompt, params: None follow the settings.
        named: the title was given by a person and is not replaced by one made from the first prompt.
        deleted: when it was moved to Recently Deleted.
    """

    id: str
    title: str
    created: float
    updated: float
    messages: tuple[Message, ...] = ()
    chosen: Mapping[str | None, str] = field(default_factory=lambda: MappingProxyType({}))
    system_prompt: str | None = None
    params: SessionParams | None = None
    named: bool = False
    deleted: float | None = None

    @cached_property
    def _by_id(self) -> dict[str, Message]:
        return {m.id: m for m in self.messages}

    @cached_property
    def _children(self) -> dict[str | None, list[str]]:
        children: dict[str | None, list[str]] = {}
        for m in self.messages:
            children.setdefault(m.parent, []).append(m.id)
        return children

    @cached_property
    def path(self) -> tuple[Message, ...]:
        """The messages that are shown, first to last."""
        found: list[Message] = []
        below: str | None = None
        while below in self._children:
            below = self.chosen.get(below) or self._children[below][-1]
            found.append(self._by_id[below])
        return tuple(found)

    def message(self, id: str) -> Message:
        """Return a message by its id."""
        found = self._by_id.get(id)
        if found is None:
            raise BugError(f"conversation {self.id} has no message {id}")
        return found

    def version(self, id: str) -> Version:
        """Return which of its siblings a message is."""
        ids = tuple(self._children[self.message(id).parent])
        return Version(ids.index(id) + 1, len(ids), ids)

    def add(self, message: Message) -> Conversation:
        """Append a message and show it, and with it everything above it."""
        if message.id in self._by_id:
            raise BugError(f"message {message.id} is in the conversation already")
        if message.parent is not None:
            self.message(message.parent)
        grown = replace(self, messages=(*self.messages, message), updated=max(self.updated, message.created))
        return grown.choose(message.id)

    def replaced(self, message: Message) -> Conversation:
        """Return the conversation with a newer state of a message; its place in the tree stays."""
        old = self.message(message.id)
        if (old.parent, old.role) != (message.parent, message.role):
            raise BugError(f"message {message.id} would change its place")
        return replace(self, messages=tuple(message if m is old else m for m in self.messages))

    def choose(self, id: str) -> Conversation:
        """Show a message: at every fork above it, the branch that leads to it."""
        chosen = dict(self.chosen)
        node = self.message(id)
        while True:
            chosen[node.parent] = node.id
            if node.parent is None:
                return replace(self, chosen=MappingProxyType(chosen))
            node = self.message(node.parent)

    def switched(self, id: str, step: int) -> Conversation:
        """Show the version `step` further on from `id`; past either end nothing changes."""
        neighbour = self.version(id).neighbour(step)
        return self if neighbour is None else self.choose(neighbour)

    def edited(self, id: str, content: str, attachments: tuple[Attachment, ...] | None = None) -> Message:
        """Return a new version of a prompt, to be added: the old one stays beside it."""
        old = self.message(id)
        if old.role is not Role.USER:
            raise BugError(f"message {id} is a reply; a reply is regenerated, not edited")
        kept = old.attachments if attachments is None else attachments
        return Message(new_id(), old.parent, Role.USER, content, time.time(), attachments=kept)

    def regenerated(self, id: str, run: RunSummary) -> Message:
        """Return an empty new version of a reply, to be added and streamed into."""
        old = self.message(id)
        if old.role is not Role.ASSISTANT or old.parent is None:
            raise BugError(f"message {id} is not a reply")
        return reply_to(old.parent, run)

    def turns(self, default_system: str = "", upto: str | None = None) -> tuple[tuple[str, str], ...]:
        """Return the shown path as (role, text) for a model.

        A reply stopped before its first token is no turn, and prompts that then follow each other become one: some
        templates refuse roles that do not alternate.

        Args:
            default_system: the system prompt of a conversation without its own; an empty one is left out.
            upto: id of the last message to include; the leaf without it.
        """
        system = default_system if self.system_prompt is None else self.system_prompt
        turns: list[tuple[str, str]] = [("system", system)] if system.strip() else []
        for m in self.path if upto is None else self.above(upto):
            text = m.prompt_text
            if not text:
                continue
            if turns and turns[-1][0] == m.role:
                turns[-1] = (str(m.role), f"{turns[-1][1]}\n\n{text}")
            else:
                turns.append((str(m.role), text))
        return tuple(turns)

    def above(self, id: str) -> tuple[Message, ...]:
        """Return the messages from the beginning down to `id`, shown or not."""
        found = [self.message(id)]
        while (parent := found[-1].parent) is not None:
            found.append(self.message(parent))
        return tuple(reversed(found))


def new_id() -> str:
    """Return an id nothing else has."""
    return uuid.uuid4().hex


def new_conversation(title: str = UNTITLED, now: float | None = None) -> Conversation:
    """Return an empty conversation."""
    created = time.time() if now is None else now
    return Conversation(new_id(), title, created, created)


def prompt_below(parent: str | None, content: str, attachments: tuple[Attachment, ...] = ()) -> Message:
    """Return a prompt that follows `parent`."""
    return Message(new_id(), parent, Role.USER, content, time.time(), attachments=attachments)


def reply_to(prompt: str, run: RunSummary) -> Message:
    """Return the empty reply to a prompt, to be streamed into."""
    return Message(new_id(), prompt, Role.ASSISTANT, "", time.time(), Status.STREAMING, run=run)


def title_from(prompt: str) -> str:
    """Make a title from a first prompt: its first line, cut at a word."""
    line = next((" ".join(part.split()) for part in prompt.splitlines() if part.strip()), "")
    if len(line) <= _TITLE_LENGTH:
        return line or UNTITLED
    cut = line[:_TITLE_LENGTH].rsplit(" ", 1)[0]
    return (cut if len(cut) > _TITLE_LENGTH // 2 else line[:_TITLE_LENGTH]).rstrip(" ,;:.") + "…"


def _fenced(text: str) -> str:
    """A code block whose fence no run of backticks in the text can close."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}\n{text}\n{fence}"
