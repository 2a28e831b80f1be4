"""A hub that serves one small model, and an empty cache to fetch it into."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from library.fetching import REPO
from library.hub_repos import whole_model
from library.hub_server import HubServer


@pytest.fixture
def served(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    with HubServer({REPO: whole_model(tmp_path / "source")}) as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        yield server


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    (tmp_path / "cache").mkdir()
    return tmp_path / "cache"
