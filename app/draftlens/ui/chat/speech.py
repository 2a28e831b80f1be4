"""Streaming text for screen readers: whole sentences, politely, and nothing while nobody listens."""

from __future__ import annotations

from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QWidget

from draftlens.bridge.reply import Reply
from draftlens.render.sentences import Sentences


class Speech:
    """Hears a reply grow and announces each sentence once."""

    def __init__(self, place: QWidget) -> None:
        self._place = place
        self._reply: Reply | None = None
        self._sentences = Sentences()
        self._heard = 0
        self.said: list[str] = []
        """The last sentences announced."""

    def hear(self, reply: Reply) -> None:
        """Take what the reply gained."""
        if reply is not self._reply:
            self._reply, self._sentences = reply, Sentences()
            self._heard = reply.before if reply.run else len(reply.text)
        fresh = reply.text[self._heard :]
        self._heard += len(fresh)
        found = list(self._sentences.add(fresh)) if fresh else []
        if not reply.phase.running:
            found += self._sentences.finish()
        for sentence in found:
            self._say(sentence)

    def _say(self, sentence: str) -> None:
        self.said = [*self.said[-20:], sentence]
        if QAccessible.isActive():
            event = QAccessibleAnnouncementEvent(self._place, sentence)
            event.setPoliteness(QAccessible.AnnouncementPoliteness.Polite)
            QAccessible.updateAccessibility(event)
