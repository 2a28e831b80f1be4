"""Conversations out as Markdown or JSON, and our own JSON in again."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QFileDialog, QWidget

from draftlens.bridge.archive import Archive
from draftlens.core.errors import UserError
from draftlens.store.exchange import export_json, import_json
from draftlens.store.markdown import to_markdown

_MARKDOWN, _JSON = "Markdown (*.md)", "JSON with every version and round (*.json)"


def export(parent: QWidget, archive: Archive, conversation: str, title: str) -> None:
    """Ask where to, and write.

    Raises:
        UserError: it cannot be read or written.
    """
    name = "".join(c for c in title if c.isalnum() or c in " -_").strip() or "chat"
    path, chosen = QFileDialog.getSaveFileName(parent, "Export chat", f"{name}.md", f"{_MARKDOWN};;{_JSON}")
    if path:
        write(archive, conversation, Path(path), as_json=path.endswith(".json") or chosen == _JSON)


def write(archive: Archive, conversation: str, path: Path, *, as_json: bool) -> None:
    """Write a conversation to a file.

    Raises:
        UserError: it cannot be read or written.
    """
    archive.flush()
    if archive.db is None:
        raise UserError("This chat is not kept anywhere, so it cannot be exported.")
    if as_json:
        text = export_json(archive.db, conversation)
    else:
        found = archive.load(conversation)
        if found is None:
            raise UserError("This conversation is not in the database any more.", "Nothing was exported.")
        text = to_markdown(found)
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror or error}.", "Choose another place.") from error


def read(parent: QWidget, archive: Archive) -> str | None:
    """Ask for a file and add the conversation in it; return its id.

    Raises:
        UserError: the file cannot be used; nothing was added.
    """
    path, _ = QFileDialog.getOpenFileName(parent, "Import chat", "", "Chats exported by Draftlens (*.json)")
    return take(archive, Path(path)) if path else None


def take(archive: Archive, path: Path) -> str:
    """Add the conversation in a file; return its id.

    Raises:
        UserError: the file cannot be used; nothing was added.
    """
    if archive.db is None:
        raise UserError("Chats cannot be kept at the moment, so none can be imported.")
    try:
        source = path.read_bytes()
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror or error}.", "Nothing was imported.") from error
    return import_json(archive.db, source, path.name).result(10).id
