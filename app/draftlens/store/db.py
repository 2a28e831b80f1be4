"""One writer thread with a queue, and connections for readers: the only place that opens the database for work."""

from __future__ import annotations

import contextlib
import heapq
import itertools
import logging
import sqlite3
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

from draftlens.core.errors import BugError, UserError
from draftlens.store.events import SaveFailed, SaveResumed, StoreEvent, damaged, passes, read_error, save_error

LOG = logging.getLogger("draftlens.store")

T = TypeVar("T")
Job = Callable[[sqlite3.Connection], T]

_BUSY_MS = 3000
_WAL_BYTES = 16 * 1024 * 1024


class Database:
    """The open database.

    Owner: whoever opened it closes it, once. Every method may be called from any thread.

    Invariants:
        The writing connection is used by the writer thread only. Jobs run one at a time, in the order they were
        queued, each in a transaction of its own. A job that fails for a cause outside (full disk) is run again until
        it succeeds, and those behind it wait: so a job must bear being run twice. A reader sees whole transactions.

    Args:
        path: a file with the newest schema, see `opening`.
        report: told of trouble and of its end, on the writer thread.
        retry_seconds: pause between two attempts.
    """

    def __init__(
        self, path: Path, report: Callable[[StoreEvent], None] = lambda event: None, retry_seconds: float = 1.0
    ) -> None:
        self.path = path
        self._report = report
        self._retry_seconds = retry_seconds
        self._changed = threading.Condition()
        self._queue: deque[tuple[Job[Any], Future[Any]]] = deque()
        self._later: list[tuple[float, int, Job[Any]]] = []
        self._numbers = itertools.count()
        self._busy = False
        self._closing = False
        self._in_trouble = False
        self._lost = False
        self._idle_readers: list[sqlite3.Connection] = []
        self._closed = False
        self._writing = connect(path)
        # A daemon, because a disk that hangs must not keep the program from ending; `close` waits for the rest.
        self._thread = threading.Thread(target=self._run, name="store", daemon=True)
        self._thread.start()

    def write(self, job: Job[T]) -> Future[T]:
        """Queue a job; the future holds its result once it is committed.

        The future fails only for what trying again cannot mend, or if the database was closed before it succeeded.
        Its callbacks run on the writer thread.
        """
        future: Future[T] = Future()
        # Running from the start, so that nobody can cancel what is promised to be written.
        future.set_running_or_notify_cancel()
        with self._changed:
            if self._closing:
                future.set_exception(UserError("The last changes could not be saved: Draftlens is closing."))
                return future
            self._queue.append((job, future))
            self._changed.notify_all()
        return future

    def write_later(self, job: Job[object], seconds: float) -> None:
        """Run a job after a time, or when the database closes, whichever comes first."""
        with self._changed:
            if self._closing:
                return
            heapq.heappush(self._later, (time.monotonic() + seconds, next(self._numbers), job))
            self._changed.notify_all()

    @contextlib.contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection that sees one moment of the database.

        Raises:
            UserError: the database cannot be read.
        """
        with self._changed:
            if self._closed:
                raise BugError("the database is closed")
            connection = self._idle_readers.pop() if self._idle_readers else None
        try:
            if connection is None:
                connection = connect(self.path, read_only=True)
            connection.execute("BEGIN")
            yield connection
        except sqlite3.DatabaseError as error:
            self._note(error)
            raise read_error(error) from error
        finally:
            if connection is not None:
                self._take_back(connection)

    def flush(self, timeout: float | None = None) -> bool:
        """Wait until everything queued so far is written; what is due later is not waited for."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._queue and not self._busy, timeout)

    def close(self, timeout: float = 2.0) -> bool:
        """Write what waits, also what is due later, and close; return whether everything was written in time."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
        self._thread.join(timeout)
        with self._changed:
            self._closed = True
            readers, self._idle_readers = self._idle_readers, []
            written = not (self._thread.is_alive() or self._lost)
        for connection in readers:
            connection.close()
        if not self._thread.is_alive():
            self._writing.close()
        return written

    def _take_back(self, connection: sqlite3.Connection) -> None:
        with contextlib.suppress(sqlite3.Error):
            if connection.in_transaction:
                connection.execute("ROLLBACK")
        with self._changed:
            if not self._closed:
                self._idle_readers.append(connection)
                return
        connection.close()

    def _run(self) -> None:
        while (taken := self._next()) is not None:
            job, future = taken
            try:
                self._until_written(job, future)
            finally:
                with self._changed:
                    self._busy = False
                    self._changed.notify_all()

    def _next(self) -> tuple[Job[Any], Future[Any]] | None:
        """Wait for a job; None when closing and nothing is left."""
        with self._changed:
            while True:
                # To the end of the queue: what was queued before it was scheduled must come before it.
                while self._later and (self._closing or self._later[0][0] <= time.monotonic()):
                    self._queue.append((heapq.heappop(self._later)[2], Future()))
                if self._queue:
                    self._busy = True
                    return self._queue.popleft()
                if self._closing:
                    return None
                self._changed.wait(self._later[0][0] - time.monotonic() if self._later else None)

    def _until_written(self, job: Job[Any], future: Future[Any]) -> None:
        while True:
            try:
                result = self._once(job)
            except Exception as error:
                if passes(error) and not self._give_up():
                    self._say_once(error)
                    with self._changed:
                        self._changed.wait_for(lambda: self._closing, self._retry_seconds)
                    continue
                LOG.exception("a write failed")
                self._note(error)
                self._tell(SaveFailed(save_error(error), retrying=False))
                self._lost = self._lost or passes(error)
                future.set_exception(save_error(error))
                return
            if self._in_trouble:
                with self._changed:
                    waiting = bool(self._queue)
                if not waiting:
                    self._in_trouble = False
                    self._tell(SaveResumed())
            future.set_result(result)
            return

    def _give_up(self) -> bool:
        """Whether the one attempt after `close` was this one."""
        with self._changed:
            return self._closing and self._in_trouble

    def _once(self, job: Job[Any]) -> Any:
        connection = self._writing
        connection.execute("BEGIN IMMEDIATE")
        try:
            result = job(connection)
            connection.execute("COMMIT")
        except BaseException:
            # A full disk may have rolled back by itself.
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise
        return result

    def _say_once(self, error: Exception) -> None:
        if not self._in_trouble:
            self._in_trouble = True
            LOG.warning("saving fails and is tried again: %s", error)
            self._tell(SaveFailed(save_error(error), retrying=True))

    def _tell(self, event: StoreEvent) -> None:
        """Report an event; a listener that fails must not end the writer."""
        try:
            self._report(event)
        except Exception:
            LOG.exception("the listener of the store failed")

    def _note(self, error: BaseException) -> None:
        """Have a damaged file looked at closely at the next start."""
        if damaged(error):
            with contextlib.suppress(OSError):
                suspicion_of(self.path).touch()


def suspicion_of(path: Path) -> Path:
    """The empty file that asks for a close look at the database at the next start."""
    return path.with_name(path.name + "-suspect")


def connect(path: Path, *, read_only: bool = False) -> sqlite3.Connection:
    """Open a connection as all of ours are; any thread may use it, one at a time."""
    connection = sqlite3.connect(path, timeout=_BUSY_MS / 1000, isolation_level=None, check_same_thread=False)
    try:
        if read_only:
            connection.execute("PRAGMA query_only = ON")
            return connection
        connection.execute("PRAGMA journal_mode = WAL")
        # One flush to disk a second costs nothing and keeps the last second also when the power goes.
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute(f"PRAGMA journal_size_limit = {_WAL_BYTES}")
    except BaseException:
        connection.close()
        raise
    return connection
