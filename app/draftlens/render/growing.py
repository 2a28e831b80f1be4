"""A block that grows line by line without being parsed again: an open fence, a table."""

from __future__ import annotations

from dataclasses import replace
from enum import Enum, auto

from markdown_it.token import Token

from draftlens.render.cutting import columns
from draftlens.render.document import Block, Kind, Run, Style
from draftlens.render.tree import Builder, blocks, normalized


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
        self._content = leaf.content
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
        self._runs, self._content = self._with(line, at)
        self._end = at + len(text.removesuffix("\n"))
        return Fit.TAKEN

    def shown(self, partial: str, at: int) -> tuple[Block, ...]:
        """Return the block with an unfinished line; what may become the closing fence is not shown yet."""
        words = normalized(partial).strip(" \t\n")
        if not words or not words.strip(self._markup[0]):
            return (self._block(self._runs, self._content, self._end),)
        if columns(partial) < self._inside:
            return (self._block(self._runs, self._content, self._end), *blocks(partial, at, final=False))
        return (self._block(*self._with(partial, at), at + len(partial)),)

    def final(self) -> Block:
        """Return the block as it stands."""
        return self._block(self._runs, self._content, self._end)

    def _is_closing(self, words: str) -> bool:
        return len(words) >= len(self._markup) and not words.strip(self._markup[0])

    def _with(self, line: str, at: int) -> tuple[list[Run], str]:
        text = normalized(line)
        first = columns = 0
        while first < len(text) and columns < self._strip and text[first] in " \t":
            columns += 4 - columns % 4 if text[first] == "\t" else 1
            first += 1
        pad = " " * max(0, columns - self._strip)
        runs = list(self._runs)
        if pad:
            runs.append(Run(pad, at + first - 1, at + first, Style.CODE))
        body = text[first:]
        last = runs[-1] if runs else None
        if not pad and last is not None and last.end == at + first and last.end - last.start == len(last.text):
            runs[-1] = replace(last, text=last.text + body, end=last.end + len(body))
        elif body:
            runs.append(Run(body, at + first, at + len(text), Style.CODE))
        return runs, self._content + pad + line[first:]

    def _block(self, runs: list[Run], content: str, end: int) -> Block:
        block = replace(self._spine[-1], runs=tuple(runs), content=content, end=end, closed=self._closed)
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
