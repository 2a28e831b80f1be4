"""Try every part the program stands on and say, for each that fails or is missing, what to install.

Only the standard library is imported with this module. `run` imports MLX and Qt in the thread that calls it: MLX keeps
its state per thread, so call it where the engine would run, or in a process of its own.
"""

from __future__ import annotations

import contextlib
import ctypes
import importlib
import importlib.util
import json
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from draftlens import native, paths
from draftlens.core.errors import UserError

Status = Literal["ok", "warning", "failed"]

# What Qt's xcb window plugin and the libraries below it ask the system for, and the Debian package of each.
_QT_LIBRARIES = (
    ("libxcb-cursor.so.0", "libxcb-cursor0"),
    ("libxcb-icccm.so.4", "libxcb-icccm4"),
    ("libxcb-image.so.0", "libxcb-image0"),
    ("libxcb-keysyms.so.1", "libxcb-keysyms1"),
    ("libxcb-randr.so.0", "libxcb-randr0"),
    ("libxcb-render.so.0", "libxcb-render0"),
    ("libxcb-render-util.so.0", "libxcb-render-util0"),
    ("libxcb-shape.so.0", "libxcb-shape0"),
    ("libxcb-shm.so.0", "libxcb-shm0"),
    ("libxcb-sync.so.1", "libxcb-sync1"),
    ("libxcb-util.so.1", "libxcb-util1"),
    ("libxcb-xfixes.so.0", "libxcb-xfixes0"),
    ("libxcb-xkb.so.1", "libxcb-xkb1"),
    ("libxcb.so.1", "libxcb1"),
    ("libX11-xcb.so.1", "libx11-xcb1"),
    ("libX11.so.6", "libx11-6"),
    ("libxkbcommon-x11.so.0", "libxkbcommon-x11-0"),
    ("libxkbcommon.so.0", "libxkbcommon0"),
    ("libEGL.so.1", "libegl1"),
    ("libGL.so.1", "libgl1"),
    ("libfontconfig.so.1", "libfontconfig1"),
    ("libfreetype.so.6", "libfreetype6"),
    ("libdbus-1.so.3", "libdbus-1-3"),
    ("libglib-2.0.so.0", "libglib2.0-0"),
    ("libgthread-2.0.so.0", "libglib2.0-0"),
    ("libzstd.so.1", "libzstd1"),
)


@dataclass(frozen=True)
class Check:
    """One part tried: what came out, in a sentence, and what to do where something is missing."""

    name: str
    status: Status
    sentence: str
    next_step: str = ""

    @property
    def ok(self) -> bool:
        """Whether the program works with this as it is; a warning means slower or not yet there, not broken."""
        return self.status != "failed"


def run() -> list[Check]:
    """Try everything, each part on its own; a part that raises becomes a failed check."""
    return [_guarded(name, check) for name, check in _CHECKS]


def as_json(checks: Sequence[Check]) -> str:
    """The document that `self-test --json` prints."""
    rows = [
        {
            "name": check.name,
            "ok": check.ok,
            "status": check.status,
            "sentence": check.sentence,
            "next": check.next_step,
        }
        for check in checks
    ]
    return json.dumps({"ok": all(check.ok for check in checks), "checks": rows}, indent=2)


def missing_qt_libraries() -> list[tuple[str, str]]:
    """System libraries that a Qt window needs and the loader does not find, with the Debian package of each."""
    if sys.platform != "linux":
        return []
    return [(library, package) for library, package in _QT_LIBRARIES if not _loads(library)]


def qt_advice(missing: Sequence[tuple[str, str]]) -> str:
    """One sentence: what is missing and the command that installs it on Debian or Ubuntu."""
    libraries = ", ".join(library for library, _ in missing)
    packages = " ".join(dict.fromkeys(package for _, package in missing))
    return f"The window needs {libraries}; on Debian or Ubuntu: sudo apt install {packages}"


def _loads(library: str) -> bool:
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _guarded(name: str, check: Callable[[], tuple[Status, str, str]]) -> Check:
    try:
        return Check(name, *check())
    except UserError as error:
        return Check(name, "failed", error.sentence, error.next_step or "")
    except Exception as error:
        text = str(error).strip().splitlines()
        reason = text[0] if text else type(error).__name__
        return Check(
            name, "failed", f"It does not work: {reason}", "Set the environment up again with `make clean run`."
        )


def _blas() -> tuple[Status, str, str]:
    found = native.prepare()
    if not native.needs_blas():
        return "ok", "This platform's MLX needs no BLAS.", ""
    if found.blas is not None:
        return "ok", f"Matrix products run on {found.blas}.", ""
    advice = f"On Debian or Ubuntu: sudo apt install {native.BLAS_PACKAGE}"
    return "warning", "No optimised BLAS was found, so replies are many times slower than they could be.", advice


def _compiler() -> tuple[Status, str, str]:
    if native.has_compiler():
        return "ok", "Kernels can be compiled.", ""
    advice = f"On Debian or Ubuntu: sudo apt install {native.COMPILER_PACKAGE}"
    return "warning", "There is no C++ compiler, so MLX runs without compiled kernels; nothing else changes.", advice


def _kernels() -> tuple[Status, str, str]:
    import mlx.core as mx

    if not native.has_compiler():
        mx.disable_compile()

    def largest(difference: Any) -> float:
        value: Any = mx.abs(difference).max().item()
        return float(value)

    left = mx.arange(64 * 64, dtype=mx.float32).reshape(64, 64) % 7
    product = largest(left @ mx.eye(64) - left)
    ramp = mx.linspace(-2, 2, 256)
    compiled = mx.compile(lambda x: x * mx.sigmoid(x) + mx.square(x))(ramp)
    fused = largest(compiled - (ramp * mx.sigmoid(ramp) + mx.square(ramp)))
    weight = mx.sin(mx.arange(64 * 128, dtype=mx.float32)).reshape(64, 128)
    packed, scales, biases = mx.quantize(weight, group_size=64, bits=4)
    rows = mx.cos(mx.arange(2 * 128, dtype=mx.float32)).reshape(2, 128)
    quick = mx.quantized_matmul(rows, packed, scales, biases, transpose=True, group_size=64, bits=4)
    quantised = largest(quick - rows @ mx.dequantize(packed, scales, biases, group_size=64, bits=4).T)
    if product > 0 or fused > 1e-5 or quantised > 1e-3:
        sentence = f"MLX computes wrong values: off by {product}, {fused} and {quantised}."
        return "failed", sentence, "Reinstall with `make clean run`."
    return "ok", f"MLX computes and unpacks 4-bit weights rightly on {mx.default_device()}.", ""


def _models_package() -> tuple[Status, str, str]:
    from draftlens.library import supported

    if supported.architecture("llama"):
        return "ok", "mlx-lm knows the model types it should.", ""
    return "failed", "mlx-lm is not installed or lacks its model classes.", "Set it up again with `make clean run`."


def _tokenizer() -> tuple[Status, str, str]:
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers

    text = "Zwölf Boxkämpfer – 12 🥊"
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    tokenizer = Tokenizer(models.BPE({char: i for i, char in enumerate(alphabet)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    if tokenizer.decode(tokenizer.encode(text).ids) != text:
        return (
            "failed",
            "Text does not survive being cut into tokens and joined again.",
            "Reinstall with `make clean run`.",
        )
    return "ok", "Text survives being cut into tokens and joined again.", ""


def _database() -> tuple[Status, str, str]:
    with contextlib.closing(sqlite3.connect(":memory:")) as database:
        try:
            database.execute("CREATE VIRTUAL TABLE t USING fts5(body)")
        except sqlite3.OperationalError:
            reason = f"This Python's SQLite {sqlite3.sqlite_version} has no full-text search (FTS5)."
            return "failed", reason, "Use a Python whose SQLite was built with FTS5, such as the system's."
    return "ok", f"SQLite {sqlite3.sqlite_version} has full-text search.", ""


def _qt() -> tuple[Status, str, str]:
    if importlib.util.find_spec("PySide6") is None:
        return "failed", "PySide6 is not installed.", "Set it up again with `make clean run`."
    missing = missing_qt_libraries()
    if missing:
        sentence, _, advice = qt_advice(missing).partition("; ")
        return "failed", f"{sentence}.", advice[0].upper() + advice[1:]
    for part in ("QtGui", "QtSvg", "QtWidgets"):
        importlib.import_module(f"PySide6.{part}")
    from PySide6.QtCore import qVersion

    return "ok", f"Qt {qVersion()} loads, and the libraries of its windows are there.", ""


def _resources() -> tuple[Status, str, str]:
    layers = paths.resources() / "demo-drafter" / "layers.safetensors"
    if layers.is_file():
        return "ok", f"The files shipped with the program are in {paths.resources()}.", ""
    return "failed", f"The files shipped with the program are missing: {layers}.", "Reinstall the program."


def _data_folder() -> tuple[Status, str, str]:
    folder = paths.make_folder(paths.data_dir())
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(b"x")
    except OSError as error:
        advice = f"Make it writable, or set {paths.DATA_DIR_VARIABLE} to another folder."
        return "failed", f"The data folder {folder} cannot be written: {error.strerror}.", advice
    return "ok", f"The data folder is {folder}.", ""


def _demo_pair() -> tuple[Status, str, str]:
    from draftlens.library import demo

    if demo.installed() is not None:
        return "ok", "The demo pair is installed.", ""
    return (
        "warning",
        "The demo pair is not fetched yet.",
        "It is fetched once, by the first reply that needs it (93 MB).",
    )


# The BLAS first: it only counts when loaded before MLX.
_CHECKS: tuple[tuple[str, Callable[[], tuple[Status, str, str]]], ...] = (
    ("blas", _blas),
    ("compiler", _compiler),
    ("kernels", _kernels),
    ("models", _models_package),
    ("tokenizer", _tokenizer),
    ("database", _database),
    ("qt", _qt),
    ("resources", _resources),
    ("data folder", _data_folder),
    ("demo pair", _demo_pair),
)
