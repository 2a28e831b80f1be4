"""Where a block that grew too long is cut, and what makes its second half read as what it is."""

from __future__ import annotations

import re
from collections.abc import Sequence

_MARKER = re.compile(r"([ \t]*)([-*+]|\d{1,9}[.)])(?=\s|$)([ \t]*)")


def columns(text: str) -> int:
    """Return how far the first word is indented, a tab reaching to the next multiple of four."""
    at = 0
    for sign in text:
        if sign not in " \t":
            break
        at += 4 - at % 4 if sign == "\t" else 1
    return at


def content_indent(text: str) -> int:
    """Return the column in which the content of the item stands that begins the text; 0 if none does."""
    found = _MARKER.match(text)
    if found is None:
        return 0
    marker = columns(found[1]) + len(found[2])
    gap = columns(" " * marker + found[3]) - marker
    empty = text[found.end() : found.end() + 1] in ("", "\n")
    return marker + (1 if empty or gap > 4 else gap)


def continued(indent: int) -> str:
    """Return the line that makes content at this column the content of an item."""
    return ("-" if indent == 2 else f"{'1' * min(9, indent - 2)}.") + "\n"


def place(text: str, start: int, end: int, limit: int, fences: Sequence[tuple[int, int]], indent: int) -> int:
    """Return where the block from `start` to `end` is cut: before the first fitting line beyond `limit`; 0 if at none.

    Never inside a fence and never before a blank line. In an item, whose content stands at `indent`, before the next
    item directly below it, if there is one soon; else before a line not so deep that it would read as code.
    """
    cut = text.find("\n", start + limit) + 1
    while 0 < cut < end:
        inside = [high for low, high in fences if low < cut < high]
        if inside:
            cut = max(inside)
            continue
        row = text[cut : text.find("\n", cut)]
        size = cut - start
        if row.strip(" \t") and (indent == 0 or size >= 4 * limit or _fits(row, indent, any_line=size >= 2 * limit)):
            return cut
        cut = text.find("\n", cut) + 1
    return 0


def _fits(row: str, indent: int, *, any_line: bool) -> bool:
    if any_line:
        return columns(row) <= indent + 3
    return indent <= columns(row) <= indent + 1 and _MARKER.match(row) is not None
