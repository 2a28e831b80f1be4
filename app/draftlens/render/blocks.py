"""Markdown that arrives in pieces: finished blocks are frozen, the live tail alone is parsed again, at a flat cost.

How a text is cut into blocks depends on the text alone, never on the pieces it came in:

- Decisions are taken on whole lines. A block is frozen when the next one has begun, or when nothing can continue it.
- The items of a list are blocks of their own, numbered as written; so a long list is not one long block.
- Link reference definitions are not applied: they would change blocks that are frozen. They show as they are written.
- A block that grows beyond `LIMIT` (half of it for items and quotes) is cut between lines, never inside a fence; the
  second half of an item is an item that `continues`. A single line beyond `LIMIT` is cut at a space and goes on as a
  paragraph that `continues`. Fences and tables grow line by line instead and are never cut.
"""

from __future__ import annotations

from dataclasses import replace

from draftlens.render.cutting import content_indent, continued, place
from draftlens.render.document import Block, Kind
from draftlens.render.growing import Fit, Growing, GrowingFence, GrowingTable
from draftlens.render.tree import Builder, line, normalized

LIMIT = 3000
"""Characters a live block may have; above, an update would cost more than a few milliseconds."""


class BlockStream:
    """Text in, blocks out. Offsets count from the beginning of the reply the text stands in.

    Attributes:
        frozen: the finished blocks; only ever appended to.
        parsed: how many characters were given to the parser so far, for watching the cost.
    """

    def __init__(self, base: int = 0, limit: int = LIMIT) -> None:
        self.frozen: list[Block] = []
        self._parsed = 0
        self._limit = limit
        self._at = base
        self._open = ""
        self._grown: list[str] = []
        self._grown_length = 0
        self._context = ""
        self._line = ""
        self._growing: Growing | None = None
        self._inside_line = False
        self._tail: tuple[Block, ...] | None = ()

    @property
    def parsed(self) -> int:
        """How many characters were given to the parser so far."""
        return self._parsed + (self._growing.parsed if self._growing else 0)

    @property
    def tail(self) -> tuple[Block, ...]:
        """What is not finished yet: usually one block, none right after a block was frozen."""
        if self._tail is None:
            self._tail = self._live()
        return self._tail

    def feed(self, text: str) -> tuple[Block, ...]:
        """Add a piece and return the blocks it finished."""
        before = len(self.frozen)
        self._line += text
        self._tail = None
        whole = self._line[:-1] if self._line.endswith("\r") else self._line
        cut = normalized(whole).rfind("\n") + 1
        if cut:
            lines, self._line = self._line[:cut], self._line[cut:]
            self._take(lines)
        self._line = self._shorten(self._line)
        return tuple(self.frozen[before:])

    def finish(self) -> tuple[Block, ...]:
        """Nothing follows: freeze what is left and return it."""
        before = len(self.frozen)
        rest, self._line = self._line, ""
        self._take(rest)
        self._stop_growing()
        if self._open:
            self._freeze(self._parse(self._open, final=True)[1], len(self._open))
        self._tail = ()
        return tuple(self.frozen[before:])

    def _take(self, text: str) -> None:
        """Add whole lines, as many at a time as may be parsed at once."""
        batch: list[str] = []
        size = 0
        for row in _rows(text):
            if self._inside_line or len(row) > self._limit:
                self._advance("".join(batch))
                batch, size = [], 0
                self._take_long(row)
                continue
            batch.append(row)
            size += len(row)
            if size > self._limit:
                self._advance("".join(batch))
                batch, size = [], 0
        self._advance("".join(batch))

    def _take_long(self, row: str) -> None:
        """Add a whole line that is too long, or the end of one."""
        row = self._shorten(row)
        if not self._inside_line:
            self._advance(row)
            return
        self._inside_line = False
        if row.strip():
            self._parsed += len(row)
            self._freeze([line(row, self._at)], len(row))
        else:
            self._at += len(row)

    def _shorten(self, row: str) -> str:
        """Freeze the first parts of a line that is too long and return the rest; inside a fence it stays whole."""
        while len(row.rstrip("\r\n")) > self._limit and not isinstance(self._growing, GrowingFence):
            self._stop_growing()
            cut = row.rfind(" ", self._limit // 2, self._limit) + 1 or self._limit
            head, row = self._open + row[:cut], row[cut:]
            made = [line(head, self._at)] if self._inside_line else self._parse(head, final=True)[1]
            self._freeze(made, len(head))
            self._inside_line = True
        return row

    def _advance(self, text: str) -> None:
        """Add lines of ordinary length: to the growing block while they fit, else by parsing what is open."""
        self._tail = None
        if isinstance(self._growing, GrowingTable) and text and self._growing.take_all(text, self._open_end):
            self._grow(text)
            return
        rows = _rows(text)
        done = 0
        for number, row in enumerate(rows):
            if self._growing is None:
                break
            growing = self._growing
            fit = growing.take(row, self._open_end)
            if fit in (Fit.TAKEN, Fit.LAST):
                self._grow(row)
                done = number + 1
            if fit is not Fit.TAKEN:
                self._stop_growing()
            if fit in (Fit.LAST, Fit.BEHIND):
                self._freeze([growing.final()], len(self._open))
        if done < len(rows):
            self._open += "".join(rows[done:])
            self._settle()

    def _settle(self) -> None:
        """Parse what is open and freeze all that can no longer change."""
        while self._open.strip():
            built, made = self._parse(self._open, final=False)
            if self._cut_block(built, made):
                continue
            last = made[-1]
            if self._is_final(last):
                self._freeze(made, len(self._open))
                return
            keep = 2 if last.kind is Kind.MATH and len(made) > 1 else 1
            if len(made) > keep:
                self._freeze(made[:-keep], made[-keep].start - self._at)
            self._tail = tuple(made[-keep:]) if not self._line else None
            fence = built.open_fence()
            if keep == 1 and fence is not None:
                self._growing = GrowingFence(last, fence)
            elif keep == 1 and last.kind is Kind.TABLE:
                self._growing = GrowingTable(last, self._open[last.start - self._at :])
            return
        self._at += len(self._open)
        self._open = ""

    def _parse(self, text: str, *, final: bool) -> tuple[Builder, list[Block]]:
        """Return the blocks of a text that begins where the open one does; in the middle of an item after a cut."""
        self._parsed += len(self._context) + len(text)
        built = Builder(self._context + text, self._at - len(self._context), final=final)
        made = built.top()
        if self._context:
            item = replace(made[0], start=self._at, number=None, continues=True)
            made[:1] = [item] if item.children else []
        return built, made

    def _cut_block(self, built: Builder, made: list[Block]) -> bool:
        """Cut the first block that is too long; whether there was one."""
        text = normalized(self._open)
        ahead = len(self._context)
        fences = [(low - ahead, high - ahead) for low, high in built.fences()]
        for number, block in enumerate(made):
            start, end = block.start - self._at, block.end - self._at
            # Nested blocks take about twice as long to parse.
            limit = self._limit // 2 if block.kind in (Kind.ITEM, Kind.QUOTE) else self._limit
            if block.kind in (Kind.TABLE, Kind.MATH) or block.fenced or end - start <= limit:
                continue
            indent = 0
            if block.kind is Kind.ITEM:
                indent = content_indent(self._context if block.continues else text[start:])
            cut = place(text, start, end, limit, fences, indent)
            if cut:
                self._freeze(made[:number], start)
                self._freeze(self._parse(self._open[: cut - start], final=True)[1], cut - start)
                self._context = continued(indent) if indent else ""
                return True
        return False

    def _is_final(self, block: Block) -> bool:
        """Whether no line can continue the last block."""
        match block.kind:
            case Kind.HEADING | Kind.RULE:
                return True
            case Kind.CODE:
                return block.fenced and block.closed
            case Kind.MATH:
                return block.closed
            case Kind.PARAGRAPH | Kind.QUOTE | Kind.TABLE:
                return normalized(self._open[block.end - self._at :]).count("\n") > 1
            case _:
                return False

    def _freeze(self, made: list[Block], length: int) -> None:
        """Append finished blocks that take the first `length` open characters."""
        self._stop_growing()
        self.frozen += made
        self._tail = None
        if made:
            self._context = ""
        self._at += length
        self._open = self._open[length:]

    @property
    def _open_end(self) -> int:
        """Where the source of the whole open lines ends."""
        return self._at + len(self._open) + self._grown_length

    def _grow(self, text: str) -> None:
        """Keep what the growing block took beside the open text, which would be copied with each line."""
        self._grown.append(text)
        self._grown_length += len(text)

    def _stop_growing(self) -> None:
        self._open += "".join(self._grown)
        self._grown.clear()
        self._grown_length = 0
        self._parsed += self._growing.parsed if self._growing else 0
        self._growing = None

    def _live(self) -> tuple[Block, ...]:
        at = self._open_end
        if self._inside_line:
            self._parsed += len(self._line)
            return (line(self._line, at),) if self._line.strip() else ()
        if self._growing is not None:
            return self._growing.shown(self._line, at)
        return tuple(self._parse(self._open + self._line, final=False)[1])


def blocks_of(source: str, base: int = 0) -> tuple[Block, ...]:
    """Return the blocks of a text that is complete."""
    stream = BlockStream(base)
    stream.feed(source)
    stream.finish()
    return tuple(stream.frozen)


def _rows(text: str) -> list[str]:
    """Split into lines, their line breaks kept."""
    rows: list[str] = []
    start = 0
    plain = normalized(text)
    while start < len(text):
        end = plain.find("\n", start) + 1 or len(text)
        rows.append(text[start:end])
        start = end
    return rows
