"""Colouring cuts code into words and changes no character of it."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from draftlens.render.blocks import BlockStream, blocks_of
from draftlens.render.code import colored
from draftlens.render.document import Run, text_of

PYTHON = '@wrap\ndef f(x):\n\t"""doc"""\n    return len(x) + 0x1F  # why\n'


def colors(runs: tuple[Run, ...]) -> dict[str, str]:
    return {run.text.strip(): run.color for run in runs if run.color}


def test_words_of_python_have_the_colours_of_the_design() -> None:
    (block,) = blocks_of(f"```python\n{PYTHON}```")
    found = colors(colored(block))
    assert found["def"] == found["return"] == "kw"
    assert found["f"] == found["len"] == found["@wrap"] == "fn"
    assert found["0x1F"] == "num"
    assert found["# why"] == "com"
    assert found['"""doc"""'] == "str"


def test_an_unknown_language_and_an_open_fence_stay_plain() -> None:
    (unknown,) = blocks_of("```klingon\nQapla'\n```")
    assert colored(unknown) == unknown.runs
    stream = BlockStream()
    stream.feed("```python\ndef f\n")
    assert colored(stream.tail[0]) == stream.tail[0].runs


@given(st.sampled_from(["python", "c++", "json", "html", "rust", "sh", "JS"]), st.text(max_size=60))
@settings(max_examples=150, deadline=None)
def test_no_character_changes_and_each_keeps_its_source(language: str, code: str) -> None:
    source = f"- a\n  ~~~ {language}\n" + "".join(f"  {line}\n" for line in code.split("\n")) + "  ~~~"
    (block,) = (child for item in blocks_of(source)[:1] for child in item.children[1:2])
    runs = colored(block)
    assert text_of(runs) == text_of(block.runs)
    assert [(run.start + i, sign) for run in runs for i, sign in enumerate(run.text)] == [
        (run.start + i, sign) for run in block.runs for i, sign in enumerate(run.text)
    ]
