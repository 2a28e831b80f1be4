"""The self-test tries each part for real and names what to install."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from draftlens import paths, selftest
from draftlens.library import demo
from draftlens.selftest import Check


def _by_name() -> dict[str, Check]:
    return {check.name: check for check in selftest.run()}


def test_every_part_works_here_and_the_missing_demo_pair_is_only_a_warning() -> None:
    checks = _by_name()
    assert list(checks) == [
        "blas", "compiler", "kernels", "models", "tokenizer", "database", "qt", "resources", "data folder", "demo pair",
    ]  # fmt: skip
    # A machine without a screen may lack the window's libraries; then, and only then, that check fails.
    lacking = ["qt"] if selftest.missing_qt_libraries() else []
    assert [name for name, check in checks.items() if not check.ok] == lacking
    assert checks["demo pair"].status == "warning"
    assert "93 MB" in checks["demo pair"].next_step


def test_the_demo_pair_is_seen(demo_pair: demo.DemoPair, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(paths.DATA_DIR_VARIABLE, str(demo_pair.target.parents[1]))
    assert _by_name()["demo pair"].status == "ok"


def test_an_unwritable_data_folder_fails_with_the_way_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv(paths.DATA_DIR_VARIABLE, str(tmp_path / "file"))
    check = _by_name()["data folder"]
    assert not check.ok
    assert paths.DATA_DIR_VARIABLE in check.next_step


def test_a_missing_library_is_named_with_its_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setattr(selftest, "_QT_LIBRARIES", (("libno-such.so.9", "libno-such9"), ("libc.so.6", "libc6")))
    missing = selftest.missing_qt_libraries()
    assert missing == [("libno-such.so.9", "libno-such9")]
    assert selftest.qt_advice(missing) == (
        "The window needs libno-such.so.9; on Debian or Ubuntu: sudo apt install libno-such9"
    )


def test_the_json_says_for_each_part_whether_it_is_ok() -> None:
    document = json.loads(selftest.as_json([Check("a", "ok", "Fine."), Check("b", "failed", "Not.", "Do x.")]))
    assert document["ok"] is False
    assert document["checks"][1] == {
        "name": "b", "ok": False, "status": "failed", "sentence": "Not.", "next": "Do x.",
    }  # fmt: skip


def test_importing_the_module_is_light() -> None:
    code = "import sys, draftlens.selftest; print({'mlx', 'PySide6', 'numpy', 'tokenizers'} & sys.modules.keys())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
