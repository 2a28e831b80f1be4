"""Conversations for the tests of the store, and how they are put into it."""

from __future__ import annotations

from draftlens.core.chat import (
    Conversation,
    Message,
    Role,
    RunSummary,
    new_conversation,
    prompt_below,
    reply_to,
)
from draftlens.core.params import SamplingParams, SessionParams
from draftlens.core.round import FinishReason, Round
from draftlens.core.rules import RuleId
from draftlens.store import conversations, messages, records
from draftlens.store.db import Database
from draftlens.store.records import ReplyWriter

PARAMS = SessionParams(
    SamplingParams(temperature=0.5, logit_bias=((3, float("-inf")), (4, 1.5))), rule=RuleId.STOCHASTIC, stop=("END",)
)
RUN = RunSummary("target", "drafter", PARAMS)


def saved(db: Database, title: str = "A chat", *texts: str, at: float = 1000.0) -> Conversation:
    """Create a conversation whose messages have these texts, prompt and reply in turn."""
    conversation = new_conversation(title, at)
    conversations.create(db, conversation)
    parent: str | None = None
    for i, text in enumerate(texts):
        role = Role.ASSISTANT if i % 2 else Role.USER
        message = Message(f"{conversation.id}-{i}", parent, role, text, at + i, run=RUN if i % 2 else None)
        messages.add(db, conversation.id, message)
        conversation = conversation.add(message)
        parent = message.id
    db.flush()
    return conversation


def begun(db: Database, text: str = "Tell me") -> tuple[Conversation, Message, ReplyWriter]:
    """Begin a reply in a new conversation; return them as they are on disk."""
    conversation = saved(db)
    prompt = prompt_below(None, text)
    reply = reply_to(prompt.id, RUN)
    writer = records.begin(db, conversation.id, prompt, reply)
    writer.committed.result(5)
    return conversation.add(prompt).add(reply), reply, writer


def reloaded(db: Database, conversation: Conversation) -> Conversation:
    """Return what the database holds of a conversation."""
    db.flush()
    found = messages.load(db, conversation.id)
    assert found is not None
    return found


def rounds_of(db: Database, reply: Message) -> list[Round]:
    """Return the rounds of all runs of a reply."""
    return [round_ for run in records.runs(db, reply.id) for round_ in run.rounds]


STOPPED = FinishReason.STOPPED
