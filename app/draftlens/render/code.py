"""The words of a closed code block by their kind, as runs with a colour class; never a change of a character."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Keyword, Name, Number, Operator, String, Token
from pygments.util import ClassNotFound

from draftlens.render.document import Block, Run, join

LONGEST = 100_000
"""Code beyond this many characters stays plain: colouring it would take longer than the eye waits."""

_CLASSES = {
    Keyword: "kw",
    Operator.Word: "kw",
    Name.Tag: "kw",
    Name.Function: "fn",
    Name.Class: "fn",
    Name.Decorator: "fn",
    Name.Builtin: "fn",
    Name.Attribute: "fn",
    Number: "num",
    Keyword.Constant: "num",
    String: "str",
    Comment: "com",
    Token: "",
}


def colored(block: Block) -> tuple[Run, ...]:
    """Return the block's runs, cut and coloured; as they are while it is open or if its language is not known."""
    lexer = _lexer(block.language) if block.closed and block.language else None
    text = "".join(run.text for run in block.runs)
    if lexer is None or len(text) > LONGEST:
        return block.runs
    words = [(_class(kind), word) for _, kind, word in lexer.get_tokens_unprocessed(text)]
    if "".join(word for _, word in words) != text:
        return block.runs
    return join(list(_cut(block.runs, words)))


def knows(language: str) -> bool:
    """Whether code of this language is coloured."""
    return _lexer(language) is not None


def _lexer(language: str) -> Lexer | None:
    try:
        return get_lexer_by_name(language.lower().removeprefix("{.").rstrip("}"))
    except ClassNotFound:
        return None


def _class(kind: object) -> str:
    """Return the colour class of a kind, or of the nearest kind above it that has one."""
    while kind not in _CLASSES:
        kind = getattr(kind, "parent", Token) or Token
    return _CLASSES[kind]


def _cut(runs: tuple[Run, ...], words: list[tuple[str, str]]) -> Iterator[Run]:
    """Cut the runs where the words end."""
    waiting = iter(words)
    color, left = "", 0
    for run in runs:
        done = 0
        while done < len(run.text):
            while not left:
                color, word = next(waiting)
                left = len(word)
            size = min(left, len(run.text) - done)
            exact = run.end - run.start == len(run.text)
            yield replace(
                run,
                text=run.text[done : done + size],
                start=run.start + done if exact else run.start,
                end=run.start + done + size if exact else run.end,
                color=color,
            )
            done += size
            left -= size
