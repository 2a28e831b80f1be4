"""The selected token in the transcript: ringed, said in words, explained in a card; ⌥← and ⌥→ go to its neighbours."""

from __future__ import annotations

from PySide6.QtCore import QObject, QRect, Qt
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent, QKeySequence, QShortcut

from draftlens.bridge import figures
from draftlens.bridge.positions import position_of
from draftlens.bridge.reply import Piece
from draftlens.bridge.selection import Selection
from draftlens.ui.chat.reply_view import ReplyView
from draftlens.ui.chat.token_popover import TokenPopover
from draftlens.ui.chat.transcript import Transcript
from draftlens.ui.theme import Theme

PREVIOUS, NEXT = QKeySequence("Alt+Left"), QKeySequence("Alt+Right")


class TokenSteps(QObject):
    """Shows what is selected wherever it was selected; the card only for what was chosen in the text."""

    def __init__(self, transcript: Transcript, selection: Selection, theme: Theme) -> None:
        super().__init__(transcript)
        self._transcript, self._selection = transcript, selection
        self._ringed: ReplyView | None = None
        self._explains = False
        self.popover = TokenPopover(theme, transcript)
        self.words = ""
        """The selected token as a screen reader says it."""
        for keys, by in ((PREVIOUS, -1), (NEXT, 1)):
            shortcut = QShortcut(keys, transcript)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(lambda by=by: self.step(by))
        selection.changed.connect(self._follow)
        transcript.verticalScrollBar().valueChanged.connect(self.popover.close_card)

    def step(self, by: int) -> None:
        """Select the previous or the next token."""
        self._explains = True
        self._selection.step_token(by)
        self._explains = False

    def choose(self, row: int, slot: int) -> None:
        """Select a token of the reply whose figures are shown."""
        self._explains = True
        if (row, slot) == (self._selection.row, self._selection.slot):
            self._follow()
        self._selection.choose(row, slot)
        self._explains = False

    def _follow(self) -> None:
        self.popover.close_card()
        selection = self._selection
        reply, number = selection.reply, selection.piece()
        view = None if reply is None or number < 0 else self._view(reply.message)
        if self._ringed is not None and self._ringed is not view:
            self._unring()
        self._ringed = view
        if view is None or reply is None or selection.round is None:
            return
        piece = reply.pieces[number]
        view.origins.take(reply.pieces)
        start = view.origins.start(number)
        # The ring leaves out the space before a word, as the underline does.
        bare = piece.text.lstrip()
        first = start + len(piece.text) - len(bare) if bare else start
        self.words = spoken(piece)
        place = self._ring(view, first, start + len(piece.text))
        if place is not None and self._explains:
            self.popover.show_position(position_of(selection.round, selection.slot), place)
        if QAccessible.isActive():
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self._transcript, self.words))

    def _view(self, message: str) -> ReplyView | None:
        """The turn of a reply, scrolled to if it is not built; only for a choice made in the text."""
        found = next((view for view in self._transcript.turns if view.message.id == message), None)
        if found is None and self._explains:
            ids = [item.message.id for item in self._transcript.items]
            if message in ids:
                view = self._transcript.reveal(ids.index(message)).view
                return view if isinstance(view, ReplyView) else None
        return found

    def _ring(self, view: ReplyView, first: int, end: int) -> QRect | None:
        """Ring these characters and bring them into view; return where they stand on the page."""
        found = view.mark(first, end, self.words)
        if found is None:
            return None
        text, box = found[0], found[1].toAlignedRect()
        self._transcript.bring(text.mapTo(self._transcript.viewport(), box.topLeft()).y(), box.height())
        return QRect(text.mapTo(self._transcript, box.topLeft()), box.size())

    def _unring(self) -> None:
        ringed, self._ringed = self._ringed, None
        if ringed is not None and ringed in self._transcript.turns:
            ringed.mark(-1, -1, "")


def spoken(piece: Piece) -> str:
    """A token in words: "joins, residual draw, round 147, position 3"."""
    text = piece.text.strip() or figures.token(piece.text)
    return f"{text}, {figures.SOURCE_WORDS[piece.source]}, round {piece.round}, position {piece.index + 1}"
