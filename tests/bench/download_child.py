"""Fetches one large file by the program's own downloader; prints seconds to the last byte, to the end, and peak MB."""

from __future__ import annotations

import resource
import sys
import time
from pathlib import Path

from draftlens.library.download import Download
from draftlens.library.download_state import State
from draftlens.library.hub import Hub
from draftlens.library.manifest import Manifest, Part

cache, size, blob = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
wanted = Manifest("bench/big", "main", "a" * 40, (Part("model.safetensors", size, blob),))
item = Download(wanted, cache, Hub())
start = time.perf_counter()
item.start()
arrived = 0.0
while item.state.active:
    if not arrived and item.progress().done == size:
        arrived = time.perf_counter() - start
    time.sleep(0.002)
whole = time.perf_counter() - start
if item.state is not State.DONE:
    sys.exit(str(item.progress().problem))
if sys.platform == "linux":
    # getrusage would report the peak of the process that started this one, if that was larger.
    line = next(line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    peak = int(line.split()[1]) / 1e3
else:
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
print(arrived or whole, whole, peak)
