"""LaTeX is set where it is meant as maths, and shown as written where it cannot be set."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from xml.etree import ElementTree

import pytest

from draftlens.render.maths import formula, latex, span


@pytest.mark.parametrize(
    "text",
    [
        "$x$",
        "$x^2$",
        "$3$",
        "$2x + 3$",
        "$\\alpha$",
        "$a\\$b$",
        "$10^{-3}$",
        "$$x$$",
        "\\(x\\)",
        "\\[x\\\\[2pt] y\\]",
        "$5x$",
    ],
)
def test_this_is_maths(text: str) -> None:
    assert span(text, 0, len(text)) == len(text)


@pytest.mark.parametrize(
    "text",
    [
        "$5 and $6",
        "$ x$",
        "$x $",
        "$x$5",
        "$5-$6",
        "$HOME/$USER",
        "$5 (or 10$)",
        "$",
        "$$",
        "$$ $$",
        "\\(x",
        "\\[ \\]",
        "$a\nb$",
    ],
)
def test_this_is_not(text: str) -> None:
    assert span(text, 0, len(text)) == -1


def test_a_dollar_behind_a_letter_opens_nothing() -> None:
    assert span("US$x$", 2, 5) == -1


def test_the_delimiters_come_off() -> None:
    assert latex("$$ x $$") == ("x", True)
    assert latex("\\(x\\)") == ("x", False)
    assert latex("$x$") == ("x", False)


def test_a_formula_is_an_svg_with_its_depth_below_the_line() -> None:
    drawn = formula(r"\frac{a}{b} + \int_0^1 \sqrt{x}\,dx", 16.0, "#123456", display=True)
    assert drawn is not None
    root = ElementTree.fromstring(drawn.svg)
    assert root.tag.endswith("svg")
    # What svg2 needs, the small SVG of Qt does not know.
    assert not [part for part in root.iter() if part.tag.endswith(("symbol", "use"))]
    assert drawn.width > drawn.height > drawn.depth > 0
    assert "#123456" in drawn.svg


@pytest.mark.parametrize("tex", ["", "{", "}{", "\\frac{a}", "x" * 3000, "\\\\ b", "\\\\sum_i i"])
def test_what_cannot_be_set_is_shown_as_written(tex: str) -> None:
    assert formula(tex, 16.0) is None


def test_formulas_may_be_set_on_any_thread() -> None:
    with ThreadPoolExecutor(4) as pool:
        drawn = list(pool.map(lambda i: formula(f"x_{{{i % 5}}}", 14.0), range(20)))
    assert all(drawn)
    assert drawn[:5] == drawn[5:10]
