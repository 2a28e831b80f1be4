"""The system's trash: a model goes there whole, and comes back while the system still tells where it lies."""

from __future__ import annotations

import contextlib
import shutil
from pathlib import Path

from PySide6.QtCore import QFile, QObject, Signal

from draftlens.core.errors import UserError
from draftlens.library import hub_cache
from draftlens.library.catalog import Installed


class Trash(QObject):
    """Remembers what was moved last."""

    changed = Signal()
    troubled = Signal(str, object)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._moved: list[tuple[Path, Path]] = []

    @property
    def can_undo(self) -> bool:
        """Whether what was moved last can be put back."""
        return bool(self._moved)

    def move(self, item: Installed) -> bool:
        """Move a model to the trash; what another revision needs stays. Returns whether it is gone."""
        paths = hub_cache.removal(item.path) if hub_cache.repo_of_snapshot(item.path) else [item.path]
        moved: list[tuple[Path, Path]] = []
        for path in paths:
            file = QFile(str(path))
            if not file.moveToTrash():
                self._put_back(moved)
                self.troubled.emit(
                    f"{item.name} is still there",
                    UserError(f"{path} could not be moved to the trash.", "Remove it in the file manager."),
                )
                return False
            # Where the trash tells, the file is now named by its place there.
            if file.fileName() and Path(file.fileName()) != path:
                moved.append((path, Path(file.fileName())))
        self._moved = moved
        self.changed.emit()
        return True

    def undo(self) -> None:
        """Put back what was moved last."""
        moved, self._moved = self._moved, []
        self._put_back(moved)
        self.changed.emit()

    def _put_back(self, moved: list[tuple[Path, Path]]) -> None:
        for path, place in reversed(moved):
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                shutil.move(place, path)
            except OSError as error:
                self.troubled.emit(f"{path.name} could not be put back", UserError(f"{error}."))
                continue
            # The trash of other desktops keeps a note beside each thing; without the thing it means nothing.
            with contextlib.suppress(OSError):
                (place.parent.parent / "info" / f"{place.name}.trashinfo").unlink()
