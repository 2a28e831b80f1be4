"""What is dropped on the window: models go to the Models screen, texts to the composer, the rest gets a sentence."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QObject
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QWidget

from draftlens.bridge.state import Problem

Files = Callable[[list[Path]], None]


def files_of(source: QMimeData) -> list[Path]:
    """The files and folders of this computer among what is dragged or pasted."""
    return [Path(url.toLocalFile()) for url in source.urls() if url.isLocalFile()] if source.hasUrls() else []


def is_model(path: Path) -> bool:
    """Whether something is to be taken for a model: a folder or a GGUF file."""
    return path.is_dir() or path.suffix.lower() == ".gguf"


def parted(paths: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    """Models, and everything else."""
    return [path for path in paths if is_model(path)], [path for path in paths if not is_model(path)]


def refused(path: Path, chat: bool) -> Problem:
    """Why a file that is no model is not taken: in the chat it could be attached once a model is loaded."""
    title = f"{path.name} was not taken"
    if chat:
        return Problem(title, "No model is loaded yet. Load one, then drop the text to attach it.", warning=True)
    words = "It is neither a model folder nor a GGUF file. A text is attached by dropping it on the chat."
    return Problem(title, words, warning=True)


class Dropping(QObject):
    """Takes files that are dropped anywhere on a widget where nothing below takes them.

    Args:
        take: told what was dropped.
        over: told whether files are being dragged over it.
    """

    def __init__(self, widget: QWidget, take: Files, over: Callable[[bool], None]) -> None:
        super().__init__(widget)
        self._take, self._over = take, over
        widget.setAcceptDrops(True)
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Accept files, and nothing else."""
        kind = event.type()
        if kind == QEvent.Type.DragLeave:
            self._over(False)
        elif kind in (QEvent.Type.DragEnter, QEvent.Type.Drop):
            assert isinstance(event, QDragEnterEvent | QDropEvent)
            files = files_of(event.mimeData())
            self._over(bool(files) and kind == QEvent.Type.DragEnter)
            if files:
                event.acceptProposedAction()
                if kind == QEvent.Type.Drop:
                    self._take(files)
                return True
        return super().eventFilter(watched, event)
