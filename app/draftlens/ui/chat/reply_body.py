"""The text of a reply as it grows: thinking that folds, prose, code blocks; what is finished is never touched again."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QToolButton, QWidget

from draftlens.bridge.reply import Phase, Reply
from draftlens.render.blocks import BlockStream
from draftlens.render.document import Block, Kind
from draftlens.render.thinking import ThinkingSplit, Voice
from draftlens.ui.chat.code_block import CodeBlock
from draftlens.ui.chat.formats import Formats
from draftlens.ui.chat.formulas import Formulas
from draftlens.ui.chat.ops import Op, Origins, ops_of
from draftlens.ui.chat.prose import Prose

_FULL = 1200
"""Steps a prose may hold: beyond, the next block begins another, so that every update costs the same."""
_GAP = 10

Part = Prose | CodeBlock


class Voices:
    """One voice of a reply: its blocks and the widgets that show them."""

    def __init__(self, body: ReplyBody, base: int) -> None:
        self._body = body
        self.stream = BlockStream(base)
        self.kept: list[Part] = []
        self.tail: list[Part] = []
        self._shown = 0
        self._last: Block | None = None

    @property
    def parts(self) -> list[Part]:
        """The widgets, top to bottom."""
        return [*self.kept, *self.tail]

    def sync(self) -> None:
        """Show the blocks that are new and the tail as it is now."""
        spare, self.tail = self.tail, []
        fresh, self._shown = self.stream.frozen[self._shown :], len(self.stream.frozen)
        pending: list[Op] = []
        before: Block | None = None
        settled = 0
        prose: Prose | None = None
        if self.kept and isinstance(self.kept[-1], Prose):
            prose = self.kept[-1]
            before = self._last if prose.settled else None
            if prose.settled >= _FULL:
                prose.show_ops([], 0)
                prose = None
        for number, block in enumerate((*fresh, *self.stream.tail)):
            frozen = number < len(fresh)
            home = self.kept if frozen and not self.tail else self.tail
            if block.kind is Kind.CODE:
                if prose is not None:
                    prose.show_ops(pending, settled)
                prose, pending, settled, before = None, [], 0, None
                self._last = block if frozen else self._last
                home.append(self._code(block, spare))
                continue
            if prose is None:
                before = None
                prose = self._prose(spare)
                home.append(prose)
            ops = ops_of(block, self._body.origins, before)
            pending += ops
            before = block
            if frozen:
                settled += len(ops)
                self._last = block
        if prose is not None:
            prose.show_ops(pending, settled)
        for part in spare:
            part.hide()
            part.deleteLater()

    def _code(self, block: Block, spare: list[Part]) -> CodeBlock:
        for part in spare:
            if isinstance(part, CodeBlock) and part.start == block.start:
                spare.remove(part)
                part.show_block(block)
                return part
        made = self._body.new_code()
        made.show_block(block)
        return made

    def _prose(self, spare: list[Part]) -> Prose:
        for part in spare:
            if isinstance(part, Prose):
                spare.remove(part)
                return part
        return self._body.new_prose()


class ReplyBody(QWidget):
    """Shows a reply's text; `grow` takes what it gained, `fit` lays it out."""

    linkAsked = Signal(str)
    sourceClicked = Signal(int)
    folded = Signal()

    def __init__(
        self, formats: Formats, formulas: Formulas, reply: Reply, origins: Origins, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._formats, self._formulas, self._reply = formats, formulas, reply
        self.origins = origins
        self._fed = 0
        self._ended = False
        self.room = 0
        """The width it will have, or has: text is laid out once if it is known before there is any."""
        self.fold = QToolButton(self)
        self.fold.setProperty("kind", "fold")
        self.fold.setCheckable(True)
        self.fold.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self.fold.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.fold.toggled.connect(self._on_fold)
        self.fold.hide()
        self._begin()

    def _begin(self) -> None:
        text = self._reply.text
        # The template's own opening tag is not kept with a reply; a closing tag without one gives it away.
        opened = self._reply.thinking or ("</think>" in text and not text.lstrip().startswith("<think"))
        self._split = ThinkingSplit(opened)
        self._voices: dict[Voice, Voices] = {}
        self._fed = 0
        self._ended = False

    @property
    def parts(self) -> list[Part]:
        """All widgets of text, top to bottom."""
        return [part for voice in Voice for part in (self._voices[voice].parts if voice in self._voices else [])]

    @property
    def stops(self) -> list[QWidget]:
        """What Tab comes to, in order; the head of a code block stands above its text."""
        parts = ([part.copy, part.text] if isinstance(part, CodeBlock) else [part] for part in self.parts)
        return [self.fold, *(stop for part in parts for stop in part)]

    @property
    def shown_text(self) -> str:
        """What is shown, for tests and search."""
        return "\n".join((p.text if isinstance(p, CodeBlock) else p).toPlainText() for p in self.parts)

    @property
    def whole(self) -> bool:
        """Whether everything the reply holds now has been taken."""
        return self._fed == len(self._reply.text) and self._ended is not self._reply.phase.running

    def grow(self, most: int | None = None) -> None:
        """Take what the reply gained, or only the first so many characters of it."""
        reply = self._reply
        self.origins.take(reply.pieces)
        if not self._fed and not self._ended:
            # Whether the template opened a thought is only known once the reply has started.
            self._begin()
        text = reply.text[self._fed : None if most is None else self._fed + most]
        self._fed += len(text)
        over = not reply.phase.running and self._fed == len(reply.text)
        if self._ended and text:
            self.rebuild()
            return
        parts = list(self._split.add(text)) if text else []
        if over and not self._ended:
            parts += self._split.finish()
        for part in parts:
            if part.voice not in self._voices:
                self._voices[part.voice] = Voices(self, part.start)
            self._voices[part.voice].stream.feed(part.text)
        if over and not self._ended:
            self._ended = True
            for voice in self._voices.values():
                voice.stream.finish()
        for voice in self._voices.values():
            voice.sync()
        self._show_fold()
        self._show_caret()

    def rebuild(self) -> None:
        """Build everything again: another theme, another tint, a formula that is ready."""
        for part in self.parts:
            part.hide()
            part.deleteLater()
        self._begin()
        self.grow()

    @property
    def waits(self) -> bool:
        """Whether a formula is still being set."""
        return any(isinstance(part, Prose) and part.waits for part in self.parts)

    def new_prose(self) -> Prose:
        """A prose of this reply."""
        made = Prose(self._formats, self._formulas, f"Reply of {self._reply.model}", self)
        if self.room:
            made.fit(self.room)
        made.linkAsked.connect(self.linkAsked)
        made.sourceClicked.connect(self.sourceClicked)
        return made

    def new_code(self) -> CodeBlock:
        """A code block of this reply."""
        made = CodeBlock(self._formats, self._formulas, self.origins, self)
        made.sourceClicked.connect(self.sourceClicked)
        return made

    def fit(self, width: int) -> int:
        """Lay everything out at a width and return the height."""
        self.room = width
        y = 0
        if not self.fold.isHidden():
            self.fold.setGeometry(0, 0, min(width, self.fold.sizeHint().width()), 26)
            y = 30
        for voice in Voice:
            found = self._voices.get(voice)
            if found is None:
                continue
            folded = voice is Voice.THINKING and not self.fold.isChecked()
            inset = 14 if voice is Voice.THINKING else 0
            for part in found.parts:
                if folded:
                    part.hide()
                    continue
                height = part.fit(width - inset)
                place = (inset, y, width - inset, height)
                if part.geometry().getRect() != place:
                    part.setGeometry(*place)
                if part.isHidden():
                    part.show()
                y += height + _GAP
        return max(y - _GAP, self._formats.theme.line("body"))

    def _on_fold(self) -> None:
        self._show_fold()
        self.folded.emit()

    def _show_fold(self) -> None:
        thinking = self._voices.get(Voice.THINKING)
        self.fold.setVisible(thinking is not None)
        if thinking is None:
            return
        words = "Thinking" if self._reply.phase.running and not self._split.closed else "Thought"
        self.fold.setText(f"{words}, hide" if self.fold.isChecked() else f"{words}, show")
        name = "chevron-down" if self.fold.isChecked() else "chevron-right"
        self.fold.setIcon(self._formats.theme.icon(name, "text3", 12))

    def _show_caret(self) -> None:
        proses = [p.text if isinstance(p, CodeBlock) else p for p in self.parts]
        streaming = self._reply.phase is Phase.STREAMING
        for number, prose in enumerate(proses):
            prose.set_caret(streaming and number == len(proses) - 1)
