"""What the MLX CPU backend needs from the machine before it is imported: a fast BLAS, a C++ compiler, one heap.

The Linux wheel links a reference BLAS that is about seventy times slower than an optimised one on matrix products.
Symbols of a library loaded globally before `import mlx.core` take precedence; loaded after the import they change
nothing. And the CPU backend's `mx.compile` calls `g++` at run time: without it, it raises instead of falling back.

glibc gives every thread a heap of its own. MLX allocates on one thread and frees on another, which makes large arrays
cost so much there that judging a round takes 4.4 ms instead of 2.7; with one heap for all it does not.
"""

from __future__ import annotations

import ctypes
import subprocess
import sys
from dataclasses import dataclass
from functools import cache

BLAS_PACKAGE = "libopenblas0-pthread"
COMPILER_PACKAGE = "g++"

# Only builds with 32-bit integer arguments: the others export the same names with another calling convention.
_BLAS_LIBRARIES = ("libopenblas.so.0", "libopenblasp.so.0", "libopenblas.so", "libflexiblas.so.3", "libblis-mt.so.4")
_NEEDED_SYMBOLS = ("cblas_sgemm", "cblas_dgemm")
_M_ARENA_MAX = -8
"""The parameter of glibc's mallopt (malloc.h)."""


@dataclass(frozen=True)
class Native:
    """What was found: the BLAS loaded into this process, and whether `mx.compile` can work."""

    blas: str | None
    compiler: bool


@cache
def prepare() -> Native:
    """Load an optimised BLAS if the machine has one; call it before the first `import mlx.core`. Never fails."""
    _share_one_heap()
    return Native(blas=_load_blas(), compiler=has_compiler())


def needs_blas() -> bool:
    """Whether this platform's MLX multiplies matrices through a BLAS we can replace (Linux only)."""
    return sys.platform == "linux"


@cache
def has_compiler() -> bool:
    """Whether `mx.compile` will find what it needs. On macOS it compiles Metal kernels and needs nothing."""
    if sys.platform != "linux":
        return True
    # The same question MLX asks, so that a broken wrapper named g++ counts as no compiler here too.
    try:
        probe = subprocess.run(
            ["g++", "--version"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=20,
            check=False,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return probe.returncode == 0


def _share_one_heap() -> None:
    if sys.platform != "linux":
        return
    try:
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, 1)
    except (OSError, AttributeError):
        # Another C library than glibc: it has no such heaps.
        return


def _load_blas() -> str | None:
    if not needs_blas() or "mlx.core" in sys.modules:
        return None
    for name in _BLAS_LIBRARIES:
        try:
            library = ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL)
        except OSError:
            continue
        if all(hasattr(library, symbol) for symbol in _NEEDED_SYMBOLS):
            return name
    return None
