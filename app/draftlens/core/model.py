"""A model: the folder it is loaded from, and what is shown of it once it is loaded."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class ModelInfo:
    """What is loaded, for showing.

    Attributes:
        name: folder name.
        path: the folder.
        vocabulary: number of token ids that can be drawn.
        context: longest context in tokens.
        weights_bytes: size of the weights in memory.
        rewind_refusal: why its caches cannot be rolled back, None if they can.
        has_chat_template: whether messages can be rendered.
    """

    name: str
    path: Path
    vocabulary: int
    context: int
    weights_bytes: int
    rewind_refusal: str | None
    has_chat_template: bool


@dataclass(frozen=True)
class Folder:
    """A model folder that was judged fit to load.

    Attributes:
        path: the folder.
        weight_files: the files that hold its weights; others beside them are not read.
        loads_as: the architecture name to load it under, None for the config's own.
        warnings: sentences about what is odd but harmless.
        title: its name where that is not the folder's, as in a cache of snapshots.
    """

    path: Path
    weight_files: tuple[Path, ...]
    loads_as: str | None = None
    warnings: tuple[str, ...] = ()
    title: str = ""

    @property
    def name(self) -> str:
        """What people call it."""
        return self.title or self.path.name
