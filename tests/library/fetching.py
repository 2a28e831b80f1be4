"""A download from the loopback hub, and waiting for what it does."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

from draftlens.library import choice, manifest
from draftlens.library.download import Download
from draftlens.library.download_state import Patience
from draftlens.library.hub import Hub

REPO = "acme/toy-1b"
WEIGHTS = "model.safetensors"
QUICK = Patience(tries=3, first=0.02, longest=0.05, silence=0.4)


def begin(cache: Path, hub: Hub | None = None, patience: Patience = QUICK) -> Download:
    hub = hub or Hub()
    fresh = Download(choice.manifest_of(hub.listing(REPO)), cache, hub, patience)
    fresh.start()
    return fresh


def until(fact: Callable[[], bool], seconds: float = 5) -> None:
    end = time.monotonic() + seconds
    while not fact():
        assert time.monotonic() < end
        time.sleep(0.01)


def ended(item: Download) -> Download:
    assert item.join(10)
    return item


def weights(item: Download) -> manifest.Part:
    return next(part for part in item.manifest.files if part.name == WEIGHTS)
