"""A download comes whole or says why not: continued where it stopped, checked by hash, found by the hub's client."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from draftlens.library import choice, content_hash, hub_cache
from draftlens.library import download as downloading
from draftlens.library.download_state import Patience, State
from draftlens.library.downloads import Downloads
from draftlens.library.hub import Hub
from library.fetching import QUICK, REPO, WEIGHTS, begin, ended, until, weights
from library.hub_repos import whole_model
from library.hub_server import HubServer, Repo


def test_a_finished_model_is_found_offline_by_the_hubs_own_client(served: HubServer, cache: Path) -> None:
    item = ended(begin(cache))
    assert item.state is State.DONE
    assert item.progress().done == item.manifest.size
    code = (
        "import sys; from huggingface_hub import snapshot_download as s; "
        f"print(s({REPO!r}, cache_dir=sys.argv[1], local_files_only=True))"
    )
    found = subprocess.run([sys.executable, "-c", code, str(cache)], capture_output=True, text=True, check=True)
    snapshot = Path(found.stdout.strip())
    assert snapshot == hub_cache.find(cache, REPO)
    assert (snapshot / WEIGHTS).read_bytes() == served.repos[REPO].files[WEIGHTS]
    assert content_hash.check(snapshot).damaged == ()


def test_after_a_cut_in_the_middle_only_the_missing_bytes_are_fetched(served: HubServer, cache: Path) -> None:
    size = len(served.repos[REPO].files[WEIGHTS])
    served.cut_after = size // 2
    item = ended(begin(cache, patience=Patience(tries=1)))
    assert item.state is State.FAILED
    assert item.progress().problem is not None
    assert "The connection was lost" in str(item.progress().problem)
    assert item.manifest.partial(cache, weights(item)).stat().st_size == size // 2
    assert hub_cache.find(cache, REPO) is None
    served.cut_after, served.sent = None, 0
    item.start()
    assert ended(item).state is State.DONE
    assert served.sent == size - size // 2
    assert served.asked[-1][2]["range"] == f"bytes={size // 2}-"


def test_a_killed_download_goes_on_in_a_new_process(served: HubServer, cache: Path) -> None:
    size = len(served.repos[REPO].files[WEIGHTS])
    served.hang_after = size // 2
    child = Path(__file__).with_name("download_child.py")
    process = subprocess.Popen([sys.executable, str(child), REPO, str(cache)], env=os.environ | {"HF_TOKEN": ""})
    part = hub_cache.repo_folder(cache, REPO) / "blobs" / f"{served.repos[REPO].blob(WEIGHTS)}.incomplete"
    until(lambda: part.exists() and part.stat().st_size == size // 2, 20)
    process.send_signal(signal.SIGKILL)
    process.wait()
    served.hang_after, served.sent = None, 0
    all_of_them = Downloads(Hub(), QUICK)
    all_of_them.recover(cache)
    (item,) = all_of_them.items
    assert item.state is State.PAUSED
    assert item.progress().done >= size // 2
    all_of_them.resume(item)
    assert ended(item).state is State.DONE
    # A small file may have been on its way at the kill; of the large one only what was missing comes again.
    small = sum(map(len, served.repos[REPO].files.values())) - size
    assert 0 <= served.sent - (size - size // 2) <= small


def test_pausing_ends_a_silent_connection_at_once(served: HubServer, cache: Path) -> None:
    served.hang_after = 100_000
    item = begin(cache, patience=Patience(silence=60))
    part = item.manifest.partial(cache, weights(item))
    until(lambda: part.exists() and part.stat().st_size == 100_000)
    start = time.monotonic()
    item.pause()
    assert item.join(2)
    assert time.monotonic() - start < 2
    assert item.state is State.PAUSED
    assert part.stat().st_size == 100_000


def test_a_silent_connection_is_called_stalled_and_then_tried_again(
    served: HubServer, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(downloading, "STALL_SECONDS", 0.1)
    served.hang_after = 100_000
    item = begin(cache, patience=Patience(tries=5, first=0.01, silence=0.5))
    until(lambda: item.progress().stalled)
    served.hang_after = None
    assert ended(item).state is State.DONE


def test_a_file_that_was_filled_with_zeros_later_is_found_by_its_hash(served: HubServer, cache: Path) -> None:
    ended(begin(cache))
    snapshot = hub_cache.find(cache, REPO)
    assert snapshot is not None
    with (snapshot / WEIGHTS).open("r+b") as file:
        file.seek(200_000)
        file.write(bytes(200_000))
    assert content_hash.check(snapshot).damaged == (WEIGHTS,)


def test_an_empty_file_is_no_obstacle(served: HubServer, cache: Path) -> None:
    served.repos[REPO].files["merges.txt"] = b""
    item = ended(begin(cache))
    assert item.state is State.DONE
    assert (item.manifest.snapshot(cache) / "merges.txt").read_bytes() == b""


def test_a_second_program_does_not_write_the_same_parts(served: HubServer, cache: Path) -> None:
    served.hang_after = 100_000
    first = begin(cache, patience=Patience(silence=60))
    until(lambda: first.progress().done >= 100_000)
    assert "Another Draftlens is fetching" in str(ended(begin(cache)).progress().problem)
    first.pause()
    ended(first)


def test_two_models_run_and_the_third_waits_for_its_turn(served: HubServer, cache: Path, tmp_path: Path) -> None:
    names = [f"acme/toy-{n}" for n in range(3)]
    served.repos |= {name: whole_model(tmp_path / f"source{n}") for n, name in enumerate(names)}
    served.hang_after = 50_000
    hub = Hub()
    queue = Downloads(hub, Patience(silence=60))
    items = [queue.add(choice.manifest_of(hub.listing(name)), cache) for name in names]
    assert [item.state for item in items] == [State.DOWNLOADING, State.DOWNLOADING, State.QUEUED]
    served.hang_after = None
    queue.cancel(items[0])
    assert items[2].state is State.DOWNLOADING
    assert hub_cache.repo_folder(cache, names[0]).exists() is False
    assert ended(items[2]).state is State.DONE
    queue.close()
    assert items[1].state in (State.PAUSED, State.DONE)


def test_cancelling_leaves_what_a_folder_of_another_revision_links_to(served: HubServer, cache: Path) -> None:
    served.hang_after = 100_000
    item = begin(cache, patience=Patience(silence=60))
    small = next(part for part in item.manifest.files if part.name == "config.json")
    blob = item.manifest.blob(cache, small)
    until(blob.is_file)
    inner = hub_cache.repo_folder(cache, REPO) / "snapshots" / ("b" * 40) / "mlx"
    inner.mkdir(parents=True)
    (inner / "config.json").symlink_to(blob)
    item.cancel()
    assert (inner / "config.json").read_bytes() == served.repos[REPO].files["config.json"]
    assert [path.name for path in blob.parent.iterdir()] == [blob.name]


def test_a_download_does_not_need_standard_error(
    served: HubServer, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    monkeypatch.setattr(sys, "stdout", None)
    assert ended(begin(cache)).state is State.DONE


def test_only_what_is_loaded_is_fetched(served: HubServer, tmp_path: Path) -> None:
    extra = {"pytorch_model.bin": b"x", "onnx/model.onnx": b"x", "consolidated.safetensors": b"x", "evil.py": b"x"}
    served.repos[REPO] = Repo(served.repos[REPO].files | extra, served.repos[REPO].large)
    names = {part.name for part in choice.manifest_of(Hub().listing(REPO)).files}
    assert names.isdisjoint(extra)
    assert {"config.json", "tokenizer.json", WEIGHTS} <= names
