"""Where a comparison runs: versions and machine, so that others can tell what its figures belong to."""

from __future__ import annotations

import os
import platform
import subprocess
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from draftlens.core.errors import UserError
from draftlens.core.events import Loaded

_PACKAGES = ("draftlens", "mlx", "mlx-lm")


def about(loaded: Loaded, warm_up_tokens: int) -> dict[str, Any]:
    """Return the head's free part: when, which versions, which machine, which models."""
    drafter = loaded.drafter
    return {
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "versions": {name: _version(name) for name in _PACKAGES} | {"python": platform.python_version()},
        "machine": machine(),
        "models": {
            "target": {"name": loaded.target.name, "path": str(loaded.target.path)},
            "draft_model": None if drafter is None else {"name": drafter.name, "path": str(drafter.path)},
        },
        "warm_up_tokens": warm_up_tokens,
    }


def check_models(kept: Mapping[str, Any], loaded: Loaded) -> None:
    """Refuse to go on with a comparison on other models than it began with.

    Args:
        kept: what `about` returned when it began; where it does not tell, nothing is refused.

    Raises:
        UserError: naming both models.
    """
    models = kept.get("models")
    for role, now in (("target", loaded.target), ("draft_model", loaded.drafter)):
        before = models.get(role) if isinstance(models, dict) else None
        name = before.get("name") if isinstance(before, dict) else None
        if name is not None and (now is None or now.name != name):
            other = "no draft model" if now is None else now.name
            raise UserError(f"This comparison was run with {name}, and {other} is loaded.", f"Load {name} to go on.")


@cache
def machine() -> dict[str, Any]:
    """Return what decides speed: processor, cores, memory, system."""
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "system": f"{platform.system()} {platform.release()}",
    }


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _processor() -> str:
    if sys.platform == "darwin":
        command = ["/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode == 0 and done.stdout.strip():
            return done.stdout.strip()
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    named = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    return named or platform.processor() or platform.machine()
