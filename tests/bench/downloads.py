"""A large file over the loopback: our speed beside curl's, and the memory it takes."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bench.figures import Figure, bench, median

SIZE = 1_000_000_000
_HERE = Path(__file__).parent
_REPEATS = 3


@bench("downloads")
def downloads() -> Iterator[Figure]:
    """One sparse gigabyte, curl and we in turn."""
    curl = shutil.which("curl")
    if curl is None:
        print("curl is not here, so there is nothing to compare with.", file=sys.stderr)
        return
    with tempfile.TemporaryDirectory() as name:
        place = Path(name)
        with (place / "big").open("wb") as file:
            file.truncate(SIZE)
        blob = _zeros_hash()
        ours: list[tuple[float, float, float]] = []
        theirs: list[float] = []
        with _served(place / "big") as url:
            _curl(curl, url, place)
            for _ in range(_REPEATS):
                theirs.append(_curl(curl, url, place))
                ours.append(_ours(url, place, blob))
    yield Figure(
        "downloads.speed",
        median([t / o[0] for t, o in zip(theirs, ours, strict=True)]),
        0.8,
        at_least=True,
        note=f"at best curl {_rate(min(theirs))}, we {_rate(min(o[0] for o in ours))}, to the last byte",
    )
    checked = median([o[1] - o[0] for o in ours])
    yield Figure("downloads.verify", checked, 3, at_least=False, unit="s", note="SHA-256 of the whole file, after it")
    yield Figure("downloads.memory", max(o[2] for o in ours), 80, at_least=False, unit="MB", note="peak of the process")


def _rate(seconds: float) -> str:
    return f"{SIZE / seconds / 1e6:.0f} MB/s"


def _zeros_hash() -> str:
    digest, block = hashlib.sha256(), bytes(1_000_000)
    for _ in range(SIZE // len(block)):
        digest.update(block)
    return digest.hexdigest()


def _curl(curl: str, url: str, place: Path) -> float:
    start = time.perf_counter()
    subprocess.run([curl, "-s", "-o", place / "curl", f"{url}/x"], check=True)
    took = time.perf_counter() - start
    (place / "curl").unlink()
    return took


def _ours(url: str, place: Path, blob: str) -> tuple[float, float, float]:
    cache = place / "cache"
    cache.mkdir()
    command = [sys.executable, str(_HERE / "download_child.py"), str(cache), str(SIZE), blob]
    run = subprocess.run(
        command, env=os.environ | {"HF_ENDPOINT": url, "HF_TOKEN": ""}, capture_output=True, text=True, check=True
    )
    shutil.rmtree(cache)
    arrived, whole, peak = map(float, run.stdout.split())
    return arrived, whole, peak


@contextmanager
def _served(file: Path) -> Iterator[str]:
    command = [sys.executable, str(_HERE / "big_file_server.py"), str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        try:
            yield f"http://127.0.0.1:{server.stdout.readline().strip()}"
        finally:
            server.terminate()
