r"""Inline Markdown whose tokens know their place: `meta["at"]` is where their source begins in the inline text.

Differs from CommonMark on purpose, because a model's words are data: no entities, no reference links, raw HTML stays
text, `2*3*4` and `x**2` stay as they are, a link opens only http, https and mailto, an image is never fetched.
"""

from __future__ import annotations

import re
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline import emphasis, strikethrough
from markdown_it.rules_inline.state_inline import Scanned, StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType

from draftlens.render import maths

LINK = re.compile(r"(?:https?://|mailto:)[^\s<>]", re.IGNORECASE)
_AUTOLINK = re.compile(r"<((?:https?://|mailto:)[^\s<>]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+)>", re.IGNORECASE)
_ESCAPED = frozenset("!\"#$%&'*+,-./:;<=>?@\\^_`{|}~")
"""Brackets are missing: a backslash before one is an unfinished formula far more often than an escape."""


class PlacedInline(StateInline):
    """An inline state that notes where each token begins."""

    _from = 0

    def append_pending(self, text: str) -> None:
        """Add literal text that stands at the current position."""
        if not self.pending:
            self._from = self.pos
        super().append_pending(text)

    def pushPending(self) -> Token:
        """Make the literal text a token."""
        token = super().pushPending()
        token.meta["at"] = self._from
        return token

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        """Make a token at the current position."""
        token = super().push(ttype, tag, nesting)
        token.meta["at"] = self.pos
        return token

    def scanDelims(self, start: int, canSplitWord: bool) -> Scanned:
        """A star inside a word is a sign, not emphasis; two stars are one where a digit stands beside them."""
        scanned = super().scanDelims(start, canSplitWord)
        if self.src[start] != "*" or start == 0 or start + scanned.length >= self.posMax:
            return scanned
        before, after = self.src[start - 1], self.src[start + scanned.length]
        if not (before.isalnum() or before in "_)]") or not (after.isalnum() or after in "_("):
            return scanned
        single = scanned.length == 1
        literal = before.isascii() and after.isascii() if single else before.isdigit() or after.isdigit()
        return Scanned(False, False, scanned.length) if literal else scanned


class PlacedParser(ParserInline):
    """The inline parser on such states."""

    def parse(self, src: str, md: MarkdownIt, env: EnvType, tokens: list[Token]) -> list[Token]:
        """Append the tokens of `src` to `tokens`."""
        state = PlacedInline(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens


def install(md: MarkdownIt) -> None:
    """Give the parser our inline rules."""
    inline = PlacedParser()
    md.inline = inline
    ruler = inline.ruler
    ruler.at("emphasis", _emphasis)
    ruler.at("strikethrough", _strikethrough)
    ruler.at("escape", _escape)
    ruler.at("link", _link)
    ruler.at("image", _link)
    ruler.at("autolink", _autolink)
    ruler.before("escape", "maths", _maths)
    ruler.enableOnly(
        ["text", "newline", "maths", "escape", "backticks", "strikethrough", "emphasis", "link", "image", "autolink"]
    )
    inline.ruler2.enableOnly(["balance_pairs", "strikethrough", "emphasis"])


def _emphasis(state: StateInline, silent: bool) -> bool:
    start = state.pos
    return emphasis.tokenize(state, silent) and _in_a_row(state, start)


def _strikethrough(state: StateInline, silent: bool) -> bool:
    start = state.pos
    return strikethrough.tokenize(state, silent) and _in_a_row(state, start)


def _in_a_row(state: StateInline, start: int) -> bool:
    """Markers are all made at the position of the first: place each behind the one before it."""
    at = state.pos
    for token in reversed(state.tokens):
        if at <= start:
            break
        at -= len(token.content)
        token.meta["at"] = at
    return True


def _escape(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] != "\\" or state.pos + 1 >= state.posMax:
        return False
    following = state.src[state.pos + 1]
    if following == "\n":
        if not silent:
            state.push("hardbreak", "br", 0).meta["at"] = state.pos + 1
        state.pos += 2
        while state.pos < state.posMax and state.src[state.pos] in " \t":
            state.pos += 1
        return True
    if following not in _ESCAPED:
        return False
    if not silent:
        token = state.push("text_special", "", 0)
        token.content = following
    state.pos += 2
    return True


def _maths(state: StateInline, silent: bool) -> bool:
    if state.src[state.pos] not in "$\\":
        return False
    end = maths.span(state.src, state.pos, state.posMax)
    if end < 0:
        return False
    if not silent:
        token = state.push("maths", "", 0)
        token.content = state.src[state.pos : end]
    state.pos = end
    return True


def _autolink(state: StateInline, silent: bool) -> bool:
    found = _AUTOLINK.match(state.src, state.pos, state.posMax) if state.src[state.pos] == "<" else None
    if found is None:
        return False
    if not silent:
        target = found[1]
        token = state.push("address", "", 0)
        token.content = target
        token.attrs = {"href": target if LINK.match(target) else f"mailto:{target}"}
        token.meta["at"] = found.start(1)
    state.pos = found.end()
    return True


def _link(state: StateInline, silent: bool) -> bool:
    """`[label](target "title")`, and with a `!` before it an image, which is never more than its words."""
    start = state.pos
    image = state.src[start] == "!"
    label = start + 2 if image else start + 1
    if not state.src.startswith("![" if image else "[", start) or state.src.find("](", label - 1, state.posMax) < 0:
        return False
    close = state.md.helpers.parseLinkLabel(state, label - 1, not image)
    if close < 0 or not state.src.startswith("(", close + 1):
        return False
    place = _target(state, close + 2)
    if place is None:
        return False
    low, high, end = place
    if not silent:
        target = state.src[low:high]
        opens = bool(LINK.match(target)) and not image
        maximum = state.posMax
        state.pos, state.posMax = label, close
        token = state.push("link_open", "a", 1)
        token.attrs = {"href": target if opens else ""}
        state.linkLevel += 1
        state.md.inline.tokenize(state)
        state.linkLevel -= 1
        state.pos = close
        state.push("link_close", "a", -1).meta.update(shown=None if opens else (low, high, end))
        state.posMax = maximum
    state.pos = end
    return True


def _target(state: StateInline, at: int) -> tuple[int, int, int] | None:
    """Return where the target begins and ends and where the whole link ends; None if this is no link."""
    helpers, text, maximum = state.md.helpers, state.src, state.posMax
    at = _past_space(text, at, maximum)
    found = helpers.parseLinkDestination(text, at, maximum)
    low = high = at
    if found.ok:
        high = found.pos
        angled = text.startswith("<", low) and text.startswith(">", high - 1)
        at = found.pos
        low, high = (low + 1, high - 1) if angled else (low, high)
    behind = _past_space(text, at, maximum)
    if behind > at:
        title = helpers.parseLinkTitle(text, behind, maximum)
        if title.ok:
            behind = _past_space(text, title.pos, maximum)
    return (low, high, behind + 1) if behind < maximum and text[behind] == ")" else None


def _past_space(text: str, at: int, end: int) -> int:
    while at < end and text[at] in " \t\n":
        at += 1
    return at
