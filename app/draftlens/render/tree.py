"""Markdown tokens become blocks and runs; each item of a list is a block, so that it can be frozen by itself."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import replace
from itertools import pairwise

from markdown_it.token import Token

from draftlens.render import lines
from draftlens.render.document import Align, Block, Cell, Kind, Run, Style, join
from draftlens.render.inline import LINK

_STYLES = {"strong": Style.BOLD, "em": Style.ITALIC, "s": Style.STRIKE}
_ADDRESS = re.compile(r"\bhttps?://[^\s<>\"`]+", re.IGNORECASE)
_TARGET = "\0"
"""Marks the shown target of an image or of a link that does not open."""
_NOT_ITS_END = ".,;:!?'\")]}*_~"


def normalized(text: str) -> str:
    """Return the text with "\\n" for every line break and no NUL, each character still at its place."""
    if "\r" in text:
        text = text.replace("\r\n", " \n").replace("\r", "\n")
    return text.replace("\0", "�")


def blocks(source: str, base: int = 0, *, final: bool = True) -> list[Block]:
    """Return the blocks of a whole text whose first character has the source offset `base`."""
    return Builder(source, base, final=final).top()


def line(source: str, base: int) -> Block:
    """Return a piece of a line as a paragraph, whatever it begins with."""
    text = normalized(source)
    made: list[Token] = []
    inline = Token("inline", "", 0, content=text, children=made, meta={"map": [(0, 0)]})
    lines.parser().inline.parse(text, lines.parser(), {}, made)
    return Block(Kind.PARAGRAPH, base, base + len(text.rstrip()), _Text(inline, base).runs(), continues=True)


class Builder:
    """Walks the tokens of one text."""

    def __init__(self, source: str, base: int, *, final: bool) -> None:
        self._source = source
        self._text = normalized(source)
        self._base = base
        self._starts = [0, *(found.end() for found in re.finditer("\n", self._text))]
        self._tokens = lines.parse(self._text, final=final) if source.strip() else []

    def top(self) -> list[Block]:
        """Return all blocks."""
        return self._blocks(0, len(self._tokens))

    def open_fence(self) -> Token | None:
        """Return the fence the text ends in, if it does and only lists are around it."""
        fences = [token for token in self._tokens if token.type == "fence"]
        return fences[-1] if fences and self._is_open(fences[-1]) and not fences[-1].meta["in_quote"] else None

    def fences(self) -> list[tuple[int, int]]:
        """Return the range of lines of every fence, as offsets into the text; an open one reaches behind its end."""
        starts = [*self._starts, len(self._text) + 1]
        return [
            (self._start(token), len(self._text) + 1 if self._is_open(token) else starts[token.map[1]])
            for token in self._tokens
            if token.type == "fence" and token.map
        ]

    def _is_open(self, fence: Token) -> bool:
        """Whether the next line would be inside the fence; one that its list or quote ended is over."""
        last = self._text.count("\n") + (not self._text.endswith("\n"))
        return not fence.meta["closed"] and fence.map is not None and fence.map[1] >= last

    def _blocks(self, at: int, end: int) -> list[Block]:
        made: list[Block] = []
        while at < end:
            token = self._tokens[at]
            close = self._close(at)
            if token.type in ("bullet_list_open", "ordered_list_open"):
                made += self._blocks(at + 1, close)
            else:
                made.append(self._block(token, at, close))
            at = close + 1
        return made

    def _close(self, at: int) -> int:
        """Return where the token that closes this one stands; itself if it opens nothing."""
        level = self._tokens[at].level
        if self._tokens[at].nesting == 1:
            at += 1
            while self._tokens[at].level != level or self._tokens[at].nesting != -1:
                at += 1
        return at

    def _block(self, token: Token, at: int, close: int) -> Block:
        start, end = self._base + self._start(token), self._base + self._end(token)
        match token.type:
            case "heading_open":
                return Block(Kind.HEADING, start, end, self._runs(self._tokens[at + 1]), level=int(token.tag[1:]))
            case "blockquote_open":
                return Block(Kind.QUOTE, start, end, children=tuple(self._blocks(at + 1, close)))
            case "list_item_open":
                return self._item(token, start, end, self._blocks(at + 1, close))
            case "table_open":
                return self._table(start, end, self._tokens[at:close])
            case "fence" | "code_block":
                return self._code(token, start, end)
            case "maths_block":
                return self._maths(token, start, end)
            case "hr":
                return Block(Kind.RULE, start, end)
            case _:
                return Block(Kind.PARAGRAPH, start, end, self._runs(self._tokens[at + 1]))

    def _start(self, token: Token) -> int:
        return self._starts[token.map[0]] if token.map else 0

    def _end(self, token: Token) -> int:
        """Blank lines behind a block are not its own; in code they are."""
        end = token.map[1] if token.map else 0
        end_at = self._starts[end] - 1 if end < len(self._starts) else len(self._text)
        if token.type != "fence":
            end_at = self._start(token) + len(self._text[self._start(token) : end_at].rstrip(" \t\n"))
        return end_at

    def _item(self, token: Token, start: int, end: int, children: list[Block]) -> Block:
        gaps = (self._text[a.end - self._base : b.start - self._base] for a, b in pairwise(children))
        return Block(
            Kind.ITEM,
            start,
            end,
            children=tuple(children),
            number=int(token.info) if token.info else None,
            checked=token.meta.get("checked"),
            loose=any(gap.count("\n") > 1 for gap in gaps),
        )

    def _table(self, start: int, end: int, tokens: list[Token]) -> Block:
        rows: list[list[Cell]] = []
        aligns: list[Align] = []
        for token in tokens:
            if token.type == "tr_open":
                rows.append([])
            elif token.type == "th_open":
                aligns.append(Align(str(token.attrs.get("style", "")).removeprefix("text-align:")))
            elif token.type == "inline":
                rows[-1].append(Cell(self._runs(token)))
        return Block(Kind.TABLE, start, end, rows=tuple(map(tuple, rows)), aligns=tuple(aligns))

    def _code(self, token: Token, start: int, end: int) -> Block:
        rows: list[lines.CodeLine] = token.meta["rows"]
        runs = [Run(text, self._base + low, self._base + high, Style.CODE) for text, low, high in rows]
        exact = (self._source[low:high] if high - low == len(text) else text for text, low, high in rows)
        return Block(
            Kind.CODE,
            start,
            end,
            join(runs),
            language=(token.info.split() or [""])[0],
            content="".join(exact),
            fenced=token.type == "fence",
            closed=token.meta.get("closed", True),
        )

    def _maths(self, token: Token, start: int, end: int) -> Block:
        runs: list[Run] = []
        for low, high in token.meta["rows"]:
            if runs:
                runs.append(Run("\n", runs[-1].end, runs[-1].end + 1, Style.MATH))
            runs.append(Run(self._text[low:high], self._base + low, self._base + high, Style.MATH))
        return Block(Kind.MATH, start, end, tuple(runs), content=token.content, closed=token.meta["closed"])

    def _runs(self, inline: Token) -> tuple[Run, ...]:
        return _Text(inline, self._base).runs()


class _Text:
    """Inline tokens become runs."""

    def __init__(self, inline: Token, base: int) -> None:
        self._inline = inline
        self._base = base
        self._places: lines.Places = inline.meta["map"]
        self._keys = [key for key, _ in self._places]
        self._style = Style.PLAIN
        self._links: list[str] = []
        self._made: list[Run] = []

    def runs(self) -> tuple[Run, ...]:
        for token in self._inline.children or []:
            self._add(token)
        return tuple(part for run in join(self._made) for part in _addresses(run))

    def _source(self, at: int) -> int:
        """Return the source offset of a position in the inline text."""
        found = max(0, bisect_right(self._keys, at) - 1)
        key, place = self._places[found]
        return self._base + place + at - key

    def _push(self, text: str, at: int, end: int | None = None, style: Style = Style.PLAIN) -> None:
        """A run for the inline text from `at`, cut where the source jumps; whole if `end` does not fit its length."""
        link = self._links[-1] if self._links else ""
        if end is not None and end - at != len(text):
            self._made.append(Run(text, self._source(at), self._source(end - 1) + 1, self._style | style, link))
            return
        done = 0
        first, last = bisect_right(self._keys, at), bisect_left(self._keys, at + len(text))
        for cut in [*(key - at for key in self._keys[first:last]), len(text)]:
            if cut > done:
                low = self._source(at + done)
                self._made.append(Run(text[done:cut], low, low + cut - done, self._style | style, link))
            done = cut

    def _add(self, token: Token) -> None:
        at: int = token.meta["at"]
        match token.type:
            case "text":
                self._push(token.content, at)
            case "text_special":
                self._push(token.content, at, at + 2)
            case "softbreak" | "hardbreak":
                self._push("\n", at)
            case "code_inline":
                # One space on each side may have been taken off.
                inside = at + len(token.markup)
                whole = self._inline.content[inside:].replace("\n", " ")
                self._push(
                    token.content, inside + (not whole.startswith(token.content + token.markup)), style=Style.CODE
                )
            case "maths":
                self._push(token.content, at, style=Style.MATH)
            case "address":
                self._links.append(str(token.attrs["href"]))
                self._push(token.content, at)
                self._links.pop()
            case "link_open":
                self._links.append(str(token.attrs["href"]))
            case "link_close":
                self._links.pop()
                self._target(at, token.meta["shown"])
            case _:
                flag = _STYLES.get(token.tag, Style.PLAIN)
                self._style = self._style | flag if token.nesting == 1 else self._style & ~flag

    def _target(self, label_end: int, shown: tuple[int, int, int] | None) -> None:
        """The target behind the label of a link that does not open."""
        if shown is None or shown[0] == shown[1]:
            return
        low, high, end = shown
        self._links.append(_TARGET)
        self._push(" (", label_end, low)
        self._push(self._inline.content[low:high].replace("\n", " "), low)
        self._push(")", high, end)
        self._links.pop()


def _addresses(run: Run) -> list[Run]:
    """Cut out bare addresses as links; the target of what does not open is not one."""
    if run.link == _TARGET:
        return [replace(run, link="")]
    if (
        run.link
        or run.style & (Style.CODE | Style.MATH)
        or "://" not in run.text
        or run.end - run.start != len(run.text)
    ):
        return [run]
    parts: list[Run] = []
    done = 0
    for found in _ADDRESS.finditer(run.text):
        address = found[0].rstrip(_NOT_ITS_END)
        if found[0][len(address) :].startswith(")") and "(" in address:
            address += ")"
        if not LINK.match(address):
            continue
        end = found.start() + len(address)
        parts.append(Run(run.text[done : found.start()], run.start + done, run.start + found.start(), run.style))
        parts.append(Run(address, run.start + found.start(), run.start + end, run.style, address))
        done = end
    parts.append(Run(run.text[done:], run.start + done, run.end, run.style))
    return [part for part in parts if part.text]
