"""Fetches a repository until it is killed."""

from __future__ import annotations

import sys
from pathlib import Path

from draftlens.library import choice
from draftlens.library.download import Download
from draftlens.library.download_state import Patience
from draftlens.library.hub import Hub

hub = Hub()
item = Download(choice.manifest_of(hub.listing(sys.argv[1])), Path(sys.argv[2]), hub, Patience(silence=60))
item.start()
item.join()
