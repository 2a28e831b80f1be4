"""One program for one data folder: a second start asks the first to show its window, and ends.

The claim is a lock the system releases with the process, however that ends. The socket's place is written in the locked
file, because a path in the data folder may be longer than a socket's may be.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import logging
import os
import shutil
import socket
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path

from draftlens.core.errors import UserError

LOG = logging.getLogger("draftlens.store")

LOCK_NAME = "instance.lock"
_RAISE = b"raise\n"
_DONE = b"done\n"
_NO_LOCKS = (errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOLCK)


class Instance:
    """The claim of a running program on a data folder, made by `claim`.

    Owner: the main thread, which closes it last. `on_raise` is called on a thread of its own for every second start.
    """

    def __init__(self, lock: int, on_raise: Callable[[], None]) -> None:
        self._lock = lock
        self._on_raise = on_raise
        # A folder only this person can enter, so that nobody else can answer or ask.
        self._folder = Path(tempfile.mkdtemp(prefix="draftlens-"))
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._socket.bind(str(self._folder / "socket"))
            self._socket.listen()
            _sweep(_read(lock).get("socket"))
            _write(lock, {"pid": os.getpid(), "socket": str(self._folder / "socket")})
        except BaseException:
            self._socket.close()
            shutil.rmtree(self._folder, ignore_errors=True)
            raise
        self._thread = threading.Thread(target=self._listen, name="instance", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Give the folder free for the next start."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        # Not every system wakes an accept by a shutdown; a call of our own does.
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as own:
            own.settimeout(0.2)
            own.connect(str(self._folder / "socket"))
        self._thread.join(1)
        self._socket.close()
        shutil.rmtree(self._folder, ignore_errors=True)
        with contextlib.suppress(OSError):
            os.ftruncate(self._lock, 0)
        os.close(self._lock)

    def _listen(self) -> None:
        while True:
            try:
                caller, _ = self._socket.accept()
            except OSError:
                return
            with caller, contextlib.suppress(OSError):
                caller.settimeout(1)
                if caller.recv(len(_RAISE)) == _RAISE:
                    self._answer(caller)

    def _answer(self, caller: socket.socket) -> None:
        try:
            self._on_raise()
        except Exception:
            LOG.exception("the window was not raised")
            return
        caller.sendall(_DONE)


def claim(folder: Path, on_raise: Callable[[], None], timeout: float = 3.0) -> Instance | None:
    """Claim a data folder; None if another program has it and has raised its window: then end.

    Raises:
        UserError: another program has it and does not answer, or the folder cannot be written to.
    """
    deadline = time.monotonic() + timeout
    try:
        folder.mkdir(parents=True, exist_ok=True)
        while True:
            # No O_TRUNC: the file is the other's until the lock is ours. Not inherited, or a child would keep the lock.
            lock = os.open(folder / LOCK_NAME, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                if _taken(lock):
                    return Instance(lock, on_raise)
                other = _read(lock)
            except BaseException:
                os.close(lock)
                raise
            os.close(lock)
            if _asked(other.get("socket"), deadline):
                return None
            if time.monotonic() >= deadline:
                raise UserError(
                    f"Draftlens is running already (process {other.get('pid', 'unknown')}) but does not answer.",
                    "Use its window, or end it and start again.",
                )
            threading.Event().wait(0.05)
    except OSError as error:
        raise UserError(
            f"The folder {folder} cannot be used: {error.strerror or error}.",
            "Choose another data folder, or make it writable.",
        ) from error


def _taken(lock: int) -> bool:
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        # A network folder without locks: better to run unguarded than not at all.
        if error.errno not in _NO_LOCKS:
            raise
        LOG.warning("the data folder has no locks; a second start will not be noticed")
    return True


def _asked(path: object, deadline: float) -> bool:
    """Ask the other to raise its window; False while it does not answer, as when it only just starts or ends."""
    if not isinstance(path, str):
        return False
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as caller:
            caller.settimeout(max(0.1, deadline - time.monotonic()))
            caller.connect(path)
            caller.sendall(_RAISE)
            return caller.recv(len(_DONE)) == _DONE
    except OSError:
        return False


def _sweep(path: object) -> None:
    """Remove the socket a killed program left; its lock is ours now, so nobody listens there."""
    if isinstance(path, str) and Path(path).name == "socket" and Path(path).parent.name.startswith("draftlens-"):
        with contextlib.suppress(OSError):
            Path(path).unlink(missing_ok=True)
            Path(path).parent.rmdir()


def _write(lock: int, data: dict[str, object]) -> None:
    os.ftruncate(lock, 0)
    os.pwrite(lock, json.dumps(data).encode(), 0)


def _read(lock: int) -> dict[str, object]:
    try:
        data = json.loads(os.pread(lock, 4096, 0))
    except ValueError:
        return {}
    return data if isinstance(data, dict) else {}
