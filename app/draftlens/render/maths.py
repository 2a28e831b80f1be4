r"""LaTeX: where it begins and ends by strict delimiters, and how it looks as SVG.

`$$…$$`, `\[…\]` and `\(…\)` are maths; `$…$` only where it cannot be money. `formula` is pure and cached, so it
may be called on any thread; what cannot be set is shown as it was written.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock

DISPLAY = {"$$": "$$", r"\[": r"\]"}
_PAIRS = DISPLAY | {r"\(": r"\)"}
_MEANS_MATHS = re.compile(r"[\\^_={}+<>/*|]|[-]\s|^\d+(?:[.,]\d+)?[a-zA-Z]?$")
_LONGEST = 2000
"""A formula longer than this is shown as it was written: setting it would take longer than reading it."""

_setting = Lock()
"""ziamath keeps fonts and options in module state."""


def closing(text: str, opener: str, at: int, end: int) -> int:
    r"""Return where the closer of `opener` begins, at or behind `at`, or -1; `\\]` does not close `\[`."""
    closer = _PAIRS[opener]
    found = text.find(closer, at, end)
    while found > 0 and closer[0] == "\\" and _backslashes(text, found, at) % 2:
        found = text.find(closer, found + 1, end)
    return found


def span(text: str, at: int, end: int) -> int:
    """Return where the maths that begins at `at` ends, delimiters included; -1 if none begins there."""
    opener = text[at : at + 2]
    if opener in _PAIRS and at + 2 <= end:
        close = closing(text, opener, at + 2, end)
        return close + 2 if close >= 0 and text[at + 2 : close].strip() else -1
    return _dollars(text, at, end) if text[at] == "$" else -1


def latex(source: str) -> tuple[str, bool]:
    """Return the LaTeX between the delimiters and whether it is display maths."""
    if source[:2] in _PAIRS:
        return source[2:-2].strip(), source[:2] in DISPLAY
    return source[1:-1].strip(), False


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula that was set.

    Attributes:
        svg: the picture, for `QSvgRenderer`.
        width: of the picture, in the unit of the font size asked for.
        height: of the picture.
        depth: how far the picture reaches below the line of writing.
    """

    svg: str
    width: float
    height: float
    depth: float


@lru_cache(maxsize=512)
def formula(tex: str, size: float, color: str = "black", *, display: bool = False) -> Formula | None:
    """Return the LaTeX as a picture, None where it cannot be set and the source is shown instead."""
    if not tex or len(tex) > _LONGEST or not _balanced(tex):
        return None
    try:
        from ziamath.config import config
        from ziamath.zmath import Latex
    except ImportError:
        return None
    with _setting:
        config.svg2 = False
        try:
            drawn = Latex(tex, size=size, color=color, inline=not display)
            svg = drawn.svg()
        except Exception:
            # The converter answers bad LaTeX with whatever its inner parts raise.
            return None
    box = re.search(r'viewBox="(\S+) (\S+) (\S+) (\S+)"', svg)
    if box is None:
        return None
    _, top, width, height = (float(number) for number in box.groups())
    if width <= 0 or height <= 0:
        # A line break before anything else gives a picture turned inside out, which would show nothing.
        return None
    return Formula(svg, width, height, max(0.0, top + height))


def _dollars(text: str, at: int, end: int) -> int:
    if at and (text[at - 1].isalnum() or text[at - 1] == "$"):
        return -1
    close = text.find("$", at + 1, end)
    while close > 0 and _backslashes(text, close, at) % 2:
        close = text.find("$", close + 1, end)
    inside = text[at + 1 : close]
    if close < 0 or not inside or inside[0].isspace() or inside[-1].isspace() or "\n" in inside or "`" in inside:
        return -1
    if close + 1 < end and (text[close + 1].isalnum() or text[close + 1] == "$"):
        return -1
    if inside[0].isdigit() and not _MEANS_MATHS.search(inside):
        return -1
    return close + 1


def _backslashes(text: str, at: int, first: int) -> int:
    count = 0
    while at - count > first and text[at - count - 1] == "\\":
        count += 1
    return count


def _balanced(tex: str) -> bool:
    depth = 0
    for brace in re.findall(r"\\.|[{}]", tex, re.DOTALL):
        depth += {"{": 1, "}": -1}.get(brace, 0)
        if depth < 0:
            return False
    return depth == 0
