"""All downloads: two models at a time, the others in turn; what was unfinished at the last end is there again."""

from __future__ import annotations

import threading
import time
from pathlib import Path

from draftlens.library import manifest
from draftlens.library.download import Download
from draftlens.library.download_state import Patience, State
from draftlens.library.hub import Hub
from draftlens.library.manifest import Manifest

MODELS_AT_ONCE = 2


class Downloads:
    """Keeps them in the order they were asked for. `step` gives free places to those that wait."""

    def __init__(self, hub: Hub, patience: Patience | None = None) -> None:
        self._hub, self._patience = hub, patience
        self._lock = threading.Lock()
        self.items: list[Download] = []

    @property
    def unfinished(self) -> list[Download]:
        """Everything that is not done."""
        return [item for item in self.items if item.state is not State.DONE]

    def recover(self, cache: Path) -> None:
        """Take up, paused, what began in a cache and did not end."""
        known = {(item.repo, item.manifest.commit) for item in self.items}
        for found in manifest.unfinished(cache):
            if (found.repo, found.commit) not in known:
                self.items.append(Download(found, cache, self._hub, self._patience))

    def add(self, wanted: Manifest, cache: Path) -> Download:
        """Fetch a model, or go on with it if it has begun."""
        same = (wanted.repo, wanted.commit, wanted.files)
        for item in self.items:
            if (item.repo, item.manifest.commit, item.manifest.files) == same and item.cache == cache:
                if item.state is State.DONE and not wanted.is_complete(cache):
                    self.items.remove(item)
                    break
                self.resume(item)
                return item
        fresh = Download(wanted, cache, self._hub, self._patience)
        self.items.append(fresh)
        self.resume(fresh)
        return fresh

    def resume(self, item: Download) -> None:
        """Start now, or as soon as there is a place."""
        item.queue()
        self.step()

    def pause(self, item: Download) -> None:
        """Stop one; its place goes to the next."""
        item.pause()
        self.step()

    def cancel(self, item: Download) -> None:
        """Stop one and delete its parts."""
        if item in self.items:
            self.items.remove(item)
        item.cancel()
        self.step()

    def clear(self, item: Download) -> None:
        """Take a finished one off the list."""
        if item.state is State.DONE and item in self.items:
            self.items.remove(item)

    def step(self) -> None:
        """Start waiting downloads while there is room."""
        with self._lock:
            running = sum(1 for item in self.items if item.state.active)
            for item in self.items:
                if running >= MODELS_AT_ONCE:
                    break
                if item.state is State.QUEUED:
                    item.start()
                    running += 1

    def close(self, timeout: float = 2.0) -> None:
        """Stop all at the end of the program, within the time; parts stay."""
        for item in self.items:
            item.pause()
        ends = time.monotonic() + timeout
        for item in self.items:
            item.join(max(0.0, ends - time.monotonic()))
