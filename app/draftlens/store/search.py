"""Searching titles and messages as a person types: every word as a prefix, any text a valid query."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from sqlite3 import Connection

from draftlens.core.values import clean
from draftlens.store.db import Database

# Little before, so that what was found is seen where the line is cut in a narrow sidebar.
_BEFORE, _SNIPPET = 14, 140
_LONGEST = 500
_PUNCTUATION = ".,;:!?\"'“”‘’«»()[]…"
# Scripts written without spaces: the index holds whole sentences of them as one word.
_UNSPACED = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "THAI", "LAO", "KHMER", "MYANMAR")


@dataclass(frozen=True, slots=True)
class Hit:
    """A conversation that was found.

    Attributes:
        message: the best message in it; None if only the title matches.
        snippet: the surroundings of the match, on one line.
        marks: what matched, as (start, end) in the snippet.
    """

    conversation: str
    title: str
    updated: float
    message: str | None
    snippet: str
    marks: tuple[tuple[int, int], ...]


def search(db: Database, query: str, limit: int = 50) -> tuple[Hit, ...]:
    """Return the conversations that hold every word of the query in their title or in one message.

    Titles come first, then messages by relevance; a conversation is returned once. What is in Recently Deleted, or
    streaming at the moment, is not searched.

    Raises:
        UserError: the database cannot be read.
    """
    typed = unicodedata.normalize("NFC", clean(query[:_LONGEST])).replace("\0", " ").split()
    words = [bare for word in typed if (bare := word.strip(_PUNCTUATION))] or typed
    if not words:
        return ()
    indexed = _in_index(words)
    with db.reading() as connection:
        rows = _indexed(connection, words, limit) if indexed else _scanned(connection, words, limit)
    hits: dict[str, Hit] = {}
    for conversation, title, updated, message, text in rows[: 2 * limit]:
        if conversation not in hits:
            snippet, marks = _snippet(text, words, whole_starts=indexed)
            hits[conversation] = Hit(conversation, title, updated, message, snippet, marks)
    return tuple(hits.values())[:limit]


_Row = tuple[str, str, float, str | None, str]


def _indexed(connection: Connection, words: list[str], limit: int) -> list[_Row]:
    # Quoted, so that no word is an operator; doubled quotes inside.
    match = " ".join('"' + word.replace('"', '""') + '"*' for word in words)
    titles = connection.execute(
        "SELECT c.id, c.title, c.updated, NULL, c.title FROM title_index "
        "JOIN conversation c ON c.row = title_index.rowid "
        "WHERE title_index MATCH ? AND c.deleted IS NULL ORDER BY c.updated DESC LIMIT ?",
        (match, limit),
    ).fetchall()
    # The best of each conversation first, its text only for those shown: texts are what costs.
    texts = connection.execute(
        "SELECT c.id, c.title, c.updated, m.id, m.content FROM ("
        "SELECT i.rowid AS best, n.conversation AS found, min(i.rank) AS score FROM text_index i "
        "JOIN message n ON n.row = i.rowid WHERE i.text_index MATCH ? GROUP BY n.conversation) "
        "JOIN conversation c ON c.row = found JOIN message m ON m.row = best "
        "WHERE c.deleted IS NULL ORDER BY score LIMIT ?",
        (match, limit),
    ).fetchall()
    return [*titles, *texts]


def _scanned(connection: Connection, words: list[str], limit: int) -> list[_Row]:
    """Look for the words as plain characters."""
    patterns = [f"%{_literal(word)}%" for word in words]
    in_title = " AND ".join("c.title LIKE ? ESCAPE '\\'" for _ in words)
    in_text = " AND ".join("m.content LIKE ? ESCAPE '\\'" for _ in words)
    rows = connection.execute(
        f"SELECT c.id, c.title, c.updated, NULL, c.title FROM conversation c "
        f"WHERE c.deleted IS NULL AND {in_title} ORDER BY c.updated DESC LIMIT ?",
        (*patterns, limit),
    ).fetchall()
    rows += connection.execute(
        "SELECT c.id, c.title, c.updated, m.id, m.content FROM message m JOIN conversation c ON c.row = m.conversation "
        f"WHERE c.deleted IS NULL AND m.status <> 'streaming' AND {in_text} "
        "ORDER BY c.updated DESC, m.row DESC LIMIT ?",
        (*patterns, limit * 4),
    ).fetchall()
    return rows


def _in_index(words: list[str]) -> bool:
    """Whether the index tells these words apart: not c++ from c, and no part of a sentence without spaces."""
    return all(word[-1].isalnum() for word in words) and not any(
        unicodedata.name(c, "").startswith(_UNSPACED) for word in words for c in word if ord(c) > 0x7F
    )


def _literal(word: str) -> str:
    return word.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")


def _snippet(text: str, words: list[str], *, whole_starts: bool) -> tuple[str, tuple[tuple[int, int], ...]]:
    """The surroundings of the first match on one line, and where the words are in them."""
    folded = _folded(text)
    start = r"(?<![^\W_])" if whole_starts else ""
    pattern = re.compile(start + "(?:" + "|".join(re.escape(_folded(word)) for word in words) + ")")
    first = pattern.search(folded)
    found = first.start() if first else 0
    begin = max(0, found - _BEFORE)
    if begin:
        # No part of a word in front, if a whole one can stand there.
        begin = next((i + 1 for i in range(begin - 1, found) if text[i].isspace()), begin)
    end = min(len(text), begin + _SNIPPET)
    left, right = "…" if begin else "", "…" if end < len(text) else ""
    line = "".join(" " if c.isspace() else c for c in text[begin:end])
    shift = len(left) - begin
    marks = tuple((m.start() + shift, m.end() + shift) for m in pattern.finditer(folded, begin, end))
    return left + line + right, marks


def _folded(text: str) -> str:
    """The text without case and accents, character for character."""
    lowered = text.lower()
    if text.isascii():
        return lowered
    return "".join(_base(c) for c in text)


def _base(character: str) -> str:
    return unicodedata.normalize("NFD", character)[0].lower()[0]
