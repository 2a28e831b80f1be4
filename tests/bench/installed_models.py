"""The list of 300 models while the window answers, and the estimate of memory beside the real peak."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench.figures import Figure, bench
from draftlens.library import demo

_COUNT = 300
_PROMPT_TOKENS = 2000


@bench("installed")
def installed() -> Iterator[Figure]:
    """Figures of the library on the real pair, and on many tiny folders."""
    yield from _listing()
    yield _memory()


def _listing() -> Iterator[Figure]:
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    from PySide6.QtCore import QTimer
    from PySide6.QtWidgets import QApplication

    from draftlens.bridge.models import Models
    from draftlens.library.catalog import Places
    from draftlens.ui.models.installed import InstalledPage
    from draftlens.ui.theme import Theme
    from library.toy_folder import llama_config, model_folder

    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    with tempfile.TemporaryDirectory() as name:
        hub = Path(name) / "hub"
        for number in range(_COUNT):
            repo = hub / f"models--acme--model-{number}"
            model_folder(repo / "snapshots" / ("a" * 40), llama_config(hidden_size=64, num_attention_heads=4))
        models = Models(lambda: Places(hub, Path(name) / "own"))
        theme = Theme(app)
        theme.apply()
        page = InstalledPage(theme, models)
        page.resize(1000, 700)
        page.show()
        app.processEvents()
        gaps: list[float] = []
        last = time.perf_counter()

        def beat() -> None:
            nonlocal last
            now = time.perf_counter()
            gaps.append(1000 * (now - last))
            last = now

        timer = QTimer()
        timer.setInterval(1)
        timer.timeout.connect(beat)
        timer.start()
        start = last = time.perf_counter()
        models.begin()
        while not models.items:
            app.processEvents()
        took = time.perf_counter() - start
        until = time.perf_counter() + 0.3
        while time.perf_counter() < until:
            app.processEvents()
        timer.stop()
        models.close()
        page.close()
    gaps.sort()
    yield Figure("installed.listing", took, 1, at_least=False, unit="s", note=f"{_COUNT} models, judged and shown")
    p99 = gaps[int(0.99 * (len(gaps) - 1))]
    yield Figure(
        "installed.gap", p99, 16, at_least=False, unit="ms", note=f"p99 of {len(gaps)}, {gaps[-1]:.1f} at most"
    )


def _memory() -> Figure:
    pair = demo.ensure(lambda sentence, fraction: None)
    child = Path(__file__).with_name("memory_child.py")
    command = [sys.executable, str(child), str(pair.target), str(pair.drafter), str(_PROMPT_TOKENS)]
    peak, context = map(float, subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[-2:])
    from draftlens.library import checkpoint, memory

    needs = [memory.need(folder, checkpoint.inspect(folder), int(context)) for folder in (pair.target, pair.drafter)]
    estimate = memory.estimate(*needs, limit=memory.limit())
    assert estimate.needed is not None
    off = abs(estimate.needed - peak) / peak
    note = f"estimated {estimate.needed / 1e6:.0f} MB, real peak {peak / 1e6:.0f} MB at {context:.0f} tokens"
    return Figure("installed.memory", off, 0.15, at_least=False, unit="", note=note)
