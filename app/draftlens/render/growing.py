"""A block that grows line by line without being parsed again: an open fence, a table."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum, auto

from markdown_it.token import Token

from draftlens.render.cutting import columns
from draftlens.render.document import Block, Kind, Run, Style, join
from draftlens.render.tree import Builder, blocks, normalized

_PIECE = 2000


class Fit(Enum):
    """What a line is to a growing block."""

    TAKEN = auto()
    LAST = auto()
    """It closed the block, which is now final."""
    BEHIND = auto()
    """The block ended before it and is final."""
    UNSURE = auto()
    """Only parsing everything again can tell."""


class GrowingFence:
    """An open fence, at the top or inside list items, whose new lines are code until one closes it."""

    def __init__(self, top: Block, fence: Token) -> None:
        self._spine = [top]
        while self._spine[-1].children:
            self._spine.append(self._spine[-1].children[-1])
        leaf = self._spine[-1]
        self._runs = list(leaf.runs)
        self._content = [leaf.content]
        self._end = leaf.end
        self._closed = False
        self._markup = fence.markup
        self._strip, self._inside = fence.meta["indent"]

    @property
    def parsed(self) -> int:
        """Characters that were parsed to grow."""
        return 0

    def take(self, line: str, at: int) -> Fit:
        """Add a whole line that begins at the source offset `at`."""
        text = normalized(line)
        words = text.strip(" \t\n")
        indent = columns(text)
        if words and indent < self._inside:
            return Fit.UNSURE
        if self._is_closing(words) and indent - self._inside < 4:
            if len(self._spine) > 1:
                return Fit.UNSURE
            self._closed = True
            self._end = at + len(text.removesuffix("\n"))
            return Fit.LAST
        self._add(line, at)
        self._end = at + len(text.removesuffix("\n"))
        return Fit.TAKEN

    def shown(self, partial: str, at: int) -> tuple[Block, ...]:
        """Return the block with an unfinished line; what may become the closing fence is not shown yet."""
        words = normalized(partial).strip(" \t\n")
        if not words or not words.strip(self._markup[0]):
            return (self.final(),)
        if columns(partial) < self._inside:
            return (self.final(), *blocks(partial, at, final=False))
        runs, content = self._as_code(partial, at)
        return (self._block([*self._runs, *runs], [*self._content, content], at + len(partial)),)

    def final(self) -> Block:
        """Return the block as it stands."""
        return self._block(self._runs, self._content, self._end)

    def _add(self, line: str, at: int) -> None:
        """Add code; a long run or piece of content is left alone, so that a line costs the same at any length."""
        runs, content = self._as_code(line, at)
        last = self._runs[-1] if self._runs else None
        if last is not None and len(last.text) < _PIECE:
            self._runs[-1:] = join([last, *runs])
        else:
            self._runs += runs
        if len(self._content[-1]) < _PIECE:
            self._content[-1] += content
        else:
            self._content.append(content)

    def _is_closing(self, words: str) -> bool:
        return len(words) >= len(self._markup) and not words.strip(self._markup[0])

    def _as_code(self, line: str, at: int) -> tuple[list[Run], str]:
        """Return a line as code: its runs and its exact characters behind the indentation of the fence."""
        text = normalized(line)
        first = width = 0
        while first < len(text) and width < self._strip and text[first] in " \t":
            width += 4 - width % 4 if text[first] == "\t" else 1
            first += 1
        pad = " " * max(0, width - self._strip)
        runs = [
            Run(pad, at + first - 1, at + first, Style.CODE),
            Run(text[first:], at + first, at + len(text), Style.CODE),
        ]
        return [run for run in runs if run.text], pad + line[first:]

    def _block(self, runs: list[Run], content: list[str], end: int) -> Block:
        shown = join(runs) if self._closed else tuple(runs)
        block = replace(self._spine[-1], runs=shown, content="".join(content), end=end, closed=self._closed)
        for above in reversed(self._spine[:-1]):
            block = replace(above, children=(*above.children[:-1], block), end=end)
        return block


class GrowingTable:
    """A table whose new lines are rows until one is not."""

    def __init__(self, table: Block, source: str) -> None:
        self._table = table
        self._head = "".join(source.splitlines(keepends=True)[:2])
        self.parsed = 0

    def take_all(self, text: str, at: int) -> bool:
        """Add lines that are all rows; whether they were."""
        grown = self._grown(text, at)
        if not isinstance(grown, Block) or len(grown.rows) - len(self._table.rows) != normalized(text).count("\n"):
            return False
        self._table = grown
        return True

    def take(self, line: str, at: int) -> Fit:
        """Add a whole line that begins at the source offset `at`."""
        if not line.strip(" \t\r\n"):
            return Fit.BEHIND
        grown = self._grown(line, at)
        if isinstance(grown, Block):
            self._table = grown
            return Fit.TAKEN
        return Fit.UNSURE if grown[-1].kind is Kind.MATH else Fit.BEHIND

    def shown(self, partial: str, at: int) -> tuple[Block, ...]:
        """Return the table with an unfinished line."""
        if not partial.strip():
            return (self._table,)
        grown = self._grown(partial, at)
        return (grown,) if isinstance(grown, Block) else (self._table, *grown)

    def final(self) -> Block:
        """Return the table as it stands."""
        return self._table

    def _grown(self, line: str, at: int) -> Block | list[Block]:
        """Return the table with the lines as rows, or what else they are. A row depends on nothing but the head."""
        self.parsed += len(self._head) + len(line)
        made = Builder(self._head + line, at - len(self._head), final=False).top()
        if len(made) == 1 and made[0].kind is Kind.TABLE and len(made[0].rows) > 1:
            return replace(self._table, rows=self._table.rows + made[0].rows[1:], end=made[0].end)
        return made[1:] or made


Growing = GrowingFence | GrowingTable
