"""However a text is cut into pieces, its blocks are the same; finished ones never change; an update costs the same."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from draftlens.render.blocks import LIMIT, BlockStream
from draftlens.render.document import Block
from draftlens.render.tree import blocks

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


def streamed(text: str, cuts: list[int], limit: int = LIMIT) -> list[Block]:
    stream = BlockStream(limit=limit)
    places = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    for start, end in pairwise(places):
        before = list(stream.frozen)
        made = stream.feed(text[start:end])
        assert stream.frozen == [*before, *made]
        assert all(block.start >= (stream.frozen[-1].end if stream.frozen else 0) for block in stream.tail)
    stream.finish()
    assert stream.tail == ()
    return stream.frozen


@given(markdown, pieces)
@settings(max_examples=300, deadline=None)
def test_any_chunking_gives_the_blocks_of_the_whole_text(text: str, cuts: list[int]) -> None:
    assert streamed(text, cuts) == blocks(text)


@given(markdown, pieces, st.integers(8, 60))
@settings(max_examples=300, deadline=None)
def test_blocks_cut_for_their_length_depend_on_the_text_alone(text: str, cuts: list[int], limit: int) -> None:
    assert streamed(text, cuts, limit) == streamed(text, [], limit) == streamed(text, list(range(len(text))), limit)
