"""Blocks and runs: what is shown, and for every shown character the source it came from.

A run is either *exact* (each shown character stands for one source character, in order) or *whole* (all of it stands
for all of its source range, as "*" for `\\*`). Source that no run covers is markup and is not shown. In reading order
the source ranges of a block's runs never go back.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Flag, StrEnum, auto


class Style(Flag):
    """How a run looks, besides its link and its colour."""

    PLAIN = 0
    BOLD = auto()
    ITALIC = auto()
    STRIKE = auto()
    CODE = auto()
    MATH = auto()
    """The text is LaTeX with its delimiters; shown as it is where it cannot be set."""


@dataclass(frozen=True, slots=True)
class Run:
    """Characters that look the same.

    Attributes:
        text: the characters shown.
        start: where their source begins.
        end: where their source ends; `end - start` is `len(text)` for an exact run.
        link: the target to show before it is opened; only http, https and mailto ever stand here.
        color: colour class of code: "kw", "fn", "num", "com", "str" or "".
    """

    text: str
    start: int
    end: int
    style: Style = Style.PLAIN
    link: str = ""
    color: str = ""

    def shown(self, start: int, end: int) -> tuple[int, int] | None:
        """Return the range of `text` that comes from the source range, None if nothing does."""
        low, high = max(start, self.start), min(end, self.end)
        if low >= high:
            return None
        if self.end - self.start != len(self.text):
            return (0, len(self.text)) if self.text else None
        return low - self.start, high - self.start


class Kind(StrEnum):
    """What a block is."""

    PARAGRAPH = "paragraph"
    HEADING = "heading"
    ITEM = "item"
    QUOTE = "quote"
    CODE = "code"
    TABLE = "table"
    RULE = "rule"
    MATH = "math"


class Align(StrEnum):
    """Where the text of a table's column stands."""

    NONE = ""
    LEFT = "left"
    CENTER = "center"
    RIGHT = "right"


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a table."""

    runs: tuple[Run, ...] = ()


@dataclass(frozen=True, slots=True)
class Block:
    """A block and all it holds.

    Attributes:
        start: where its first line begins in the source.
        end: where its last line ends, the line break not counted.
        runs: the text of a paragraph, heading, code or maths block.
        children: the blocks inside an item or a quote.
        level: of a heading, 1 to 6.
        number: of an ordered item, as written; None for a bullet.
        checked: of a task, None for an ordinary item.
        loose: an item whose blocks stand apart by blank lines.
        language: the first word behind a fence's opening, "" if there is none.
        content: code exactly as the model wrote it, for copying; the LaTeX of a maths block.
        fenced: code between fences, not by indentation.
        closed: false while a code or maths block waits for its end.
        rows: of a table, the first is its head; a row may have more cells than the head.
        aligns: of a table, one a column.
        continues: goes on with the line before it, which was too long for one block.
    """

    kind: Kind
    start: int
    end: int
    runs: tuple[Run, ...] = ()
    children: tuple[Block, ...] = ()
    level: int = 0
    number: int | None = None
    checked: bool | None = None
    loose: bool = False
    language: str = ""
    content: str = ""
    fenced: bool = False
    closed: bool = True
    rows: tuple[tuple[Cell, ...], ...] = ()
    aligns: tuple[Align, ...] = ()
    continues: bool = False

    def leaves(self) -> Iterator[tuple[Run, ...]]:
        """Return the texts of the block in reading order: its own, its cells', its children's."""
        if self.runs:
            yield self.runs
        for row in self.rows:
            for cell in row:
                yield cell.runs
        for child in self.children:
            yield from child.leaves()

    @property
    def text(self) -> str:
        """Everything shown, one line a leaf: for search, announcements and tests."""
        return "\n".join(text_of(runs) for runs in self.leaves())


def text_of(runs: tuple[Run, ...]) -> str:
    """Return the characters shown by the runs."""
    return "".join(run.text for run in runs)


def shown(runs: tuple[Run, ...], start: int, end: int) -> list[tuple[int, int]]:
    """Return the ranges of `text_of(runs)` that come from a source range, ends excluded, neighbours joined."""
    ranges: list[tuple[int, int]] = []
    at = 0
    for run in runs:
        if run.start >= end:
            break
        found = run.shown(start, end)
        if found is not None:
            low, high = at + found[0], at + found[1]
            if ranges and ranges[-1][1] == low:
                ranges[-1] = (ranges[-1][0], high)
            else:
                ranges.append((low, high))
        at += len(run.text)
    return ranges


@dataclass(frozen=True, slots=True)
class Piece:
    """Characters of one run that come from one token; `token` is its index, None where no token is known."""

    text: str
    run: Run
    token: int | None


def pieces(runs: Sequence[Run], tokens: Sequence[tuple[int, int]]) -> list[Piece]:
    """Return the runs cut where tokens end; `tokens` are their source ranges, rising and not overlapping.

    Characters that stand for several tokens belong to the last, which completed them.
    """
    made: list[Piece] = []
    ends = [end for _, end in tokens]
    for run in runs:
        whole = run.end - run.start != len(run.text)
        at = run.end - 1 if whole else run.start
        while at < run.end:
            found = bisect_right(ends, at)
            start, end = tokens[found] if found < len(tokens) else (run.end, run.end)
            border = min(end if start <= at else start, run.end)
            text = run.text if whole else run.text[at - run.start : border - run.start]
            made.append(Piece(text, run, found if start <= at else None))
            at = border
    return made


def join(runs: list[Run]) -> tuple[Run, ...]:
    """Return the runs with exact neighbours that look the same made one."""
    joined: list[Run] = []
    for run in runs:
        if not run.text:
            continue
        last = joined[-1] if joined else None
        if (
            last is not None
            and last.end == run.start
            and (last.style, last.link, last.color) == (run.style, run.link, run.color)
            and Style.MATH not in run.style
            and last.end - last.start == len(last.text)
            and run.end - run.start == len(run.text)
        ):
            joined[-1] = Run(last.text + run.text, last.start, run.end, run.style, run.link, run.color)
        else:
            joined.append(run)
    return tuple(joined)
