"""Blocks as safe HTML, for copying and exports: every character is escaped, nothing refers to a file or image."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape
from itertools import groupby

from draftlens.render.document import Align, Block, Cell, Kind, Run, Style

_TAGS = ((Style.CODE, "code"), (Style.BOLD, "strong"), (Style.ITALIC, "em"), (Style.STRIKE, "s"))


def html(block: Block) -> str:
    """Return one block; an item comes as a list of its own."""
    return page([block])


def page(blocks: Iterable[Block]) -> str:
    """Return blocks that follow each other; neighbouring items share a list."""
    parts: list[str] = []
    for _, group in groupby(blocks, key=_family):
        members = list(group)
        if members[0].kind is not Kind.ITEM:
            parts += [_block(block) for block in members]
            continue
        number = members[0].number
        tag = "ul" if number is None else "ol"
        start = "" if number in (None, 1) else f' start="{number}"'
        parts.append(f"<{tag}{start}>{''.join(map(_item, members))}</{tag}>")
    return "\n".join(parts)


def _family(block: Block) -> tuple[Kind, bool]:
    return block.kind, block.number is None


def _block(block: Block) -> str:
    match block.kind:
        case Kind.HEADING:
            return f"<h{block.level}>{_runs(block.runs)}</h{block.level}>"
        case Kind.QUOTE:
            return f"<blockquote>{page(block.children)}</blockquote>"
        case Kind.CODE:
            language = f' class="language-{escape(block.language, quote=True)}"' if block.language else ""
            return f"<pre><code{language}>{escape(block.content)}</code></pre>"
        case Kind.TABLE:
            head, *body = ([*map(_runs_of, row)] for row in block.rows)
            rows = [_row("th", head, block.aligns), *(_row("td", row, block.aligns) for row in body)]
            return f"<table>{''.join(rows)}</table>"
        case Kind.RULE:
            return "<hr>"
        case _:
            return f"<p>{_runs(block.runs)}</p>"


def _item(block: Block) -> str:
    task = "" if block.checked is None else "☑ " if block.checked else "☐ "
    children = block.children
    if not block.loose and children and children[0].kind is Kind.PARAGRAPH:
        return f"<li>{task}{_runs(children[0].runs)}{page(children[1:])}</li>"
    return f"<li>{task}{page(children)}</li>"


def _row(tag: str, cells: list[str], aligns: tuple[Align, ...]) -> str:
    padded = [*aligns, *[Align.NONE] * len(cells)]
    styles = (f' style="text-align:{align}"' if align else "" for align in padded)
    return f"<tr>{''.join(f'<{tag}{style}>{cell}</{tag}>' for cell, style in zip(cells, styles, strict=False))}</tr>"


def _runs_of(cell: Cell) -> str:
    return _runs(cell.runs)


def _runs(runs: tuple[Run, ...]) -> str:
    return "".join(map(_run, runs))


def _run(run: Run) -> str:
    text = escape(run.text).replace("\n", "<br>")
    for style, tag in _TAGS:
        if style in run.style:
            text = f"<{tag}>{text}</{tag}>"
    return f'<a href="{escape(run.link, quote=True)}">{text}</a>' if run.link else text
