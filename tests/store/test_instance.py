"""One program for a data folder: a second start raises the first one's window, and a killed one leaves no claim."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from draftlens.core.errors import UserError
from draftlens.store.instance import LOCK_NAME, claim

CHILD = Path(__file__).with_name("instance_child.py")


def nothing() -> None:
    """Stand for a window that is not asked."""


def start(folder: Path) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2] / "app")}
    return subprocess.Popen(
        [sys.executable, str(CHILD), str(folder)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment,
    )  # fmt: skip


def line(child: subprocess.Popen[str]) -> str:
    assert child.stdout is not None
    return child.stdout.readline().strip()


def test_a_second_start_raises_the_window_of_the_first_and_ends(folder: Path) -> None:
    with start(folder) as first:
        assert line(first) == "claimed"
        for _ in range(3):
            with start(folder) as second:
                assert line(second) == "none"
            assert second.returncode == 0
            assert line(first) == "raised"
        first.communicate("")
    assert first.returncode == 0


def test_a_killed_program_leaves_no_claim_and_no_socket(folder: Path) -> None:
    with start(folder) as first:
        assert line(first) == "claimed"
        first.send_signal(signal.SIGKILL)
    left = Path(json.loads((folder / LOCK_NAME).read_text())["socket"])
    assert left.exists()
    instance = claim(folder, nothing)
    assert instance is not None
    assert not left.parent.exists()
    instance.close()


def test_within_one_program_too_there_is_one_claim_and_it_can_be_given_up(folder: Path) -> None:
    asked = threading.Event()
    first = claim(folder, asked.set)
    assert first is not None
    assert claim(folder, nothing) is None
    assert asked.is_set()
    first.close()
    second = claim(folder, nothing)
    assert second is not None
    second.close()


def test_a_program_that_does_not_answer_is_named(folder: Path) -> None:
    def broken() -> None:
        raise RuntimeError("no window")

    first = claim(folder, broken)
    assert first is not None
    with pytest.raises(UserError, match=f"running already .process {os.getpid()}. but does not answer"):
        claim(folder, nothing, timeout=0.3)
    first.close()


def test_a_long_path_and_rubbish_in_the_lock_file_do_no_harm(tmp_path: Path) -> None:
    folder = tmp_path / ("long" * 40)
    folder.mkdir()
    (folder / LOCK_NAME).write_bytes(b"\xff{[")
    instance = claim(folder, nothing)
    assert instance is not None
    assert claim(folder, nothing) is None
    instance.close()


def test_a_folder_that_cannot_be_used_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot be used"):
        claim(tmp_path / "file" / "data", nothing)
