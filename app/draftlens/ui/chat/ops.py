"""Blocks of a reply as a list of small steps that build a document, so that a change redoes only what differs."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from draftlens.bridge.reply import Piece
from draftlens.core.round import Source
from draftlens.render.document import Block, Kind, Run, Style
from draftlens.ui.chat.formats import Look, Shape

_BULLETS = "•◦▪"


@dataclass(frozen=True, slots=True)
class Paragraph:
    """Begin a paragraph."""

    shape: Shape


@dataclass(frozen=True, slots=True)
class Text:
    """Write characters; `source` is where the first came from, -1 for what is not the model's."""

    text: str
    look: Look
    source: int = -1


@dataclass(frozen=True, slots=True)
class Maths:
    """Set a formula; the source is written where that cannot be done."""

    written: str
    look: Look
    source: int
    display: bool


@dataclass(frozen=True, slots=True)
class Table:
    """Lay out a table, each cell a row of texts."""

    rows: tuple[tuple[tuple[Text | Maths, ...], ...], ...]
    aligns: tuple[str, ...]


Op = Paragraph | Text | Maths | Table


class Origins:
    """Where the characters of a reply came from, as its pieces arrive."""

    def __init__(self) -> None:
        self.tinted = True
        self.lined = True
        self.flag: tuple[int, str] | None = None
        """A character of the reply, and the words of the flag that stands before it."""
        self._starts: list[int] = []
        self._pieces: list[Piece] = []
        self._length = 0

    def take(self, pieces: Sequence[Piece]) -> None:
        """Take the pieces that are new."""
        for piece in pieces[len(self._pieces) :]:
            self._starts.append(self._length)
            self._pieces.append(piece)
            self._length += len(piece.text)

    def at(self, source: int) -> Piece | None:
        """The piece a character came from."""
        found = bisect_right(self._starts, source) - 1
        return self._pieces[found] if found >= 0 and source < self._length else None

    def start(self, piece: int) -> int:
        """Where a piece begins."""
        return self._starts[piece]

    def cut(self, run: Run, kind: str) -> Iterator[Text]:
        """Cut a run where the tint changes; the tint covers a leading space, the underline does not."""
        base = Look(kind, run.style, run.color, run.link)
        exact = run.end - run.start == len(run.text)
        if not self.tinted or not self._pieces:
            yield Text(run.text, base, run.start)
            return
        if not exact:
            piece = self.at(run.start)
            source = None if piece is None else piece.source
            yield Text(run.text, _tinted(base, source, lined=self.lined), run.start)
            return
        at = run.start
        number = max(0, bisect_right(self._starts, at) - 1)
        while at < run.end:
            known = number < len(self._pieces)
            end = self._starts[number] + len(self._pieces[number].text) if known else run.end
            end = min(max(end, at + 1), run.end)
            source = self._pieces[number].source if known else None
            text = run.text[at - run.start : end - run.start]
            bare = text.lstrip()
            space = len(text) - len(bare)
            if space:
                # Space alone, and the indentation of a line, have no tint.
                blank = not bare or "\n" in text[:space]
                yield Text(text[:space], _tinted(base, None if blank else source, lined=False), at)
            if bare:
                if self.flag is not None and at <= self.flag[0] <= at + space:
                    words = self.flag[1].replace(" ", "\u00a0")
                    yield Text(f"\u00a0⚑\u00a0{words}\u00a0", Look("flag"))
                    yield Text("\u2002", Look(kind))
                yield Text(bare, _tinted(base, source, lined=self.lined), at + space)
            at = end
            number += 1


def _tinted(look: Look, source: Source | None, *, lined: bool) -> Look:
    if source is None or source in (Source.PREFILL, Source.PLAIN):
        return look
    return Look(look.kind, look.style, look.color, look.link, source, lined and source is not Source.DRAFT)


def joined(ops: Iterator[Op]) -> list[Op]:
    """Join neighbouring texts that look the same."""
    made: list[Op] = []
    for op in ops:
        last = made[-1] if made else None
        if isinstance(op, Text) and isinstance(last, Text) and _follows(last, op):
            made[-1] = Text(last.text + op.text, last.look, last.source)
            continue
        made.append(op)
    return made


def _follows(last: Text, op: Text) -> bool:
    return op.look == last.look and last.source >= 0 and op.source == last.source + len(last.text)


def ops_of(block: Block, origins: Origins, before: Block | None) -> list[Op]:
    """The steps for a block that is not a code block of its own; `before` stands above it in the same prose."""
    above = 0 if before is None else 10
    if before is not None and before.kind is Kind.ITEM and block.kind is Kind.ITEM:
        above = 6 if block.loose else 3
    return joined(_block(block, origins, _Place(above=above)))


def runs_of(runs: tuple[Run, ...], origins: Origins, kind: str) -> list[Op]:
    """The steps for the text of a code block."""
    return joined(text for run in runs for text in origins.cut(run, kind))


@dataclass(frozen=True, slots=True)
class _Place:
    left: int = 0
    depth: int = 0
    above: int = 0
    quote: int | None = None

    @property
    def kind(self) -> str:
        return "body" if self.quote is None else "quiet"

    def shape(self) -> Shape:
        return Shape(left=self.left, above=self.above, quote=self.quote)


def _block(block: Block, origins: Origins, place: _Place) -> Iterator[Op]:
    match block.kind:
        case Kind.HEADING:
            yield Paragraph(replace(place.shape(), above=place.above + 4, heading=True))
            yield from _inline(block.runs, origins, f"heading{block.level}")
        case Kind.ITEM:
            yield from _item(block, origins, place)
        case Kind.QUOTE:
            for number, child in enumerate(block.children):
                above = place.above if number == 0 else 6
                yield from _block(child, origins, _Place(place.left + 18, place.depth, above, quote=place.left))
        case Kind.CODE:
            yield Paragraph(replace(place.shape(), code=True))
            for run in block.runs:
                yield from origins.cut(run, "code")
        case Kind.TABLE:
            yield Table(
                tuple(tuple(tuple(_inline(cell.runs, origins, "body")) for cell in row) for row in block.rows),
                tuple(str(align) for align in block.aligns),
            )
        case Kind.RULE:
            yield Paragraph(replace(place.shape(), rule=True))
        case Kind.MATH:
            yield Paragraph(place.shape())
            for run in block.runs:
                yield Maths(run.text, Look(place.kind, style=Style.CODE), run.start, display=True)
        case _:
            yield Paragraph(place.shape())
            yield from _inline(block.runs, origins, place.kind)


def _item(block: Block, origins: Origins, place: _Place) -> Iterator[Op]:
    mark = _BULLETS[min(place.depth, 2)] if block.number is None else f"{block.number}."
    if block.checked is not None:
        mark = "☑" if block.checked else "☐"
    # A number of two digits or more needs more room than a bullet.
    left, mark = place.left + 20 + 10 * max(0, len(mark) - 2), f"{mark}\u2002"
    yield Paragraph(replace(place.shape(), left=left, mark=mark))
    yield Text(mark, Look("quiet"))
    rest = block.children
    if rest and rest[0].kind is Kind.PARAGRAPH:
        yield from _inline(rest[0].runs, origins, place.kind)
        rest = rest[1:]
    for child in rest:
        yield from _block(child, origins, _Place(left, place.depth + 1, 4, place.quote))


def _inline(runs: tuple[Run, ...], origins: Origins, kind: str) -> Iterator[Text | Maths]:
    for run in runs:
        if Style.MATH in run.style:
            yield Maths(run.text, Look(kind, style=Style.CODE), run.start, display=False)
        else:
            yield from origins.cut(run, kind)
