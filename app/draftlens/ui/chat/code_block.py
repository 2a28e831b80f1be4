"""A code block: its language, a button that copies it byte for byte, colours once its fence closes."""

from __future__ import annotations

from PySide6.QtCore import QRect, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QFrame, QLabel, QWidget

from draftlens.render.code import colored
from draftlens.render.document import Block, Run, Style
from draftlens.ui.chat.formats import Formats, Shape
from draftlens.ui.chat.formulas import Formulas
from draftlens.ui.chat.ops import Origins, Paragraph, runs_of
from draftlens.ui.chat.prose import Prose
from draftlens.ui.chat.turn_buttons import CopyButton

_SIDE, _PAD = 13, 9
_COLORED = 20_000
"""Longer code keeps the looks it grew with: rebuilding it would be felt."""


class CodeBlock(QFrame):
    """Grows at its end while the fence is open, whatever its length."""

    sourceClicked = Signal(int)

    def __init__(self, formats: Formats, formulas: Formulas, origins: Origins, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("kind", "code")
        self._formats, self._origins = formats, origins
        self.start = -1
        self._content = ""
        self._shown = ""
        self._closed = False
        self.language = QLabel(self)
        self.language.setProperty("tone", "2")
        self.language.setProperty("scale", "small")
        self.copy = CopyButton(formats.theme, "Copy code", lambda: self._content, self)
        self.text = Prose(formats, formulas, "Code", self, wraps=False)
        self.text.sourceClicked.connect(self.sourceClicked)
        self._head = formats.theme.px(26)

    @property
    def content(self) -> str:
        """The code exactly as the model wrote it."""
        return self._content

    def show_block(self, block: Block) -> None:
        """Show the block, or what it gained."""
        self.start = block.start
        self._content = block.content
        self.language.setText(block.language or ("code" if block.fenced else ""))
        self.text.setAccessibleName(f"Code, {block.language}" if block.language else "Code")
        runs = block.runs
        # The last line break ends the last line; it does not begin another.
        text = "".join(run.text for run in runs)
        if not self.text.settled:
            self.text.show_ops([Paragraph(Shape(code=True))], 1)
        closing = block.closed and not self._closed
        self._closed = block.closed
        if closing and len(text) <= _COLORED:
            self._rebuild(colored(block))
        elif len(text) > len(self._shown):
            fresh = _without_last_break(_behind(runs, len(self._shown)), block.closed)
            ops = runs_of(fresh, self._origins, "code")
            self.text.show_ops(ops, len(ops))
        self._shown = text

    def fit(self, width: int) -> int:
        """The height it needs at a width."""
        return self._head + 2 * _PAD + self.text.fit(width - 2 * _SIDE) + 2

    def paintEvent(self, event: QPaintEvent) -> None:
        """A hairline below the head."""
        super().paintEvent(event)
        painter = QPainter(self)
        painter.fillRect(1, self._head, self.width() - 2, 1, self._formats.theme.color("border"))
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Head above, code below."""
        super().resizeEvent(event)
        width = self.width()
        self.language.setGeometry(_SIDE, 2, width - 60, self._head - 2)
        self.copy.move(width - 32, (self._head - 22) // 2)
        inner = QRect(_SIDE, self._head + _PAD, width - 2 * _SIDE, self.height() - self._head - 2 * _PAD)
        self.text.setGeometry(inner)

    def _rebuild(self, runs: tuple[Run, ...]) -> None:
        self.text.reset()
        ops = [Paragraph(Shape(code=True)), *runs_of(_without_last_break(runs, True), self._origins, "code")]
        self.text.show_ops(ops, len(ops))


def _behind(runs: tuple[Run, ...], shown: int) -> tuple[Run, ...]:
    """The runs without their first characters."""
    rest: list[Run] = []
    for run in runs:
        if shown >= len(run.text):
            shown -= len(run.text)
            continue
        exact = run.end - run.start == len(run.text)
        rest.append(
            Run(run.text[shown:], run.start + shown if exact else run.start, run.end, Style.CODE, run.link, run.color)
        )
        shown = 0
    return tuple(rest)


def _without_last_break(runs: tuple[Run, ...], closed: bool) -> tuple[Run, ...]:
    if not closed or not runs or not runs[-1].text.endswith("\n"):
        return runs
    last = runs[-1]
    return (*runs[:-1], Run(last.text[:-1], last.start, last.end - 1, last.style, last.link, last.color))
