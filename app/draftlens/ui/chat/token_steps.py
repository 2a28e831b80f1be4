"""The selected token of the transcript: one back or on with the keyboard, ringed, and said in words."""

from __future__ import annotations

from PySide6.QtCore import QObject, Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QKeySequence, QShortcut

from draftlens.bridge import figures
from draftlens.bridge.reply import Piece
from draftlens.ui.chat.code_block import CodeBlock
from draftlens.ui.chat.reply_view import ReplyView
from draftlens.ui.chat.transcript import Transcript

PREVIOUS, NEXT = QKeySequence("Alt+Left"), QKeySequence("Alt+Right")


class TokenSteps(QObject):
    """Begins at the newest reply's last token going back, at its first going on."""

    def __init__(self, transcript: Transcript) -> None:
        super().__init__(transcript)
        self._transcript = transcript
        self._message = ""
        self._at = -1
        self.words = ""
        """The selected token as a screen reader says it."""
        for keys, by in ((PREVIOUS, -1), (NEXT, 1)):
            shortcut = QShortcut(keys, transcript)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(lambda by=by: self.step(by))

    def step(self, by: int) -> None:
        """Select the previous or the next token."""
        turns = [view for view in self._transcript.turns if view.reply.pieces]
        if not turns:
            return
        view = next((view for view in turns if view.message.id == self._message), None)
        count = len(view.reply.pieces) if view is not None else 0
        if view is None or self._at >= count:
            view = max(turns, key=lambda turn: turn.y())
            count = len(view.reply.pieces)
            self._at = count if by < 0 else -1
        self._message, self._at = view.message.id, min(max(self._at + by, 0), count - 1)
        self._show(view)

    def _show(self, view: ReplyView) -> None:
        pieces = view.reply.pieces
        piece = pieces[self._at]
        start = sum(len(before.text) for before in pieces[: self._at])
        # The ring leaves out the space before a word, as the underline does.
        bare = piece.text.lstrip()
        first = start + len(piece.text) - len(bare) if bare else start
        self.words = spoken(piece)
        view.roundAsked.emit(view.message.id, piece.round - view.reply.rounds[0].index if view.reply.rounds else -1)
        for part in view.body.parts:
            prose = part.text if isinstance(part, CodeBlock) else part
            place = prose.mark(first, start + len(piece.text))
            prose.setAccessibleDescription("" if place is None else self.words)
            if place is not None:
                top = prose.mapTo(self._transcript.viewport(), place.topLeft().toPoint()).y()
                self._transcript.bring(top, round(place.height()))
        if QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self._transcript, self.words))


def spoken(piece: Piece) -> str:
    """A token in words: "joins, residual draw, round 147, position 3"."""
    text = piece.text.strip() or figures.token(piece.text)
    return f"{text}, {figures.SOURCE_WORDS[piece.source]}, round {piece.round}, position {piece.index + 1}"
