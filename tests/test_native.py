"""A fast BLAS is loaded before MLX or not at all, and the compiler question is MLX's own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

# Only the Linux backend calls a compiler; elsewhere there is nothing to miss.
WITHOUT_COMPILER = sys.platform != "linux"


def _ask(code: str, **environment: str) -> Any:
    source = f"import json\nfrom draftlens import native\n{code}"
    done = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, check=True, env=os.environ | environment
    )
    return json.loads(done.stdout)


def test_a_matrix_product_is_right_and_much_faster_after_prepare() -> None:
    code = """
import time
found = native.prepare()
import mlx.core as mx
a = mx.ones((512, 512)); mx.eval(a @ a)
began = time.perf_counter(); c = a @ a; mx.eval(c); seconds = time.perf_counter() - began
print(json.dumps([found.blas, bool((c == 512).all().item()), seconds]))
"""
    blas, right, seconds = _ask(code)
    assert right
    # The reference BLAS needs about 0.2 s for this product; without a fast one there is nothing to compare.
    assert blas is None or seconds < 0.1


def test_after_mlx_nothing_is_loaded_because_it_would_change_nothing() -> None:
    assert _ask("import mlx.core\nprint(json.dumps(native.prepare().blas))") is None


def test_this_module_does_not_import_mlx() -> None:
    assert _ask("import sys\nnative.prepare()\nprint(json.dumps([m for m in sys.modules if 'mlx' in m]))") == []


def test_without_a_compiler_on_path_there_is_none(tmp_path: Path) -> None:
    assert _ask("print(json.dumps(native.has_compiler()))", PATH=str(tmp_path)) is WITHOUT_COMPILER


def test_a_compiler_that_only_fails_counts_as_none(tmp_path: Path) -> None:
    broken = tmp_path / "g++"
    broken.write_text("#!/bin/sh\nexit 127\n")
    broken.chmod(0o755)
    assert _ask("print(json.dumps(native.has_compiler()))", PATH=str(tmp_path)) is WITHOUT_COMPILER


def test_mlx_works_without_a_compiler_once_compiling_is_off(tmp_path: Path) -> None:
    code = """
native.prepare()
import mlx.core as mx
mx.disable_compile()
print(json.dumps(mx.compile(lambda x: x * x + mx.sigmoid(x))(mx.zeros(3)).tolist()))
"""
    assert _ask(code, PATH=str(tmp_path)) == [0.5, 0.5, 0.5]
