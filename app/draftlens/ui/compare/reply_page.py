"""An arm's text as it streams, scrolling by itself; the first token that differs is ringed and flagged."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from draftlens.bridge.reply import Reply
from draftlens.ui.chat.code_block import CodeBlock
from draftlens.ui.chat.formats import Formats
from draftlens.ui.chat.formulas import Formulas
from draftlens.ui.chat.ops import Origins
from draftlens.ui.chat.reply_body import ReplyBody
from draftlens.ui.theme import Theme

_SIDE, _TOP = 24, 12


class ReplyPage(QScrollArea):
    """Shows one reply with the transcript's own text; stays with its end unless the reader went elsewhere."""

    roundAsked = Signal(int)

    def __init__(self, theme: Theme, formats: Formats, formulas: Formulas, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._formats, self._formulas = theme, formats, formulas
        self._reply: Reply | None = None
        self._body: ReplyBody | None = None
        self._origins = Origins()
        self._tinted = True
        self._position: int | None = None
        self._page = QWidget()
        self._page.setObjectName("page")
        self.setWidget(self._page)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self._soon = QTimer(self)
        self._soon.setSingleShot(True)
        self._soon.setInterval(0)
        self._soon.timeout.connect(self._lay_out)
        formulas.ready.connect(self._on_formulas)
        theme.changed.connect(self._rebuild)

    @property
    def text(self) -> str:
        """The text as it is shown."""
        return "" if self._body is None else self._body.shown_text

    def show_reply(self, reply: Reply | None) -> None:
        """Show a reply, or what it gained."""
        if reply is not self._reply:
            if self._body is not None:
                self._body.hide()
                self._body.deleteLater()
            self._reply, self._body, self._position = reply, None, None
            self._origins = Origins()
            self._origins.tinted = self._tinted
            if reply is not None:
                self._body = ReplyBody(self._formats, self._formulas, reply, self._origins, self._page)
                self._body.sourceClicked.connect(self._on_source)
                self._body.folded.connect(self._soon.start)
                self._body.show()
        if self._body is not None:
            self._body.grow()
        self._lay_out()

    def set_tinted(self, on: bool) -> None:
        """Show or hide where the tokens came from."""
        if on != self._tinted:
            self._tinted = self._origins.tinted = on
            self._rebuild()

    def flag(self, position: int | None, words: str) -> None:
        """Mark the token at a position of the reply as the first that differs; None marks nothing."""
        if position == self._position or self._body is None or self._reply is None:
            return
        self._position = position
        span = None if position is None else _span(self._reply, position)
        self._origins.flag = None if span is None else (span[0], words)
        self._rebuild()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The text follows the width."""
        super().resizeEvent(event)
        self._lay_out()

    def _rebuild(self) -> None:
        if self._body is not None:
            self._body.rebuild()
            self._lay_out()

    def _lay_out(self) -> None:
        bar = self.verticalScrollBar()
        at_end = bar.value() >= bar.maximum() - 8
        width = self.viewport().width()
        room = max(80, width - 2 * _SIDE)
        height = 0
        if self._body is not None:
            height = self._body.fit(room)
            self._body.setGeometry(_SIDE, _TOP, room, height)
        self._page.resize(width, max(self.viewport().height(), height + 2 * _TOP))
        self._ring()
        if at_end and self._reply is not None and self._reply.phase.running:
            bar.setValue(bar.maximum())

    def _ring(self) -> None:
        if self._body is None or self._reply is None:
            return
        span = None if self._position is None else _span(self._reply, self._position)
        start, end = span or (0, 0)
        for part in self._body.parts:
            (part.text if isinstance(part, CodeBlock) else part).mark(start, end)

    def _on_formulas(self) -> None:
        if self._body is not None and self._body.waits:
            self._rebuild()

    def _on_source(self, source: int) -> None:
        piece = self._origins.at(source)
        if piece is not None:
            self.roundAsked.emit(piece.round)


def _span(reply: Reply, position: int) -> tuple[int, int] | None:
    """Where the characters of a token stand, white space before them left out; None if it has none yet."""
    tokens = [(r.index, i) for r in reply.rounds for i in range(len(r.emitted))]
    if position >= len(tokens):
        return None
    start = 0
    for piece in reply.pieces:
        end = start + len(piece.text)
        if (piece.round, piece.index) == tokens[position]:
            bare = piece.text.lstrip()
            return (end - len(bare) if bare else start, end)
        start = end
    return None
