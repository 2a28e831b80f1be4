"""Block-level Markdown whose tokens know their place: `meta["map"]` ties inline text to the source.

markdown-it's own rules decide; each is followed by a note of where its text stands. One rule is ours: display maths.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.parser_block import RuleFuncBlockType
from markdown_it.rules_block import StateBlock, blockquote, code, fence, heading, lheading, list_block, paragraph, table
from markdown_it.token import Token

from draftlens.render import inline, maths

Places = list[tuple[int, int]]
"""(position in the inline text, position in the source), rising; between two entries both advance together."""

CodeLine = tuple[str, int, int]
"""Text of a line of code with its line break, and its source range."""

MATHS_LIMIT = 2000
"""Display maths longer than this is text: deciding what it is may look no further ahead."""

DEEPEST = 40
"""Quotes and lists nested deeper than this stay text; beyond its own limit markdown-it would drop them."""

_INTERRUPTS = ["paragraph", "reference", "blockquote", "list"]


@cache
def parser() -> MarkdownIt:
    """Return the one parser; parsing does not change it."""
    md = MarkdownIt("zero", {"maxNesting": 100, "html": False, "tasklists": True})
    rules: list[tuple[str, RuleFuncBlockType, list[str]]] = [
        ("table", _then(table, _place_cells), ["paragraph", "reference"]),
        ("code", _then(code, _place_code), []),
        ("fence", _then(fence, _place_fence), _INTERRUPTS),
        ("blockquote", _shallow(blockquote), _INTERRUPTS),
        ("list", _shallow(list_block), ["paragraph", "reference", "blockquote"]),
        ("heading", _then(heading, _place_text), ["paragraph", "reference", "blockquote"]),
        ("lheading", _then(lheading, _place_text), []),
        ("paragraph", _then(paragraph, _place_text), []),
    ]
    for name, rule, alt in rules:
        md.block.ruler.at(name, rule, {"alt": alt})
    md.block.ruler.before("blockquote", "maths", _maths, {"alt": _INTERRUPTS})
    md.block.ruler.enableOnly([name for name, _, _ in rules] + ["hr", "maths"])
    inline.install(md)
    # Joining texts would lose where each came from.
    md.core.ruler.enableOnly(["block", "inline"])
    return md


def parse(source: str, *, final: bool) -> list[Token]:
    """Return the tokens of a text; `source` has only "\\n" for line breaks.

    Args:
        final: nothing follows; otherwise display maths that is still open may yet be closed.
    """
    return parser().parse(source, {"lines": source.count("\n") + (not source.endswith("\n")), "final": final})


def _then(rule: RuleFuncBlockType, place: Callable[[StateBlock, list[Token], int], None]) -> RuleFuncBlockType:
    def placed(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        first = len(state.tokens)
        done = rule(state, start, end, silent)
        if done and not silent:
            place(state, state.tokens[first:], start)
        return done

    return placed


def _shallow(rule: RuleFuncBlockType) -> RuleFuncBlockType:
    def limited(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        return state.level < DEEPEST and rule(state, start, end, silent)

    return limited


def _first(state: StateBlock, line: int) -> int:
    """Return where the first character of a line stands that is not space."""
    at = state.bMarks[line] + state.tShift[line]
    while at < state.eMarks[line] and state.src[at] in " \t":
        at += 1
    return at


def _place_text(state: StateBlock, made: list[Token], start: int) -> None:
    text = made[1]
    places: Places = []
    rows: list[str] = []
    at = 0
    for number, row in enumerate(text.content.split("\n")):
        first = _first(state, start + number)
        if made[0].type == "heading_open" and made[0].markup.startswith("#"):
            first += len(made[0].markup)
            while first < len(state.src) and state.src[first] in " \t":
                first += 1
        words = row.lstrip(" \t")
        # A tab that reached across an indentation came as several spaces: take what the source has.
        space = state.src[max(0, first - len(row) + len(words)) : first]
        space = space[len(space.rstrip(" \t")) :]
        rows.append(space + words)
        places.append((at, first - len(space)))
        at += len(rows[-1]) + 1
        # A line break stands for the one in the source, wherever the line's trailing space ends.
        places.append((at - 1, state.eMarks[start + number]))
    text.content = "\n".join(rows)
    text.meta["map"] = places


def _place_cells(state: StateBlock, made: list[Token], start: int) -> None:
    """Place the cells; those beyond the head's columns, which markdown-it drops, are kept: no word may vanish."""
    cells: list[tuple[str, Places]] = []
    kept: list[Token] = []
    for token in made:
        if token.type == "tr_open" and token.map:
            cells = _cells(state, token.map[0])
        elif token.type == "inline":
            token.meta["map"] = cells.pop(0)[1] if cells else [(0, 0)]
        elif token.type == "tr_close":
            kept += [Token("inline", "", 0, content=text, children=[], meta={"map": places}) for text, places in cells]
        kept.append(token)
    state.tokens[-len(made) :] = kept


def _cells(state: StateBlock, line: int) -> list[tuple[str, Places]]:
    """Return text and places of each cell of a row: bars separate, a bar behind a backslash is one of the text."""
    first, last = _first(state, line), state.eMarks[line]
    while last > first and state.src[last - 1] in " \t":
        last -= 1
    row = state.src[first:last]
    bars = [i for i, sign in enumerate(row) if sign == "|" and (i == 0 or row[i - 1] != "\\")]
    borders = [-1, *bars, len(row)]
    cells: list[tuple[str, Places]] = []
    for left, right in pairwise(borders):
        if left + 1 == right and right in (0, len(row)):
            continue
        low = left + 1
        while low < right and row[low] in " \t":
            low += 1
        places: Places = [(0, first + low)]
        removed = 0
        for i in range(low, right):
            if row[i] == "\\" and row[i + 1 : i + 2] == "|" and i + 1 < right:
                removed += 1
                places.append((i + 1 - low - removed, first + i + 1))
        cells.append((row[low:right].replace("\\|", "|").rstrip(" \t"), places))
    return cells


def _place_code(state: StateBlock, made: list[Token], start: int) -> None:
    _place_lines(state, made[0], start, made[0].content.removesuffix("\n"))


def _place_fence(state: StateBlock, made: list[Token], start: int) -> None:
    token = made[0]
    end = token.map[1] if token.map else start
    token.meta["closed"] = end - start > 1 and _closes(state, end - 1, token.markup)
    token.meta["indent"] = (state.sCount[start], state.blkIndent)
    first = _first(state, start)
    token.meta["in_quote"] = ">" in state.src[state.src.rfind("\n", 0, first) + 1 : first]
    _place_lines(state, token, start + 1, token.content)


def _closes(state: StateBlock, line: int, markup: str) -> bool:
    if state.is_code_block(line):
        return False
    row = state.src[_first(state, line) : state.eMarks[line]].rstrip(" \t")
    return len(row) >= len(markup) and not row.strip(markup[0])


def _place_lines(state: StateBlock, token: Token, first: int, content: str) -> None:
    rows: list[CodeLine] = []
    for number, row in enumerate(_rows(content)):
        end = min(state.eMarks[first + number] + row.endswith("\n"), len(state.src))
        body = row
        if state.src[max(0, end - len(row)) : end] != row:
            # A tab that reached across the indentation left spaces of itself behind.
            body = row.lstrip(" ")
            rows.append((row[: len(row) - len(body)], end - len(body) - 1, end - len(body)))
        if body:
            rows.append((body, end - len(body), end))
    token.meta["rows"] = rows


def _rows(text: str) -> list[str]:
    """Split at "\\n" only, keeping it."""
    rows = [row + "\n" for row in text.split("\n")]
    rows[-1] = rows[-1][:-1]
    return rows if rows[-1] else rows[:-1]


def _maths(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """`$$` or `\\[` at the head of a line to its closer at the end of one, without a blank line between."""
    if state.is_code_block(start):
        return False
    at = _first(state, start)
    opener = state.src[at : at + 2]
    if opener not in maths.DISPLAY:
        return False
    line, search, length = start, at + 2, 0
    closed = False
    while not closed:
        last = state.eMarks[line]
        close = maths.closing(state.src, opener, search, last)
        length += last - search + 2
        if length > MATHS_LIMIT or (close >= 0 and state.src[close + 2 : last].strip(" \t")):
            return False
        closed = close >= 0
        line += 1
        if closed:
            break
        if line >= end:
            if state.env["final"] or line < state.env["lines"]:
                return False
            break
        if state.isEmpty(line) or state.sCount[line] < state.blkIndent:
            return False
        search = _first(state, line)
    rows = [(_first(state, row), state.eMarks[row]) for row in range(start, line)]
    text = "\n".join(state.src[low:high].rstrip(" \t") for low, high in rows)
    if closed and not text[2:-2].strip():
        return False
    if not silent:
        token = state.push("maths_block", "", 0)
        token.map = [start, line]
        token.content = text[2:-2].strip() if closed else text[2:].strip()
        token.meta.update(rows=rows, closed=closed)
        state.line = line
    return True
