"""The data folder moves whole or stays whole, within a disk and to another, however it is interrupted."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from draftlens.core.errors import UserError
from draftlens.store import moving

HERE, ELSEWHERE = "the same disk", "another disk"
STAYS = {"instance.lock", "config/settings.toml", "logs/draftlens.log"}
FILES = {
    "conversations.db": b"chats" * 1000,
    "conversations.db-wal": b"newest",
    "models/Tiny/model.safetensors": b"w" * 9_000_000,
    "models/Tiny/config.json": b"{}",
    "comparisons/one.jsonl": b"one",
}


@pytest.fixture
def old(tmp_path: Path) -> Path:
    folder = tmp_path / "old"
    for name, content in {**FILES, **dict.fromkeys(STAYS, b"stays")}.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)
    (folder / "models" / "linked").symlink_to("Tiny")
    return folder


@pytest.fixture(params=[HERE, ELSEWHERE])
def new(request: pytest.FixtureRequest, tmp_path: Path, old: Path) -> Iterator[Path]:
    if request.param == HERE:
        (tmp_path / "new").mkdir()
        yield tmp_path / "new"
        return
    memory = Path("/dev/shm")
    if not memory.is_dir() or memory.stat().st_dev == old.stat().st_dev:
        pytest.skip("this machine has one disk")
    with tempfile.TemporaryDirectory(dir=memory) as folder:
        yield Path(folder)


def held(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file() and "linked" not in path.parts)
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def whole(folder: Path) -> bool:
    link = folder / "models" / "linked"
    return {k: v for k, v in held(folder).items() if k not in {*STAYS, moving.MARK}} == FILES and str(
        link.readlink()
    ) == "Tiny"


def test_everything_is_in_the_new_place_before_the_switch_and_nowhere_else_after_it(old: Path, new: Path) -> None:
    seen: list[bool] = []
    parts: list[float] = []
    assert moving.holds_data(old) and not moving.holds_data(new)
    moving.move(old, new, lambda: seen.append(whole(new)), parts.append)
    assert seen == [True]
    assert whole(new)
    assert set(held(old)) == STAYS
    assert parts == sorted(parts) and all(part <= 1 for part in parts)
    assert moving.holds_data(new) and not moving.holds_data(old)


def test_a_switch_that_fails_leaves_everything_where_it_was(old: Path, new: Path) -> None:
    def fail() -> None:
        raise UserError("The settings could not be saved.")

    with pytest.raises(UserError, match="could not be saved"):
        moving.move(old, new, fail)
    assert whole(old)
    assert list(new.iterdir()) == []


@pytest.mark.parametrize("new", [ELSEWHERE], indirect=True)
def test_a_copy_that_is_stopped_leaves_everything_where_it_was(old: Path, new: Path) -> None:
    def stop(done: float) -> None:
        if done > 0.3:
            raise UserError("Stopped.")

    with pytest.raises(UserError, match="Stopped"):
        moving.move(old, new, lambda: None, stop)
    assert whole(old)
    assert list(new.iterdir()) == []


KILLED = """
import os, sys
from pathlib import Path
from draftlens.store import moving
moving.move(Path(sys.argv[1]), Path(sys.argv[2]), lambda: os._exit(9), lambda done: done > 0.5 and os._exit(9))
"""


def test_after_a_kill_the_next_attempt_goes_on(old: Path, new: Path) -> None:
    killed = subprocess.run([sys.executable, "-c", KILLED, str(old), str(new)], check=False)
    assert killed.returncode == 9
    assert not moving.holds_data(new)
    with pytest.raises(UserError, match="no"):
        moving.move(old, new, lambda: (_ for _ in ()).throw(UserError("no")))
    assert whole(old)
    subprocess.run([sys.executable, "-c", KILLED, str(old), str(new)], check=False)
    moving.move(old, new, lambda: None)
    assert whole(new)
    assert set(held(old)) == STAYS


def test_what_is_in_the_new_place_already_is_never_touched(old: Path, new: Path) -> None:
    (new / "comparisons").write_text("somebody's")
    with pytest.raises(UserError, match="comparisons exists already") as caught:
        moving.move(old, new, lambda: None)
    assert caught.value.next_step == f"Everything is still in {old}."
    assert whole(old)
    assert held(new) == {"comparisons": b"somebody's"}


def test_folders_within_each_other_and_what_is_no_folder_are_refused(old: Path, tmp_path: Path) -> None:
    for wrong in (old, old / "models", tmp_path):
        refused = moving.refusal(old, wrong)
        assert refused is not None and "lie within each other" in refused.sentence
    refused = moving.refusal(old, tmp_path / "nowhere")
    assert refused is not None and "is not a folder that can be written to" in refused.sentence
