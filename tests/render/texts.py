"""Markdown to draw from: lines that meet in every order, and strings of nothing but signs."""

from __future__ import annotations

from hypothesis import strategies as st

WRITTEN = r"""
text|more *emphasis* here|**bold|closed**|===|---|- item|  - nested|    four|      six|1. first|2) second|   three
> quote|> - in quote|>|> ```|```|```py|````|  ```|    ```|~~~|$$|$$ x $$|\[|x = y \]|- $$|  $$|# head|## two ##|***
[ref]: http://x.y|[ref]|`code|span`|- [ ] task|- ```|日本 😀 **語**。|* star|+ plus|![i](http://h/p)|<div>|\|a  |\*
"""
LINES = [*WRITTEN.strip().replace("\n", "|").split("|"), "x\r", "a\rb", "\tcode", "\t\tx", "\0 \u00a0"]
TABLES = ["| a | b |", "|---|:-:|", "| 1 | `2` | 3 |", "a | b", ""]
SIGNS = "ab*_`~$\\[]()!<>#-+.|\t\r\n >1"

markdown = st.lists(st.sampled_from(LINES + TABLES * 3), max_size=14).map("\n".join) | st.text(SIGNS, max_size=60)
pieces = st.lists(st.integers(0, 400), max_size=12)

PROSE = "The **model** proposes `k` tokens, the target *checks* them: see [this](https://a.b/c) or https://x.y/z. " * 4
TABLE = "| a | b |\n|---|---|\n"
CODE = "def f(x):\n    return x + 1\n"
SHAPES = {
    "mixed": f"## Heading\n\n{PROSE}\n\n- item *one*\n- item `two`\n\n```python\n{CODE * 8}```\n\n{TABLE}| 1 | 2 |\n\n",
    "paragraph": PROSE,
    "lines": "one line of a poem, not so long\n",
    "list": "- an item with *words* in it\n",
    "nested list": "  - an item with *words* in it\n",
    "table": "| some *cell* | other |\n",
    "fence": CODE,
    "fence in a list": "  code of a line\n",
    "quote": "> quoted words\n",
    "word": "x",
}
_HEADS = {
    "nested list": "- one\n",
    "table": TABLE,
    "fence": "```py\n",
    "fence in a list": "- a\n  ```\n",
}


def long_text(shape: str, length: int) -> str:
    """Return so many characters of one shape."""
    unit = SHAPES[shape]
    return (_HEADS.get(shape, "") + unit * (length // len(unit) + 1))[:length]
