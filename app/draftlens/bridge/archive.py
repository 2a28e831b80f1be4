"""What the window keeps: a thin door to the store that also works where nothing can be kept."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

from draftlens.core.baseline import Baseline, Pair
from draftlens.core.chat import Conversation, Message, RunSummary
from draftlens.core.errors import UserError
from draftlens.core.params import SessionParams
from draftlens.store import baselines, conversations, messages, presets, records, search
from draftlens.store.conversations import Entry
from draftlens.store.db import Database
from draftlens.store.drafts import Draft, Drafts
from draftlens.store.presets import Preset
from draftlens.store.records import ReplyWriter, RunRecord
from draftlens.store.search import Hit

LOG = logging.getLogger("draftlens.bridge")
T = TypeVar("T")


class Archive:
    """The store as the window uses it; without a database everything is forgotten at the end.

    Attributes:
        trouble: told when something cannot be read; what was asked for is then empty.
    """

    def __init__(self, db: Database | None = None) -> None:
        self.db = db
        self.trouble: Callable[[UserError], None] = lambda error: None
        self._baselines: dict[Pair, Baseline] = {}
        self._drafts = None if db is None else Drafts(db)

    def entries(self) -> tuple[Entry, ...]:
        """The conversations, newest first."""
        return self._read(conversations.entries, ())

    def recently_deleted(self) -> tuple[Entry, ...]:
        """What can be restored."""
        return self._read(conversations.recently_deleted, ())

    def search(self, query: str) -> tuple[Hit, ...]:
        """Conversations that hold every word."""
        return self._read(lambda db: search.search(db, query), ())

    def load(self, conversation: str) -> Conversation | None:
        """A conversation with all its messages."""
        return self._read(lambda db: messages.load(db, conversation), None)

    def runs(self, message: str) -> tuple[RunRecord, ...]:
        """The rounds of a reply."""
        return self._read(lambda db: records.runs(db, message), ())

    def create(self, conversation: Conversation) -> None:
        """Add an empty conversation."""
        self._write(lambda db: conversations.create(db, conversation))

    def rename(self, conversation: str, title: str) -> None:
        """Give a title that stays."""
        self._write(lambda db: conversations.rename(db, conversation, title))

    def set_up(self, conversation: str, system_prompt: str | None, params: SessionParams | None) -> None:
        """Keep a conversation's own system prompt and parameters."""
        self._write(lambda db: conversations.set_up(db, conversation, system_prompt, params))

    def delete(self, conversation: str) -> None:
        """Move to Recently Deleted."""
        self._write(lambda db: conversations.delete(db, conversation))

    def restore(self, conversation: str) -> None:
        """Take back out of Recently Deleted."""
        self._write(lambda db: conversations.restore(db, conversation))

    def purge(self, conversation: str) -> None:
        """Delete for good."""
        self._write(lambda db: conversations.purge(db, conversation))

    def begin(self, conversation: str, prompt: Message | None, reply: Message) -> ReplyWriter | None:
        """Commit a prompt and the empty reply to it."""
        return None if self.db is None else records.begin(self.db, conversation, prompt, reply)

    def resume(self, reply: Message, run: RunSummary) -> ReplyWriter | None:
        """Add a run to a reply that ended early."""
        return None if self.db is None else records.resume(self.db, reply, run)

    def choose(self, message: str) -> None:
        """Remember which version is shown."""
        self._write(lambda db: messages.choose(db, message))

    def draft(self, conversation: str) -> Draft:
        """What stands in a composer."""
        drafts = self._drafts
        return Draft() if drafts is None else self._read(lambda db: drafts.read(conversation), Draft())

    def keep_draft(self, conversation: str, draft: Draft) -> None:
        """Keep what stands in a composer."""
        if self._drafts is not None:
            self._drafts.keep(conversation, draft)

    def clear_draft(self, conversation: str) -> None:
        """Forget what stood in a composer."""
        if self._drafts is not None:
            self._drafts.clear(conversation)

    def baseline(self, pair: Pair) -> Baseline | None:
        """The plain baseline of a pair at a context length."""
        if self.db is None:
            return self._baselines.get(pair)
        return self._read(lambda db: baselines.find(db, pair), None)

    def keep_baseline(self, baseline: Baseline) -> None:
        """Keep a measurement in place of an older one."""
        self._baselines[baseline.pair] = baseline
        self._write(lambda db: baselines.keep(db, baseline))
        self.flush()

    def presets(self) -> tuple[Preset, ...]:
        """Named sets of parameters."""
        return self._read(presets.presets, ())

    def save_preset(self, preset: Preset) -> None:
        """Keep a preset."""
        self._write(lambda db: presets.save(db, preset))

    def delete_preset(self, name: str) -> None:
        """Forget a preset."""
        self._write(lambda db: presets.delete(db, name))

    def forget_old(self) -> None:
        """Delete for good what was moved to Recently Deleted long ago."""
        before = time.time() - conversations.KEEP_DELETED_DAYS * 86_400
        self._write(lambda db: conversations.purge_deleted_before(db, before))

    def flush(self, timeout: float = 0.3) -> None:
        """Wait for what was asked so far, so that the next read sees it."""
        if self.db is not None:
            self.db.flush(timeout)

    def _read(self, read: Callable[[Database], T], nothing: T) -> T:
        if self.db is None:
            return nothing
        try:
            return read(self.db)
        except UserError as error:
            LOG.warning("%s", error)
            self.trouble(error)
            return nothing

    def _write(self, write: Callable[[Database], Future[None]]) -> None:
        if self.db is not None:
            write(self.db)
