"""A process whose engine thread has computed ends with exit code 0, every time."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from library.toy_folder import llama_config, llama_tensors, model_folder, write_tokenizer

RUNS = 10
REPLY = """
import sys, threading
from pathlib import Path
from draftlens.core.commands import Generate, Load, Quit, Request
from draftlens.core.events import Failed, Finished, Loaded, LoadFailed
from draftlens.core.params import SamplingParams, SessionParams
from draftlens.main import fetch_demo, open_engine
from draftlens.runtime.engine_thread import EngineThread

woken = threading.Event()
thread = EngineThread(open_engine, fetch_demo, woken.set)
thread.start()

def until(kind):
    seen = []
    while not any(isinstance(event, (kind, Failed, LoadFailed)) for event in seen):
        woken.wait(60)
        woken.clear()
        seen += thread.drain()
    if not isinstance(seen[-1], kind):
        print(seen[-1])

thread.send(Load(Path(sys.argv[1]), None))
until(Loaded)
params = SessionParams(SamplingParams(temperature=0.7), drafter="none", max_tokens=3)
thread.send(Generate(Request(1, params, (("user", "a"),))))
until(Finished)
thread.send(Quit())
assert thread.join(30)
print("ended")
"""


def test_ten_processes_that_replied_end_without_an_abort(tmp_path: Path) -> None:
    tokens = {chr(33 + i): i for i in range(90)} | {"Ċ": 90}
    model_folder(tmp_path, llama_config(vocab_size=91), llama_tensors())
    bytes_first = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True}
    write_tokenizer(tmp_path, model={"type": "BPE", "vocab": tokens, "merges": []}, pre_tokenizer=bytes_first)
    (tmp_path / "chat_template.jinja").write_text("{{ messages[0].content }}")

    def run(_: int) -> tuple[int, str]:
        done = subprocess.run([sys.executable, "-c", REPLY, str(tmp_path)], capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout + done.stderr

    with ThreadPoolExecutor(2) as two:
        assert list(two.map(run, range(RUNS))) == [(0, "ended\n")] * RUNS
