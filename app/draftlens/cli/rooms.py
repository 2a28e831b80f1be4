"""What the command line needs of the rest of the house, passed in by the composition root."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from draftlens.core.engine import Engine

Report = Callable[[str, float | None], None]


@dataclass(frozen=True)
class Rooms:
    """Doors to the heavy rooms; nothing behind them is imported before it is called.

    Attributes:
        open_engine: starts MLX on the calling thread.
        demo_pair: folders of the demo target and drafter, fetched if they are not there.
        self_test: checks of this machine, as (name, "ok" | "warning" | "failed", sentence, next step).
        inspect: what a folder or config.json is, as JSON values with "role", "reason", "evidence", "next", and
            whether it is refused.
        comparisons: the folder in which comparisons are kept.
    """

    open_engine: Callable[[], Engine]
    demo_pair: Callable[[Report, Callable[[], bool]], tuple[Path, Path]]
    self_test: Callable[[], list[tuple[str, str, str, str | None]]]
    inspect: Callable[[Path], tuple[dict[str, Any], bool]]
    comparisons: Callable[[], Path]
