"""A store of its own for every test, and what it said."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from draftlens.store.db import Database
from draftlens.store.events import StoreEvent
from draftlens.store.opening import open_store


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Where the database lies."""
    return tmp_path / "data"


@pytest.fixture
def said() -> list[StoreEvent]:
    """What the store reported."""
    return []


@pytest.fixture
def db(folder: Path, said: list[StoreEvent]) -> Iterator[Database]:
    """An open database without any conversation."""
    opened = open_store(folder, said.append)
    assert opened.notices == ()
    yield opened.database
    opened.database.close()
