"""One variable moves everything we keep; what we ship is found from the source tree and from a bundle."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from draftlens import paths
from draftlens.core.errors import UserError


def test_the_variable_moves_everything_we_keep(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(paths.DATA_DIR_VARIABLE, str(tmp_path))
    kept = (paths.data_dir(), paths.models_dir(), paths.config_dir(), paths.cache_dir(), paths.logs_dir())
    assert all(folder.is_relative_to(tmp_path) for folder in kept)


def test_an_empty_variable_counts_as_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(paths.DATA_DIR_VARIABLE, " ")
    assert paths.data_dir().name.lower() == "draftlens"
    assert paths.data_dir().is_absolute()


def test_a_relative_variable_becomes_an_absolute_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(paths.DATA_DIR_VARIABLE, "here")
    assert paths.data_dir() == Path.cwd() / "here"


def test_the_shipped_files_are_found_from_the_source_tree() -> None:
    assert (paths.resources() / "demo-drafter" / "layers.safetensors").stat().st_size == 7_982_770


def test_the_shipped_files_of_a_bundle_lie_in_the_bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path), raising=False)
    assert paths.resources() == tmp_path / "resources"


def test_a_folder_that_cannot_be_made_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UserError, match="cannot be created: Not a directory"):
        paths.make_folder(tmp_path / "file" / "below")
