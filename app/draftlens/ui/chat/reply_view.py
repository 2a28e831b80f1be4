"""One turn of the chat: the prompt in its bubble, the reply below with a header that says what ran."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from draftlens.bridge import figures
from draftlens.bridge.reply import Phase, Reply
from draftlens.bridge.state import Turn
from draftlens.core.round import FinishReason
from draftlens.ui.chat.text_block import TextBlock
from draftlens.ui.eliding_label import ElidingLabel
from draftlens.ui.theme import Theme

_ENDINGS = {
    FinishReason.LENGTH: "ended at the token limit",
    FinishReason.CONTEXT: "ended: the context is full",
}


class TurnView(QWidget):
    """The prompt and its reply. `refresh` takes over what the reply gained since the last call."""

    def __init__(self, theme: Theme, turn: Turn, parent: QWidget | None = None, *, tinted: bool = True) -> None:
        super().__init__(parent)
        self._theme, self._reply = theme, turn.reply
        self._taken = 0
        bubble = QFrame()
        bubble.setProperty("kind", "user")
        prompt = TextBlock(theme, "You wrote")
        prompt.show_text(turn.user)
        inside = QVBoxLayout(bubble)
        inside.setContentsMargins(14, 10, 14, 10)
        inside.addWidget(prompt)

        self.model = ElidingLabel(Qt.TextElideMode.ElideMiddle)
        self.model.setProperty("scale", "heading")
        self.model.show_text(turn.reply.model)
        self.rule = QLabel()
        self.rule.setIndent(0)
        self.rule.setProperty("kind", "ruleQuiet")
        self.status = ElidingLabel()
        self.status.setProperty("tone", "3")
        self.status.setProperty("scale", "small")
        self.badge = QLabel()
        self.badge.setIndent(0)
        self.badge.setProperty("kind", "badge")
        self._copy = QToolButton()
        self._copy.setFixedSize(24, 24)
        self._copy.setIconSize(QSize(14, 14))
        kept = self._copy.sizePolicy()
        # The header keeps its height when the button appears: the text below does not move at the end.
        kept.setRetainSizeWhenHidden(True)
        self._copy.setSizePolicy(kept)
        self._copy.setAccessibleName("Copy reply")
        self._copy.setToolTip("Copy reply")
        self._copy.clicked.connect(lambda: QGuiApplication.clipboard().setText(self._reply.text))
        header = QHBoxLayout()
        header.setSpacing(8)
        for part in (self.model, self.rule, self.badge, self.status):
            header.addWidget(part)
        header.addStretch(1)
        header.addWidget(self._copy)

        self.note = QLabel()
        self.note.setProperty("tone", "2")
        self.note.setProperty("scale", "small")
        self.note.setWordWrap(True)
        self.text = TextBlock(theme, f"Reply of {turn.reply.model}")
        self.text.set_tinted(tinted)

        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addWidget(bubble)
        layout.addSpacing(10)
        layout.addLayout(header)
        layout.addWidget(self.note)
        layout.addWidget(self.text)
        theme.changed.connect(self._show_icons)
        self._show_icons()
        self.refresh()

    def refresh(self) -> None:
        """Take over new text and the header's figures."""
        reply = self._reply
        fresh = reply.pieces[self._taken :]
        if fresh:
            self.text.append(fresh)
            self._taken += len(fresh)
        self.text.set_caret(reply.phase is Phase.STREAMING)
        self.text.setVisible(bool(reply.pieces) or reply.phase is Phase.STREAMING)
        self._copy.setVisible(not reply.phase.running and bool(reply.pieces))
        self.refresh_header()

    def refresh_header(self) -> None:
        """Show phase, rule, tokens and speed."""
        reply = self._reply
        rule = reply.stats.rule
        self.rule.setVisible(rule is not None or reply.params.drafter == "none")
        self.rule.setText("speculation off" if rule is None else f"rule={rule}")
        seed = "" if reply.seed is None else f"Seed {reply.seed}: with it, this reply can be made again."
        self.rule.setToolTip("\n".join(filter(None, ("" if rule is None else rule.sentence, seed))))
        self.status.show_text(_status(reply))
        badge = _badge(reply)
        self.badge.setVisible(bool(badge))
        self.badge.setText(badge)
        note = _note(reply)
        self.note.setVisible(bool(note))
        self.note.setText(note)

    def set_tinted(self, on: bool) -> None:
        """Show or hide where the tokens came from."""
        self.text.set_tinted(on)

    def _show_icons(self) -> None:
        self._copy.setIcon(self._theme.icon("copy", "text3", 14))


def _status(reply: Reply) -> str:
    if reply.phase is Phase.WAITING:
        return "Waiting for the engine"
    if reply.phase is Phase.PREFILL and reply.prefill is not None:
        return f"Reading prompt {figures.count(reply.prefill.done)} / {figures.count(reply.prefill.total)}"
    if reply.stats.generated == 0:
        return ""
    ending = "" if reply.finish is None else _ENDINGS.get(reply.finish, "")
    return figures.reply_line(reply.stats) + (f" · {ending}" if ending else "")


def _badge(reply: Reply) -> str:
    return {Phase.STOPPED: "stopped", Phase.FAILED: "ended with an error"}.get(reply.phase, "")


def _note(reply: Reply) -> str:
    if reply.error is not None:
        return reply.error.sentence
    if reply.phase is Phase.DONE and not reply.pieces:
        return "The model ended its reply without writing anything."
    if not reply.note or reply.params.drafter == "none":
        # Speculation that was switched off needs no reason; the chip says it is off.
        return ""
    return reply.note if reply.note.endswith(".") else f"Speculation: {reply.note}."
