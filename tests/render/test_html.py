"""HTML holds what is shown and nothing that acts: no raw tag, no image, no target but web and mail."""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import given, settings

from draftlens.render.blocks import blocks_of
from draftlens.render.html import html, page
from render.texts import markdown

ALLOWED = {
    "p", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "blockquote", "pre", "code", "table", "tr", "th", "td",
    "hr", "br", "strong", "em", "s", "a",
}  # fmt: skip


class Tags(HTMLParser):
    """Collects tags and attributes."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, str, str | None]] = []
        self.names: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names.add(tag)
        self.found += [(tag, name, value) for name, value in attrs]


@given(markdown)
@settings(max_examples=150, deadline=None)
def test_only_our_own_tags_come_out(source: str) -> None:
    tags = Tags()
    tags.feed(page(blocks_of(source + '\n<img src="http://h"> [x](file:///e) ![i](http://h/p) <a onclick="x">')))
    assert tags.names <= ALLOWED
    assert {name for _, name, _ in tags.found} <= {"href", "start", "style", "class"}
    assert all(
        (value or "").startswith(("http://", "https://", "mailto:")) for _, name, value in tags.found if name == "href"
    )


def test_blocks_become_their_tags() -> None:
    source = "# H\n\n2. one\n3. [x] two\n   - sub\n\n> q\n\n| a |\n|--:|\n| **b** |\n\n```c++\na < b\n```\n***\n"
    right = ' style="text-align:right"'
    assert page(blocks_of(source)).split("\n") == [
        "<h1>H</h1>",
        '<ol start="2"><li>one</li><li>☑ two<ul><li>sub</li></ul></li></ol>',
        "<blockquote><p>q</p></blockquote>",
        f"<table><tr><th{right}>a</th></tr><tr><td{right}><strong>b</strong></td></tr></table>",
        '<pre><code class="language-c++">a &lt; b',
        "</code></pre>",
        "<hr>",
    ]


def test_a_link_escapes_its_target() -> None:
    (block,) = blocks_of('[a"b](http://x/?a=1&b="2")')
    assert html(block) == '<p><a href="http://x/?a=1&amp;b=&quot;2&quot;">a&quot;b</a></p>'
