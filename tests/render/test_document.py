"""What is shown, and which source each shown character came from."""

from __future__ import annotations

from itertools import accumulate, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from draftlens.render.blocks import blocks_of
from draftlens.render.document import Align, Block, Kind, Run, Style, pieces, shown, text_of
from draftlens.render.tree import normalized
from render.texts import markdown


def one(source: str) -> Block:
    (block,) = blocks_of(source)
    return block


def runs(source: str) -> list[tuple[str, Style]]:
    return [(run.text, run.style) for run in one(source).runs]


def signs(text: str) -> str:
    """A code span shows a line break or tab as a space, and what is no link shows "](" as " ("."""
    return text.translate({ord("\n"): " ", ord("\t"): " "}).replace("](", " (")


@given(markdown)
@settings(max_examples=200, deadline=None)
def test_every_exact_run_is_its_source_and_runs_never_go_back(source: str) -> None:
    plain = normalized(source)
    for block in blocks_of(source):
        for leaf in block.leaves():
            for run in leaf:
                assert block.start <= run.start < run.end <= len(source)
                if run.end - run.start == len(run.text):
                    assert signs(run.text) == signs(plain[run.start : run.end])
            assert all(a.end <= b.start for a, b in pairwise(leaf))


@given(markdown)
@settings(max_examples=200, deadline=None)
def test_no_letter_vanishes(source: str) -> None:
    texts = "".join(block.text + languages(block) for block in blocks_of(source))
    written = [sign for sign in source if sign.isalpha()]
    kept = [sign for sign in texts if sign.isalpha()]
    assert sorted(kept) == sorted(written)


def languages(block: Block) -> str:
    return block.language + "".join(map(languages, block.children))


def test_a_token_maps_to_the_characters_it_became() -> None:
    source = "A **bold** move \\* here"
    (block,) = blocks_of(source)
    tokens = ["A", " **", "bold", "**", " move", " \\", "*", " here"]
    at, found = 0, []
    text = text_of(block.runs)
    for token in tokens:
        found.append([text[low:high] for low, high in shown(block.runs, at, at + len(token))])
        at += len(token)
    assert found == [["A"], [" "], ["bold"], [], [" move"], [" *"], ["*"], [" here"]]


def test_runs_are_cut_where_tokens_end() -> None:
    source = "A **bold** \\* x"
    (block,) = blocks_of(source)
    made = pieces(block.runs, [(0, 4), (4, 6), (6, 9), (9, 12), (12, 13)])
    assert [(piece.text, piece.run.style is Style.BOLD, piece.token) for piece in made] == [
        ("A ", False, 0), ("bo", True, 1), ("ld", True, 2), (" ", False, 3), ("*", False, 4), (" x", False, None),
    ]  # fmt: skip


@given(markdown, st.lists(st.integers(1, 5), max_size=40))
@settings(max_examples=100, deadline=None)
def test_pieces_are_the_runs_and_agree_with_the_shown_ranges(source: str, sizes: list[int]) -> None:
    ends = list(accumulate(sizes))
    tokens = list(zip([0, *ends], ends, strict=False))
    for leaf in (leaf for block in blocks_of(source) for leaf in block.leaves()):
        made = pieces(leaf, tokens)
        assert "".join(piece.text for piece in made) == text_of(leaf)
        for index, (start, end) in enumerate(tokens):
            mine = sum(len(piece.text) for piece in made if piece.token == index)
            assert mine <= sum(high - low for low, high in shown(leaf, start, end))


def test_source_offsets_count_from_the_base() -> None:
    (block,) = blocks_of("# two", base=100)
    assert (block.start, block.end, block.runs) == (100, 105, (Run("two", 102, 105),))


@pytest.mark.parametrize(
    "text",
    [
        "vector<int> v;", "a <smirk> b", "<script>alert(1)</script>", "<img src=http://h/?q=1>", "<!-- c -->",
        "2*3*4", "x**2 + y**2", "5 * 3 * 2", "snake_case_name", "~one~", "a & b &amp; c", "&lt;b&gt;",
        "[ref][1] and [1]", "[1]: about", "C:\\dir\\(x", "a \\[open",
        "$5 and $6", "US$5 or $HOME/$USER", "costs $5 (or 10$)",
    ],
)  # fmt: skip
def test_this_text_shows_as_it_is_written(text: str) -> None:
    assert one(text).kind is Kind.PARAGRAPH
    assert all(run.style is Style.PLAIN for run in one(text).runs)
    assert one(text).text == text


def test_single_newlines_stay_line_breaks() -> None:
    assert one("line1\nline2  \nline3\\\nline4").text == "line1\nline2\nline3\nline4"


def test_styles_nest() -> None:
    assert runs("**a *b*** `c` ~~d~~ 这是**重点**内容") == [
        ("a ", Style.BOLD),
        ("b", Style.BOLD | Style.ITALIC),
        (" ", Style.PLAIN),
        ("c", Style.CODE),
        (" ", Style.PLAIN),
        ("d", Style.STRIKE),
        (" 这是", Style.PLAIN),
        ("重点", Style.BOLD),
        ("内容", Style.PLAIN),
    ]


@pytest.mark.parametrize(
    ("source", "text", "link"),
    [
        ("[w](https://a@b.c)", "w", "https://a@b.c"),
        ("[m](mailto:a@b.c 'title')", "m", "mailto:a@b.c"),
        ("<http://a.b/c>", "http://a.b/c", "http://a.b/c"),
        ("<me@a.b>", "me@a.b", "mailto:me@a.b"),
        ("http://a.b/c_d_e", "http://a.b/c_d_e", "http://a.b/c_d_e"),
        ("[x](file:///etc/passwd)", "x (file:///etc/passwd)", ""),
        ("[y](javascript:1)", "y (javascript:1)", ""),
        ("[z](smb://h/s)", "z (smb://h/s)", ""),
        ("[d](data:text/html,x)", "d (data:text/html,x)", ""),
        ("[r](other.md#there)", "r (other.md#there)", ""),
        ("![alt](http://127.0.0.1/?q=secret)", "alt (http://127.0.0.1/?q=secret)", ""),
        ("![](x.png)", " (x.png)", ""),
    ],
)
def test_only_web_and_mail_links_open_and_images_are_words(source: str, text: str, link: str) -> None:
    block = one(source)
    assert block.text == text
    assert {run.link for run in block.runs} == {link}


def test_a_bare_address_ends_before_the_punctuation_behind_it() -> None:
    links = [run.link for run in one("See http://a.b/c. (http://a.b/d) http://a.b/e_(f)").runs if run.link]
    assert links == ["http://a.b/c", "http://a.b/d", "http://a.b/e_(f)"]


def test_items_are_blocks_with_number_task_and_children() -> None:
    first, second = blocks_of("3. one\n   - [x] sub\n   - [ ] sub\n\n     more\n4. two")
    assert (first.kind, first.number, second.number) == (Kind.ITEM, 3, 4)
    assert [child.kind for child in first.children] == [Kind.PARAGRAPH, Kind.ITEM, Kind.ITEM]
    assert [(child.checked, child.loose) for child in first.children[1:]] == [(True, False), (False, True)]
    assert first.children[1].text == "sub"


def test_a_fence_keeps_every_byte() -> None:
    code = "if x:\n\ty = 1  \n\n\u00a0z\r\n  end"
    block = one(f"```python title\n{code}\n```")
    assert (block.kind, block.language, block.fenced, block.closed) == (Kind.CODE, "python", True, True)
    assert block.content == code + "\n"


def test_a_fence_in_a_list_keeps_every_byte_behind_the_indentation() -> None:
    (item,) = blocks_of("- a\n  ```\n  \tx  \n    y\n  ```")
    assert item.children[1].content == "\tx  \n  y\n"


def test_a_table_has_cells_aligns_and_keeps_what_is_beyond_its_head() -> None:
    table = one("| a | b\\|c |\n|:--|--:|\n| **1** | 2 | 3 |\n| x |")
    assert table.aligns == (Align.LEFT, Align.RIGHT)
    assert [[text_of(cell.runs) for cell in row] for row in table.rows] == [["a", "b|c"], ["1", "2", "3"], ["x", ""]]
    assert [(run.start, run.end) for run in table.rows[0][1].runs] == [(6, 7), (8, 10)]


def test_quotes_headings_and_rules() -> None:
    quote, heading, setext, rule = blocks_of("> a\n> > b\n\n### c ###\nd\n---\n***")
    assert [child.kind for child in quote.children] == [Kind.PARAGRAPH, Kind.QUOTE]
    assert (heading.level, heading.text, setext.level, setext.text, rule.kind) == (3, "c", 2, "d", Kind.RULE)


def test_quotes_deeper_than_any_reader_goes_lose_no_word() -> None:
    assert blocks_of("> " * 300 + "deep")[0].text.endswith("deep")


def test_display_maths_may_follow_a_line_of_text() -> None:
    text, maths = blocks_of("It is:\n$$\na\n- b\n$$")
    assert (text.text, maths.kind, maths.content) == ("It is:", Kind.MATH, "a\n- b")
    assert maths.text == "$$\na\n- b\n$$"


def test_display_maths_with_a_blank_line_is_text() -> None:
    assert [block.kind for block in blocks_of("$$\na\n\nb\n$$")] == [Kind.PARAGRAPH, Kind.PARAGRAPH]


def test_inline_maths_is_a_run_with_its_delimiters() -> None:
    styles = dict(runs("so $x^2$, \\(y\\), \\[z\\] and $$w$$"))
    assert [text for text, style in styles.items() if style is Style.MATH] == ["$x^2$", "\\(y\\)", "\\[z\\]", "$$w$$"]
