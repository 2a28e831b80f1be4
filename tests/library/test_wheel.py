"""A fetch brings the pinned bytes or a sentence; whoever ends it, no download goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from draftlens.core.errors import UserError
from draftlens.library import wheel
from draftlens.library.wheel import Wheel
from library.loopback_index import NAME, Index, pinned, toy_wheel

HINT = "Use a copy."


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> Iterator[Index]:
    with Index(toy_wheel()).serving() as serving:
        monkeypatch.setenv("PIP_INDEX_URL", serving.url)
        monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
        monkeypatch.delenv("PIP_EXTRA_INDEX_URL", raising=False)
        yield serving


def test_the_pinned_wheel_arrives(index: Index, tmp_path: Path) -> None:
    seen: list[float] = []
    found = wheel.fetch(pinned(index.content), tmp_path, seen.append, HINT)
    assert found == tmp_path / NAME
    assert found.read_bytes() == index.content
    assert all(0 <= fraction <= 1 for fraction in seen)


def test_other_bytes_under_the_same_name_are_refused(index: Index, tmp_path: Path) -> None:
    pin = pinned(index.content)
    index.content = index.content.replace(b"xxxx", b"xxxy", 1)
    with pytest.raises(UserError, match=r"not that of toy-wheel==1\.0: its SHA-256 differs"):
        wheel.fetch(pin, tmp_path, lambda fraction: None, HINT)
    assert list(tmp_path.glob("*.whl")) == []


def test_a_package_that_is_not_there_is_a_sentence(index: Index, tmp_path: Path) -> None:
    index.missing = True
    with pytest.raises(UserError, match=r"toy-wheel==1\.0 could not be fetched: No matching distribution") as caught:
        wheel.fetch(pinned(index.content), tmp_path, lambda fraction: None, HINT)
    assert caught.value.next_step == HINT


def test_no_network_is_a_sentence_with_the_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Port 9 of the loopback interface refuses connections, as an unplugged network would.
    monkeypatch.setenv("PIP_INDEX_URL", "http://127.0.0.1:9/simple")
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    with pytest.raises(UserError, match="the package index cannot be reached") as caught:
        wheel.fetch(Wheel("toy-wheel", "1.0", "0" * 64, 1), tmp_path, lambda fraction: None, HINT)
    assert caught.value.next_step == HINT


def test_progress_follows_the_growing_file_and_stopping_closes_the_connection(index: Index, tmp_path: Path) -> None:
    index.hang_after = 200_000

    class Stop(Exception):
        pass

    def progress(fraction: float) -> None:
        if fraction > 0.5:
            raise Stop

    with pytest.raises(Stop):
        wheel.fetch(pinned(index.content), tmp_path, progress, HINT)
    assert index.client_left.wait(10)


def test_the_download_ends_when_we_are_killed(index: Index, tmp_path: Path) -> None:
    index.hang_after = 100_000
    pin = pinned(index.content)
    code = (
        "import sys; from pathlib import Path; from draftlens.library.wheel import Wheel, fetch\n"
        f"fetch(Wheel({pin.name!r}, {pin.version!r}, {pin.sha256!r}, {pin.size}), Path(sys.argv[1]), print, '')"
    )
    with subprocess.Popen([sys.executable, "-c", code, str(tmp_path)], stdout=subprocess.DEVNULL) as child:
        assert index.hanging.wait(30)
        os.kill(child.pid, signal.SIGKILL)
    assert index.client_left.wait(10)


def test_a_frozen_program_says_that_it_has_no_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    with pytest.raises(UserError, match=r"has no pip, which fetches toy-wheel==1\.0\. Use a copy\."):
        wheel.fetch(Wheel("toy-wheel", "1.0", "0" * 64, 1), tmp_path, lambda fraction: None, HINT)


def test_a_full_disk_inside_pip_is_the_same_error_as_outside() -> None:
    error = wheel._failed(pinned(b""), "ERROR: Could not install: [Errno 28] No space left on device", HINT)
    assert isinstance(error, OSError)
    assert error.errno == 28
