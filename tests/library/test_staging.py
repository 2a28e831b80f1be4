"""A folder appears whole or not at all, and only one process works on it."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from draftlens.core.errors import UserError
from draftlens.library import staging


def _finished(folder: Path, recipe: str = "r1") -> Path:
    folder.mkdir(parents=True)
    (folder / "weights").write_bytes(b"12345")
    staging.mark_complete(folder, recipe)
    return folder


def test_a_marked_folder_is_complete_for_its_recipe_only(tmp_path: Path) -> None:
    folder = _finished(tmp_path / "a")
    assert staging.is_complete(folder, "r1")
    assert not staging.is_complete(folder, "r2")


def test_a_file_that_is_gone_or_has_another_size_makes_it_incomplete(tmp_path: Path) -> None:
    folder = _finished(tmp_path / "a")
    (folder / "weights").write_bytes(b"1234")
    assert not staging.is_complete(folder, "r1")
    (folder / "weights").unlink()
    assert not staging.is_complete(folder, "r1")


@pytest.mark.parametrize("marker", [b"", b"[]", b"{}", b'{"recipe": "r1", "files": 3}', b"\xff"])
def test_a_damaged_marker_marks_nothing(tmp_path: Path, marker: bytes) -> None:
    folder = _finished(tmp_path / "a")
    (folder / staging.MARKER).write_bytes(marker)
    assert not staging.is_complete(folder, "r1")


def test_an_older_folder_of_ours_is_replaced(tmp_path: Path) -> None:
    _finished(tmp_path / "place", "r0")
    staging.move_into_place(_finished(tmp_path / "new"), tmp_path / "place", tmp_path / "aside")
    assert staging.is_complete(tmp_path / "place", "r1")


def test_a_folder_that_is_not_ours_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "place").mkdir()
    (tmp_path / "place" / "mine").write_text("precious")
    with pytest.raises(UserError, match="was not made by Draftlens"):
        staging.move_into_place(_finished(tmp_path / "new"), tmp_path / "place", tmp_path / "aside")
    assert (tmp_path / "place" / "mine").read_text() == "precious"


def test_the_work_folder_is_gone_afterwards_also_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), staging.exclusive(tmp_path, "job", lambda: None) as work:
        assert work is not None
        (work / "half").write_text("half")
        raise ZeroDivisionError
    assert list(tmp_path.glob(".job-*")) == []


def test_leftovers_of_a_killed_run_are_removed_but_not_those_of_a_running_one(tmp_path: Path) -> None:
    (tmp_path / ".job-killed").mkdir()
    with staging.exclusive(tmp_path, "job", lambda: None) as work:
        assert work is not None
        assert not (tmp_path / ".job-killed").exists()
        staging.remove_leftovers(tmp_path, "job")
        assert work.exists()
    (tmp_path / ".job-killed").mkdir()
    staging.remove_leftovers(tmp_path, "job")
    assert not (tmp_path / ".job-killed").exists()


def test_a_second_process_waits_and_may_give_up(tmp_path: Path) -> None:
    class GaveUp(Exception):
        pass

    def give_up() -> None:
        raise GaveUp

    with (
        staging.exclusive(tmp_path, "job", lambda: None),
        pytest.raises(GaveUp),
        staging.exclusive(tmp_path, "job", give_up),
    ):
        pass


def test_work_that_another_process_has_done_meanwhile_is_not_done_again(tmp_path: Path) -> None:
    with staging.exclusive(tmp_path, "job", lambda: None, needed=lambda: False) as work:
        assert work is None


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / ".work.lock").mkdir()
    for name, said in (("work", r"\.work\.lock cannot be written: Is a directory\."), ("other", "No space left")):
        with pytest.raises(UserError, match=said), staging.exclusive(tmp_path, name, lambda: None):
            raise OSError(errno.ENOSPC, "No space left on device")


def test_too_little_space_is_told_with_both_figures(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"The pair needs 1000000 TB of disk space in .*, and .* are free"):
        staging.require_space(tmp_path, 10**18, "The pair")


def test_a_full_disk_and_a_used_up_quota_are_recognised() -> None:
    assert staging.is_disk_full(OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)))
    assert staging.is_disk_full(OSError(errno.EDQUOT, "quota"))
    assert not staging.is_disk_full(PermissionError(errno.EACCES, "no"))
