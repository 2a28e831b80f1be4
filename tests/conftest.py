"""What every test stands on: its own data folder, no screen needed, and the real demo pair, fetched once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import platformdirs
import pytest

from draftlens import native, paths
from draftlens.library import demo

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# Before any test module imports mlx: later the fast BLAS would not be taken.
native.prepare()

TEST_DATA_VARIABLE = "DRAFTLENS_TEST_DATA"


@pytest.fixture(autouse=True)
def _own_data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the data of the person who runs it."""
    monkeypatch.setenv(paths.DATA_DIR_VARIABLE, str(tmp_path / "data"))


@pytest.fixture(scope="session")
def demo_pair() -> Iterator[demo.DemoPair]:
    """The demo pair as the program makes it, kept between runs in the user's cache folder."""
    kept = os.environ.get(TEST_DATA_VARIABLE) or str(platformdirs.user_cache_path("draftlens-tests", appauthor=False))
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(paths.DATA_DIR_VARIABLE, kept)
        pair = demo.ensure(lambda sentence, fraction: None)
    yield pair
