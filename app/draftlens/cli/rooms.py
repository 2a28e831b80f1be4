"""What the command line needs of the rest of the house, passed in by the composition root."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from draftlens.core.engine import Engine

Report = Callable[[str, float | None], None]


class Fetch(Protocol):
    """A download that runs beside."""

    @property
    def over(self) -> bool:
        """Whether it has ended, well or not."""
        ...

    @property
    def notes(self) -> tuple[str, ...]:
        """What else is to be said of it, as clauses."""
        ...

    def state(self) -> tuple[str, float | None]:
        """A sentence and the fraction done."""
        ...

    def stop(self) -> None:
        """End it; what arrived is kept."""
        ...

    def result(self) -> Path:
        """The folder that was fetched.

        Raises:
            UserError: why there is none.
        """
        ...


@dataclass(frozen=True)
class Rooms:
    """Doors to the heavy rooms; nothing behind them is imported before it is called.

    Attributes:
        open_engine: starts MLX on the calling thread.
        demo_pair: folders of the demo target and drafter, fetched if they are not there.
        self_test: checks of this machine, as (name, "ok" | "warning" | "failed", sentence, next step).
        inspect: what a folder, config.json or repository is, as JSON values with "role", "reason", "evidence",
            "next", and whether it is refused.
        check: hold the files of an installed model against the hub's hashes, and delete what is damaged if asked;
            "sentence", how many "files", which are "damaged", "next".
        find: the folder that a path or the name of an installed repository stands for.
        installed: every model on this computer as JSON values.
        download: begin to fetch a repository; its GGUF file, where it is one; whether also what cannot be loaded.
        import_gguf: turn a GGUF file into a folder of a name, kept as asked; returns the folder.
        comparisons: the folder in which comparisons are kept.
    """

    open_engine: Callable[[], Engine]
    demo_pair: Callable[[Report, Callable[[], bool]], tuple[Path, Path]]
    self_test: Callable[[], list[tuple[str, str, str, str | None]]]
    inspect: Callable[[str], tuple[dict[str, Any], bool]]
    check: Callable[[str, Report, bool], dict[str, Any]]
    find: Callable[[str], Path]
    installed: Callable[[], list[dict[str, Any]]]
    download: Callable[[str, str | None, bool], Fetch]
    import_gguf: Callable[[Path, str | None, str, Report], Path]
    comparisons: Callable[[], Path]
