"""A reply: a header that says what ran, what can be done with it, a note where one is due, and its text."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QWidget

from draftlens.bridge import figures
from draftlens.bridge.reply import Phase, Reply
from draftlens.core.chat import Message, Version
from draftlens.core.round import FinishReason
from draftlens.ui.chat.code_block import CodeBlock
from draftlens.ui.chat.formats import Formats
from draftlens.ui.chat.formulas import Formulas
from draftlens.ui.chat.ops import Origins
from draftlens.ui.chat.reply_body import ReplyBody
from draftlens.ui.chat.text_block import TextBlock
from draftlens.ui.chat.turn_buttons import CopyButton, VersionSwitch, continue_button, icon_button
from draftlens.ui.eliding_label import ElidingLabel

_ENDINGS = {
    FinishReason.LENGTH: "ended at the token limit",
    FinishReason.CONTEXT: "ended: the context is full",
}
_BADGES = {
    Phase.STOPPED: "stopped",
    Phase.INTERRUPTED: "interrupted",
    Phase.FAILED: "ended with an error",
}
_SLICE = 240
"""Characters whose text is made in one step: about two milliseconds' worth."""


class ReplyView(QWidget):
    """`refresh` takes over what the reply gained since the last call; `fit` lays it out at a width."""

    regenerateAsked = Signal(str)
    resumeAsked = Signal(str)
    switchAsked = Signal(str, int)
    linkAsked = Signal(str)
    tokenAsked = Signal(str, int, int)
    changed = Signal()

    def __init__(
        self,
        formats: Formats,
        formulas: Formulas,
        message: Message,
        reply: Reply,
        version: Version,
        parent: QWidget | None = None,
        *,
        tinted: bool = True,
        lined: bool = True,
    ) -> None:
        super().__init__(parent)
        theme = formats.theme
        self._theme, self.message, self.reply = theme, message, reply
        self._busy = False
        self._newest = True
        self.model = ElidingLabel(Qt.TextElideMode.ElideMiddle)
        self.model.setProperty("scale", "heading")
        self.model.show_text(reply.model)
        self.rule = QLabel()
        self.rule.setIndent(0)
        self.rule.setProperty("kind", "ruleQuiet")
        self.status = ElidingLabel()
        self.status.setProperty("tone", "3")
        self.status.setProperty("scale", "small")
        self.badge = QLabel()
        self.badge.setIndent(0)
        self.badge.setProperty("kind", "badge")
        self.copy = CopyButton(theme, "Copy reply", lambda: self.reply.text)
        self.again = icon_button(theme, "refresh", "Regenerate")
        self.raw = icon_button(theme, "text", "Show as written")
        self.raw.setCheckable(True)
        self.versions = VersionSwitch(theme)
        self.header = QWidget(self)
        self._row = row = QHBoxLayout(self.header)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        for part in (self.model, self.rule, self.badge, self.status):
            row.addWidget(part)
        row.addStretch(1)
        for button in (self.versions, self.raw, self.copy, self.again):
            row.addWidget(button)
        self.note = QLabel(self)
        self.note.setProperty("tone", "2")
        self.note.setProperty("scale", "small")
        self.note.setWordWrap(True)
        self.resume: QPushButton | None = None
        self.origins = Origins()
        self.origins.tinted, self.origins.lined = tinted, lined
        self.body = ReplyBody(formats, formulas, reply, self.origins, self)
        self._written: TextBlock | None = None
        self._marked = (-1, -1, "")
        self.again.clicked.connect(lambda: self.regenerateAsked.emit(self.message.id))
        self.raw.toggled.connect(self._on_raw)
        self.versions.stepAsked.connect(lambda step: self.switchAsked.emit(self.message.id, step))
        self.body.linkAsked.connect(self.linkAsked)
        self.body.sourceClicked.connect(self._on_source)
        self.body.folded.connect(self.changed)
        self.versions.show_version(version)
        self._built = False

    @property
    def text(self) -> str:
        """The text as it is shown."""
        return self.body.shown_text

    @property
    def stops(self) -> list[QWidget]:
        """What Tab comes to, in order."""
        text = self.body.stops if self._written is None else [self._written]
        resume = [] if self.resume is None else [self.resume]
        return [*self.versions.stops, self.raw, self.copy, self.again, *text, *resume]

    def show_message(self, message: Message, version: Version) -> None:
        """Take over the message's state in the tree."""
        self.message = message
        self.versions.show_version(version)
        if self._built:
            self._show_actions()

    def set_newest(self, on: bool) -> None:
        """Only the newest reply can be continued: what was said since rests on the others as they are."""
        self._newest = on
        if self._built:
            self._show_actions()

    def set_busy(self, busy: bool) -> None:
        """While a reply runs nothing can be asked again."""
        self._busy = busy
        if self._built:
            self._show_actions()

    def prepare(self, width: int) -> bool:
        """Make a slice of the text, or at last the header; return False if all that is there."""
        if self._built:
            return False
        self.body.room = width
        if self.body.whole:
            self.refresh()
        else:
            self.body.grow(_SLICE)
        return True

    def refresh(self) -> None:
        """Take over new text and the header's figures."""
        self._built = True
        if self._written is not None:
            self._written.append(self.reply.pieces[self._written.count :])
        self.body.grow()
        self.refresh_header()
        self._show_actions()

    def refresh_header(self) -> None:
        """Show phase, rule, tokens and speed."""
        reply = self.reply
        rule = reply.stats.rule
        if rule is None and reply.started is not None and reply.started.drafter != "none":
            rule = reply.started.rule
        off = rule is None and (bool(reply.rounds) or reply.started is not None)
        self.rule.setVisible(rule is not None or off)
        self.rule.setText("speculation off" if rule is None else f"rule={rule}")
        seed = "" if reply.seed is None else f"Seed {reply.seed}: with it, this reply can be made again."
        self.rule.setToolTip("\n".join(filter(None, ("" if rule is None else rule.sentence, seed))))
        self.status.show_text(_status(reply))
        badge = _BADGES.get(reply.phase, "")
        self.badge.setVisible(bool(badge))
        self.badge.setText(badge)
        note, warns = _note(reply)
        self.note.setVisible(bool(note))
        kind = "notice" if warns else ""
        if self.note.property("kind") != kind:
            self.note.setProperty("kind", kind)
            self.note.setMargin(8 if warns else 0)
            self.note.style().unpolish(self.note)
            self.note.style().polish(self.note)
        if note != self.note.text():
            self.note.setText(note)

    def mark(self, first: int, end: int, words: str) -> tuple[QWidget, QRectF] | None:
        """Ring what came from these characters of the reply, `words` to a screen reader; return where that stands."""
        self._marked = (first, end, words)
        found = None
        texts = (part.text if isinstance(part, CodeBlock) else part for part in self.body.parts)
        for text in texts if self._written is None else [self._written]:
            place = text.mark(first, end)
            text.setAccessibleDescription("" if place is None else words)
            if place is not None and found is None:
                found = (text, place)
        return found

    def rebuild(self) -> None:
        """Make the text again: a formula is ready, or it looks otherwise now."""
        self.body.rebuild()
        self.mark(*self._marked)

    def set_tinted(self, on: bool, lined: bool) -> None:
        """Show or hide where the tokens came from."""
        if (on, lined) == (self.origins.tinted, self.origins.lined):
            return
        self.origins.tinted, self.origins.lined = on, lined
        if self._written is not None:
            self._written.set_tinted(on)
        self.rebuild()

    def fit(self, width: int) -> int:
        """Lay everything out at a width and return the height; the text is made by the first call."""
        if not self._built:
            self.refresh()
        y = self._fit_header(width)
        if not self.note.isHidden():
            room = self.note.heightForWidth(width)
            self.note.setGeometry(0, y, width, room)
            y += room + 4
        if self._written is not None:
            room = self._written.fit(width)
            self._written.setGeometry(0, y, width, room)
            y += room
        elif not self.body.isHidden():
            room = self.body.fit(width)
            self.body.setGeometry(0, y, width, room)
            y += room
        if self.resume is not None and not self.resume.isHidden():
            size = self.resume.sizeHint()
            self.resume.setGeometry(0, y + 8, size.width(), size.height())
            y += 8 + size.height()
        return y

    def _fit_header(self, width: int) -> int:
        """Lay out the header and return where the text begins; figures are never cut, but take a line of their own."""
        height = max(24, self._theme.px(24))
        beside = self._row.indexOf(self.status) >= 0
        needed = self._row.sizeHint().width() + (0 if beside else self.status.sizeHint().width() + self._row.spacing())
        if beside is not (needed <= width):
            if beside:
                self._row.removeWidget(self.status)
                self.status.setParent(self)
            else:
                self._row.insertWidget(3, self.status)
            self.status.show()
        self.header.setGeometry(0, 0, width, height)
        if needed <= width:
            return height + 4
        line = self.status.sizeHint().height()
        self.status.setGeometry(0, height, min(width, self.status.sizeHint().width()), line)
        return height + line + 6

    def _show_actions(self) -> None:
        running, empty = self.reply.phase.running, not self.reply.pieces
        for button, visible in (
            (self.copy, not running and not empty),
            (self.raw, not empty),
            (self.again, not running),
        ):
            if button.isHidden() == visible:
                button.setVisible(visible)
        self.again.setEnabled(not self._busy)
        self.body.setVisible(self._written is None and (not empty or self.reply.phase is Phase.STREAMING))
        can = self._newest and self.message.can_continue and not running and not empty
        if can and self.resume is None:
            self.resume = continue_button(self)
            self.resume.clicked.connect(lambda: self.resumeAsked.emit(self.message.id))
        if self.resume is not None:
            self.resume.setVisible(can)
            self.resume.setEnabled(not self._busy)

    def _on_raw(self, on: bool) -> None:
        if on:
            self._written = TextBlock(self._theme, f"Reply of {self.reply.model}, as written", self)
            self._written.set_tinted(self.origins.tinted)
            self._written.append(self.reply.pieces)
            self._written.sourceClicked.connect(self._on_source)
            self._written.show()
        elif self._written is not None:
            self._written.deleteLater()
            self._written = None
        self.mark(*self._marked)
        self._show_actions()
        self.changed.emit()

    def _on_source(self, source: int) -> None:
        piece = self.origins.at(source)
        if piece is not None and self.reply.rounds:
            self.tokenAsked.emit(self.message.id, piece.round - self.reply.rounds[0].index, piece.index)


def _status(reply: Reply) -> str:
    if reply.phase is Phase.WAITING:
        return "Waiting for the engine"
    if reply.phase is Phase.PREFILL and reply.prefill is not None:
        return f"Reading prompt {figures.count(reply.prefill.done)} / {figures.count(reply.prefill.total)}"
    if reply.stats.generated == 0:
        return ""
    ending = "" if reply.finish is None else _ENDINGS.get(reply.finish, "")
    return figures.reply_line(reply.stats) + (f" · {ending}" if ending else "")


def _note(reply: Reply) -> tuple[str, bool]:
    """The sentence below the header, and whether it is a warning."""
    if reply.error is not None:
        return reply.error.sentence, True
    if reply.phase is Phase.DONE and not reply.pieces:
        return "The model ended its reply without writing anything.", False
    if reply.zero_rounds is not None:
        return f"Speculation was on, but no verify round ran: {reply.zero_rounds}.", True
    if not reply.note or reply.params.drafter == "none":
        # Speculation that was switched off needs no reason; the chip says it is off.
        return "", False
    return (reply.note if reply.note.endswith(".") else f"Speculation: {reply.note}."), False
