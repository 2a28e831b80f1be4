"""Several transfers at once on threads that never hold up the end of the program, whatever they wait for."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Sequence

from draftlens.library.transfer import Stop, Stopped

_LOOK_SECONDS = 0.05
_PATIENCE_SECONDS = 0.5
"""How long a stop waits for transfers that read; one that still connects cannot be ended and writes nothing."""

_GRACE_SECONDS = 0.3
"""How long after a failure the others may go on: small files that are nearly there need not be asked for twice."""

Work = Callable[[], object]


def run(work: Sequence[Work], at_once: int, stop: Stop, name: str = "transfer") -> None:
    """Do all of it, so many at a time; the first failure stops the rest and is raised.

    The pool of the standard library would be waited for at the end of the program: a connection that is being made
    to a host that does not answer would keep it ten seconds.

    Raises:
        Stopped: it was asked to stop.
    """
    waiting: queue.SimpleQueue[Work] = queue.SimpleQueue()
    for one in work:
        waiting.put(one)
    over: queue.SimpleQueue[BaseException | None] = queue.SimpleQueue()
    threads = [
        threading.Thread(target=_serve, args=(waiting, over, stop), name=name, daemon=True)
        for _ in range(min(at_once, len(work)))
    ]
    for thread in threads:
        thread.start()
    failed: BaseException | None = None
    ends = 0.0
    try:
        for _ in work:
            if failed is None:
                failed = _next(over, stop)
                ends = time.monotonic() + _GRACE_SECONDS
            elif not _next_before(over, ends):
                break
    finally:
        if failed is not None or stop.asked:
            # The others stop because of it; what is said is the cause.
            stop.ask()
            for thread in threads:
                thread.join(_PATIENCE_SECONDS / len(threads))
    if failed is not None:
        raise failed


def _serve(waiting: queue.SimpleQueue[Work], over: queue.SimpleQueue[BaseException | None], stop: Stop) -> None:
    while not stop.asked:
        try:
            one = waiting.get_nowait()
        except queue.Empty:
            return
        try:
            one()
        except BaseException as error:  # told to who waits for it
            over.put(error)
            return
        over.put(None)


def _next(over: queue.SimpleQueue[BaseException | None], stop: Stop) -> BaseException | None:
    while True:
        try:
            return over.get(timeout=_LOOK_SECONDS)
        except queue.Empty:
            if stop.asked:
                raise Stopped from None


def _next_before(over: queue.SimpleQueue[BaseException | None], ends: float) -> bool:
    try:
        over.get(timeout=max(0.0, ends - time.monotonic()))
    except queue.Empty:
        return False
    return True
