"""A reply as it streams: its rounds and text reach the disk about once a second, whatever happens to the program."""

from __future__ import annotations

import threading
import zlib
from collections.abc import Sequence
from concurrent.futures import Future
from dataclasses import dataclass, replace
from sqlite3 import Connection

from draftlens.core.chat import Message, RunSummary, Status
from draftlens.core.errors import BugError, UserError
from draftlens.core.round import FinishReason, Round
from draftlens.core.values import clean
from draftlens.store.codec import pack, unpack
from draftlens.store.db import Database
from draftlens.store.rows import choose_path, insert_message, insert_run, summary_of, summary_text

CHECKPOINT_SECONDS = 0.4
"""Much less than the second that may be lost, because the way to here and committing take their time too."""


@dataclass(frozen=True, slots=True)
class RunRecord:
    """One run of a reply: what was asked, where in the reply its text starts, and its rounds."""

    start: int
    summary: RunSummary
    rounds: tuple[Round, ...]


class ReplyWriter:
    """Takes a reply while it grows and puts it on disk; made by `begin` or `resume`.

    Owner: the thread that hears of the rounds calls `append` and then exactly one of `finish`, `fail` and `interrupt`;
    none of them waits for the disk. `committed` may be waited for anywhere.

    Invariants:
        Whatever was appended is on disk at most `CHECKPOINT_SECONDS` later, also if nothing more is appended; while
        the disk refuses, it stays in memory and is tried again. Text and rounds of one checkpoint are written together
        or not at all. Without an end, the reply is "interrupted" at the next start.

    Attributes:
        committed: done once the prompt and the empty reply are on disk; start generating then.
    """

    def __init__(self, db: Database, message: Message, start: int, committed: Future[None]) -> None:
        if message.run is None:
            raise BugError(f"reply {message.id} has no run")
        self.committed = committed
        self._db = db
        self._message = message.id
        self._run = message.run
        self._start = start
        self._lock = threading.Lock()
        self._rounds: list[Round] = []
        self._text: list[str] = []
        self._scheduled = False
        self._ended = False

    def start(self, seed: int, note: str | None, *, thinking: bool) -> None:
        """Keep what is known once the reply begins, so that it is also known of one that never ends."""
        self._keep(replace(self._run, seed=seed, note=note, thinking=thinking))

    def read(self, tokens: int, cached: int, ms: float) -> None:
        """Keep what the prompt took: its tokens, those of them taken from a cache, and its milliseconds."""
        self._keep(replace(self._run, prompt_tokens=tokens, cached_tokens=cached, prompt_ms=ms))

    def _keep(self, run: RunSummary) -> None:
        self._run = run
        self._db.write(
            lambda connection: connection.execute(
                "UPDATE run SET summary = ? WHERE row = ?", (summary_text(run), self._row(connection))
            )
        )

    def append(self, rounds: Sequence[Round], text: str) -> None:
        """Take the newest rounds and the characters they released."""
        with self._lock:
            if self._ended:
                raise BugError(f"reply {self._message} has ended")
            self._rounds += rounds
            if text:
                self._text.append(text)
            if self._scheduled or not (rounds or text):
                return
            self._scheduled = True
        self._db.write_later(_Checkpoint(self).write, CHECKPOINT_SECONDS)

    def finish(
        self,
        reason: FinishReason,
        *,
        tail: str = "",
        seed: int | None = None,
        note: str | None = None,
        shadow_confirmations: int = 0,
        prefill: tuple[int, int, float] | None = None,
    ) -> Future[RunSummary]:
        """End the reply; the future holds the final summary once it is on disk.

        Args:
            tail: characters that were held back and are now released.
            prefill: the prompt's tokens, those of them taken from a cache, and its milliseconds.
        """
        tokens, cached, ms = prefill or (self._run.prompt_tokens, self._run.cached_tokens, self._run.prompt_ms)
        run = replace(
            self._run,
            finish=reason,
            seed=seed,
            note=note,
            shadow_confirmations=shadow_confirmations,
            prompt_tokens=tokens,
            cached_tokens=cached,
            prompt_ms=ms,
        )
        status = Status.STOPPED if reason is FinishReason.STOPPED else Status.COMPLETE
        return self._end(status, run, tail, None)

    def fail(self, sentence: str) -> Future[RunSummary]:
        """End the reply with an error; what was appended stands."""
        return self._end(Status.FAILED, self._run, "", sentence)

    def interrupt(self) -> Future[RunSummary]:
        """End the reply because the program closes or the engine died."""
        return self._end(Status.INTERRUPTED, self._run, "", None)

    def _end(self, status: Status, run: RunSummary, tail: str, error: str | None) -> Future[RunSummary]:
        with self._lock:
            if self._ended:
                raise BugError(f"reply {self._message} has ended already")
            self._ended = True
            if tail:
                self._text.append(tail)
        checkpoint = _Checkpoint(self)

        def job(connection: Connection) -> RunSummary:
            checkpoint.write(connection)
            connection.execute("UPDATE run SET summary = ? WHERE row = ?", (summary_text(run), self._row(connection)))
            connection.execute(
                "UPDATE message SET status = ?, error = ? WHERE id = ?",
                (str(status), None if error is None else clean(error), self._message),
            )
            return run

        return self._db.write(job)

    def _take(self) -> tuple[list[Round], str]:
        with self._lock:
            rounds, text = self._rounds, "".join(self._text)
            self._rounds, self._text = [], []
            self._scheduled = False
        return rounds, text

    def _row(self, connection: Connection) -> int | None:
        """The row of the run; None if the conversation was deleted for good meanwhile."""
        found = connection.execute(
            "SELECT max(run.row) FROM run JOIN message m ON run.message = m.row WHERE m.id = ?", (self._message,)
        ).fetchone()
        return None if found is None else found[0]


class _Checkpoint:
    """What one checkpoint writes: taken from the writer once, kept for every further attempt."""

    def __init__(self, writer: ReplyWriter) -> None:
        self._writer = writer
        self._taken: tuple[bytes | None, str] | None = None

    def write(self, connection: Connection) -> None:
        if self._taken is None:
            rounds, text = self._writer._take()
            self._taken = (pack(rounds) if rounds else None, clean(text))
        blob, text = self._taken
        row = self._writer._row(connection)
        if row is None:
            return
        if blob is not None:
            connection.execute("INSERT INTO chunk (run, rounds) VALUES (?, ?)", (row, blob))
        if text:
            connection.execute("UPDATE message SET content = content || ? WHERE id = ?", (text, self._writer._message))


def begin(db: Database, conversation: str, prompt: Message | None, reply: Message) -> ReplyWriter:
    """Commit a prompt and the empty reply to it, both chosen, and return the writer of the reply.

    Args:
        prompt: None where the prompt is there already, as when regenerating.
        reply: streaming, with its run; text it holds already is kept before the run's own.
    """
    if reply.status is not Status.STREAMING or reply.run is None:
        raise BugError(f"reply {reply.id} is not one to stream into")
    run = reply.run

    def job(connection: Connection) -> None:
        if prompt is not None:
            insert_message(connection, conversation, prompt)
        row = insert_message(connection, conversation, reply)
        if row is not None:
            insert_run(connection, row, len(reply.content), run)
            choose_path(connection, reply.id)

    return ReplyWriter(db, reply, len(reply.content), db.write(job))


def resume(db: Database, reply: Message, run: RunSummary) -> ReplyWriter:
    """Continue a reply that ended early: the same message, with one more run."""
    if not reply.can_continue:
        raise BugError(f"reply {reply.id} cannot be continued")

    def job(connection: Connection) -> None:
        found = connection.execute("SELECT row FROM message WHERE id = ?", (reply.id,)).fetchone()
        if found is not None:
            connection.execute("UPDATE message SET status = 'streaming', error = NULL WHERE row = ?", (found[0],))
            insert_run(connection, found[0], len(reply.content), run)

    return ReplyWriter(db, replace(reply, status=Status.STREAMING, run=run), len(reply.content), db.write(job))


def runs(db: Database, message: str) -> tuple[RunRecord, ...]:
    """Read the runs of a reply with their rounds, first to last.

    Raises:
        UserError: the database or these rounds cannot be read.
    """
    with db.reading() as connection:
        return runs_from(connection, message)


def runs_from(connection: Connection, message: str) -> tuple[RunRecord, ...]:
    """Read the runs of a reply within a larger transaction."""
    rows = connection.execute(
        "SELECT run.row, run.start, run.params, run.summary FROM run JOIN message m ON run.message = m.row "
        "WHERE m.id = ? ORDER BY run.row",
        (message,),
    ).fetchall()
    return tuple(
        RunRecord(start, summary_of(params, summary), _rounds(connection, row)) for row, start, params, summary in rows
    )


def _rounds(connection: Connection, run: int) -> tuple[Round, ...]:
    blobs = connection.execute("SELECT rounds FROM chunk WHERE run = ? ORDER BY row", (run,)).fetchall()
    try:
        return tuple(round_ for (blob,) in blobs for round_ in unpack(blob))
    except (ValueError, KeyError, TypeError, zlib.error) as error:
        raise UserError(f"The rounds of this reply cannot be read: {error}.", "Its text is not affected.") from error
