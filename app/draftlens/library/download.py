"""A model on its way: its files side by side into the hub cache, continued where they stopped, checked by hash."""

from __future__ import annotations

import contextlib
import fcntl
import functools
import logging
import os
import shutil
import threading
import time
from collections import deque
from collections.abc import Iterator
from pathlib import Path

import requests

from draftlens.core.errors import UserError
from draftlens.library import manifest, side_by_side, sizes, staging, transfer
from draftlens.library.content_hash import matches
from draftlens.library.download_state import Patience, Progress, State
from draftlens.library.hub import Hub
from draftlens.library.hub_errors import PASSING, HubError, Trouble
from draftlens.library.manifest import Manifest, Part
from draftlens.library.transfer import Stop, Stopped

LOG = logging.getLogger("draftlens.library")

STALL_SECONDS = 15.0
FILES_AT_ONCE = 4
SPARE = 200_000_000
"""What is left free on the disk, so that the system goes on working."""
_RATE_SECONDS, _RATE_STEP = 5.0, 0.1
_SPACE_EVERY = 64_000_000
_LOCK = ".draftlens.lock"


class Download:
    """Fetches one manifest. `start` and the others return at once; `progress` may be asked at any time."""

    def __init__(self, wanted: Manifest, cache: Path, hub: Hub, patience: Patience | None = None) -> None:
        self.manifest, self.cache = wanted, cache
        self._hub, self._patience = hub, patience or Patience()
        self._lock = threading.Lock()
        self._stop = Stop()
        self._asked = False
        self._thread: threading.Thread | None = None
        self._problem: UserError | None = None
        # Whose next try is waited for: what arrives of other files says nothing about it.
        self._hindered: Part | None = None
        self._done = wanted.done(cache)
        self._times: deque[tuple[float, int]] = deque()
        self._last = 0.0
        self._since_check = 0
        self._state = State.DONE if wanted.is_complete(cache) else State.PAUSED

    @property
    def repo(self) -> str:
        return self.manifest.repo

    @property
    def state(self) -> State:
        return self._state

    def queue(self) -> None:
        """Wait for a turn."""
        if not self._state.active and self._state is not State.DONE:
            self._state = State.QUEUED

    def start(self) -> None:
        """Go on fetching; a file that is there is not fetched again."""
        if self._state.active or self._state is State.DONE:
            return
        before = self._thread
        self._stop, self._asked, self._problem, self._hindered = Stop(), False, None, None
        self._done, self._last = self.manifest.done(self.cache), time.monotonic()
        self._times.clear()
        self._state = State.DOWNLOADING
        self._thread = threading.Thread(target=self._run, args=(self._stop, before), name="download", daemon=True)
        self._thread.start()

    def pause(self) -> None:
        """Stop; what arrived stays."""
        self._asked = True
        self._stop.ask()
        if self._state in (State.DOWNLOADING, State.QUEUED, State.VERIFYING):
            self._state = State.PAUSED

    def cancel(self) -> None:
        """Stop and delete what was fetched of it and belongs to nothing else."""
        self.pause()
        self.join(5)
        wanted, cache = self.manifest, self.cache
        folder = wanted.folder(cache)
        installed = wanted.snapshot(cache).exists()
        used = {os.path.realpath(link) for link in folder.glob("snapshots/*/**/*")}
        for part in wanted.files:
            wanted.partial(cache, part).unlink(missing_ok=True)
            blob = wanted.blob(cache, part)
            if not installed and os.path.realpath(blob) not in used:
                blob.unlink(missing_ok=True)
        manifest.forget(wanted, cache)
        (folder / _LOCK).unlink(missing_ok=True)
        for empty in (folder / "blobs", folder):
            with contextlib.suppress(OSError):
                empty.rmdir()

    def join(self, timeout: float | None = None) -> bool:
        """Wait for the thread; return whether it has ended."""
        if self._thread is not None:
            self._thread.join(timeout)
        return self._thread is None or not self._thread.is_alive()

    def progress(self) -> Progress:
        """Where it stands."""
        now = time.monotonic()
        with self._lock:
            while self._times and now - self._times[0][0] > _RATE_SECONDS:
                self._times.popleft()
            span = now - self._times[0][0] if self._times else 0.0
            rate = sum(count for _, count in self._times) / span if span > 0.2 else None
            done = self._done
        total = self.manifest.size
        stalled = self._state is State.DOWNLOADING and now - self._last > STALL_SECONDS
        left = (total - done) / rate if rate and self._state is State.DOWNLOADING else None
        return Progress(self._state, done, total, rate, left, stalled, self._problem)

    def _run(self, stop: Stop, before: threading.Thread | None) -> None:
        if before is not None:
            # Not by who asks: a connection that is being made takes a moment to be given up.
            before.join()
            self._done = self.manifest.done(self.cache)
        try:
            if stop.asked:
                raise Stopped
            with _alone(self.manifest.folder(self.cache), self.repo):
                manifest.write(self.manifest, self.cache)
                self._require_space(self.manifest.size - self._done)
                self._fetch_all(stop)
                self._install()
                self._settle(stop, State.DONE)
        except Stopped:
            if stop is self._stop:
                self._problem = None
            self._settle(stop, State.PAUSED)
        except UserError as error:
            self._fail(stop, error)
        except OSError as error:
            if staging.is_disk_full(error):
                self._fail(stop, self._no_space(self.manifest.size - self._done))
            else:
                self._fail(stop, UserError(f"{self.repo} cannot be written: {error.strerror or error}."))
        except Exception as error:  # a thread that ends without a word would look like a stalled one
            LOG.exception("download of %s", self.repo)
            self._fail(stop, UserError(f"The download of {self.repo} ended with an error: {type(error).__name__}."))

    def _fail(self, stop: Stop, error: UserError) -> None:
        self._problem = error
        self._settle(stop, State.PAUSED if self._asked else State.FAILED)

    def _settle(self, stop: Stop, state: State) -> None:
        """Unless a later start has taken over."""
        if stop is self._stop:
            self._state = state

    def _fetch_all(self, stop: Stop) -> None:
        blobs: dict[str, Part] = {part.blob: part for part in self.manifest.files}
        with transfer.session() as client:
            work = [functools.partial(self._fetch, part, client, stop) for part in blobs.values()]
            side_by_side.run(work, FILES_AT_ONCE, stop, "download")

    def _fetch(self, part: Part, client: requests.Session, stop: Stop) -> None:
        wanted, cache = self.manifest, self.cache
        blob, partial = wanted.blob(cache, part), wanted.partial(cache, part)
        if blob.is_file() and blob.stat().st_size == part.size:
            return
        blob.parent.mkdir(parents=True, exist_ok=True)
        for last in (False, True):
            self._patiently(part, partial, client, stop)
            self._state_while(stop, State.VERIFYING)
            if matches(partial, part, stop):
                partial.replace(blob)
                self._state_while(stop, State.DOWNLOADING)
                return
            self._arrived(-partial.stat().st_size)
            partial.unlink()
            self._state_while(stop, State.DOWNLOADING)
            if last:
                raise HubError(Trouble.HASH, f"{part.name} of {self.repo}")

    def _state_while(self, stop: Stop, state: State) -> None:
        """Verifying is shown only when it is all there is left to do."""
        if stop is self._stop and not stop.asked and self._state.active:
            everything = self._done >= self.manifest.size
            self._state = state if everything or state is State.DOWNLOADING else self._state

    def _patiently(self, part: Part, partial: Path, client: requests.Session, stop: Stop) -> None:
        """Fetch a file, trying again with growing pauses while what hinders it may pass."""
        url, what = self._hub.url(self.repo, self.manifest.commit, part.name), f"{part.name} of {self.repo}"
        tries, before = 0, -1
        while True:
            try:

                def ask(auth: dict[str, str]) -> None:
                    transfer.fetch(
                        client, url, auth, partial, part.size, blob=part.blob, what=what, stop=stop,
                        arrived=functools.partial(self._arrived, part=part), patience=self._patience.silence,
                    )  # fmt: skip

                self._hub.with_token(ask)
                return
            except HubError as error:
                if error.trouble not in PASSING:
                    raise
                size = partial.stat().st_size
                tries = 1 if size > before >= 0 else tries + 1
                before = size
                if tries >= self._patience.tries:
                    raise
                self._hindered, self._problem = part, error
                pause = min(self._patience.longest, self._patience.first * 2 ** (tries - 1))
                stop.wait(pause if error.wait is None else min(error.wait, 120.0))

    def _arrived(self, count: int, part: Part | None = None) -> None:
        now = time.monotonic()
        with self._lock:
            self._done += count
            self._last = now
            if count > 0 and part == self._hindered:
                self._hindered = self._problem = None
            if self._times and now - self._times[-1][0] < _RATE_STEP:
                self._times[-1] = (self._times[-1][0], self._times[-1][1] + count)
            else:
                self._times.append((now, count))
            self._since_check += count
            check = self._since_check >= _SPACE_EVERY
            if check:
                self._since_check = 0
        if check and shutil.disk_usage(self.cache).free < SPARE // 2:
            raise self._no_space(self.manifest.size - self._done)

    def _require_space(self, needed: int) -> None:
        if shutil.disk_usage(self.cache).free < needed + SPARE:
            raise self._no_space(needed)

    def _no_space(self, needed: int) -> UserError:
        free = shutil.disk_usage(self.cache).free
        return UserError(
            f"{self.repo} needs {sizes.in_words(needed)} more, and {sizes.in_words(free)} are free on its disk.",
            "Free some space and resume, or cancel to delete the part that is there.",
        )

    def _install(self) -> None:
        """Link every file into the snapshot, then say that `main` is there: only now do other tools see it."""
        wanted, cache = self.manifest, self.cache
        for part in wanted.files:
            link = wanted.snapshot(cache) / part.name
            link.parent.mkdir(parents=True, exist_ok=True)
            if not wanted.is_whole(cache, part):
                link.unlink(missing_ok=True)
                _link(wanted.blob(cache, part), link)
        if wanted.revision == wanted.commit:
            return
        ref = wanted.folder(cache) / "refs" / wanted.revision
        ref.parent.mkdir(parents=True, exist_ok=True)
        fresh = ref.with_suffix(".new")
        fresh.write_text(wanted.commit, encoding="utf-8")
        fresh.replace(ref)


@contextlib.contextmanager
def _alone(folder: Path, repo: str) -> Iterator[None]:
    """One process at a time writes the parts of a repository."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / _LOCK).open("w") as lock:
        try:
            fcntl.flock(lock.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise UserError(f"Another Draftlens is fetching {repo}.", "Wait for it, or resume here later.") from None
        yield


def _link(blob: Path, link: Path) -> None:
    try:
        link.symlink_to(os.path.relpath(blob, link.parent))
    except OSError:
        # A file system without links: the file itself is moved, as other tools of the hub do there.
        shutil.move(blob, link)
