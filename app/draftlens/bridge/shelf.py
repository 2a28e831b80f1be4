"""The list of conversations: searched, renamed, deleted with a way back, restored."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date

from PySide6.QtCore import QObject, Signal

from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.store.date_groups import date_groups


@dataclass(frozen=True)
class Row:
    """A line of the list: a heading, or a conversation with what was found in it."""

    title: str
    id: str | None = None
    snippet: str = ""
    running: bool = False


class Shelf(QObject):
    """What the list shows, read from the store whenever something in it changed."""

    changed = Signal()

    def __init__(self, bridge: EngineBridge, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._bridge = bridge
        self._archive = bridge.archive
        self.query = ""
        self.deleted_shown = False
        self.last_deleted: tuple[str, str] | None = None
        bridge.listChanged.connect(self.refresh)
        bridge.chatChanged.connect(self.changed)

    def rows(self) -> list[Row]:
        """The lines to show."""
        if self.deleted_shown:
            return [Row("Recently Deleted"), *(Row(e.title, e.id) for e in self._archive.recently_deleted())]
        if self.query.strip():
            return [Row(h.title, h.conversation, h.snippet) for h in self._archive.search(self.query)]
        running = None if self._bridge.run is None else self._bridge.run.chat.id
        found: list[Row] = []
        for group in date_groups(self._archive.entries(), date.today()):
            found.append(Row(group.heading))
            found += [Row(e.title, e.id, running=e.id == running) for e in group.entries]
        return found

    def has_deleted(self) -> bool:
        """Whether anything can be restored."""
        return bool(self._archive.recently_deleted())

    def search(self, query: str) -> None:
        """Show the conversations that hold every word; what was deleted is not searched, and gives way."""
        if query != self.query:
            self.query = query
            self.deleted_shown = self.deleted_shown and not query.strip()
            self.changed.emit()

    def show_deleted(self, on: bool) -> None:
        """Show what was deleted lately, or the conversations again."""
        self.deleted_shown = on
        self.refresh()

    def rename(self, id: str, title: str) -> None:
        """Give a title that stays; an empty one changes nothing."""
        title = " ".join(title.split())
        if title:
            self._archive.rename(id, title)
            if self._bridge.chat.id == id:
                chat = self._bridge.chat
                chat.conversation = replace(chat.conversation, title=title, named=True)
        self.refresh()

    def delete(self, id: str, title: str) -> None:
        """Move to Recently Deleted; a reply it is writing goes on."""
        self._archive.delete(id)
        self.last_deleted = (id, title)
        if self._bridge.chat.id == id:
            self._bridge.new_chat()
        self.refresh()

    def undo(self) -> None:
        """Take back the last deletion and show it again."""
        if self.last_deleted is not None:
            id, _ = self.last_deleted
            self.last_deleted = None
            self.restore(id)

    def restore(self, id: str) -> None:
        """Take a conversation back and show it."""
        self._archive.restore(id)
        self.deleted_shown = False
        self.refresh()
        self._bridge.open(id)

    def purge(self, id: str) -> None:
        """Delete for good."""
        self._archive.purge(id)
        if self.last_deleted is not None and self.last_deleted[0] == id:
            self.last_deleted = None
        self.refresh()

    def refresh(self) -> None:
        """Read the list again once what was asked is written."""
        self._archive.flush()
        if self.deleted_shown and not self.has_deleted():
            self.deleted_shown = False
        self.changed.emit()
