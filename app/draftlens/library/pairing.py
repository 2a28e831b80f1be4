"""May these two be paired: their vocabularies compared token by token, from the tokenizer files alone."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from draftlens.core.errors import UserError

_SPACES = str.maketrans({" ": "·", "\n": "⏎", "\t": "⇥"})


@dataclass(frozen=True)
class Difference:
    """The lowest token id that does not mean the same to both; None where one of them has no such id."""

    token_id: int
    target: str | None
    drafter: str | None


@dataclass(frozen=True)
class VocabularyMatch:
    """How two vocabularies compare.

    `size` counts the tokens of the target; the rows are those of the embeddings, which may be padded beyond it.
    `obstacle` says why no comparison was possible.
    """

    size: int = 0
    target_rows: int = 0
    drafter_rows: int = 0
    difference: Difference | None = None
    obstacle: str | None = None

    @property
    def equal(self) -> bool:
        return self.difference is None and self.obstacle is None

    @property
    def sentence(self) -> str:
        """The line of the pairing view."""
        if self.obstacle is not None:
            return f"vocabularies cannot be compared: {self.obstacle}"
        if self.difference is not None:
            found = self.difference
            return f"token {found.token_id:,} differs: {_quoted(found.target)} and {_quoted(found.drafter)}"
        rows = (("target", self.target_rows), ("drafter", self.drafter_rows))
        padded = [f"{who} padded to {count:,}" for who, count in rows if count > self.size]
        return f"vocabularies match: {self.size:,} tokens" + (f" ({', '.join(padded)})" if padded else "")


def compare_vocabularies(target: Path, drafter: Path) -> VocabularyMatch:
    """Compare what every token id means in the two folders, added tokens included. Does not raise."""
    try:
        ours, theirs = _tokens(target), _tokens(drafter)
    except _CannotCompare as obstacle:
        return VocabularyMatch(obstacle=str(obstacle))
    return VocabularyMatch(
        size=len(ours.by_id),
        target_rows=_rows(target),
        drafter_rows=_rows(drafter),
        difference=_first_difference(ours, theirs),
    )


def require_pair(target: Path, drafter: Path) -> VocabularyMatch:
    """The match of two folders that may be paired.

    Raises:
        UserError: an id means different tokens to the two, or their vocabularies cannot be compared.
    """
    match = compare_vocabularies(target, drafter)
    if not match.equal:
        raise UserError(
            f"{drafter.name} cannot draft for {target.name}: {match.sentence}.",
            "Choose a drafter with the target's vocabulary, usually a smaller model of the same family.",
        )
    return match


class _CannotCompare(Exception):
    """Why there is no token map; a clause without a full stop."""


@dataclass(frozen=True)
class _Tokens:
    """A vocabulary as it is written in the file, and which of its tokens are written in the byte alphabet."""

    by_id: dict[int, str]
    byte_level: bool
    added: frozenset[int]

    def text(self, token_id: int) -> str | None:
        token = self.by_id.get(token_id)
        if token is None or not self.byte_level or token_id in self.added:
            return token
        return _from_byte_level(token)


def _first_difference(target: _Tokens, drafter: _Tokens) -> Difference | None:
    if target.by_id == drafter.by_id:
        return None
    for token_id in sorted(target.by_id.keys() | drafter.by_id.keys()):
        if target.by_id.get(token_id) != drafter.by_id.get(token_id):
            return Difference(token_id, target.text(token_id), drafter.text(token_id))
    return None


def _tokens(folder: Path) -> _Tokens:
    path = folder / "tokenizer.json"
    try:
        status = path.stat()
    except OSError:
        other = next((name for name in ("tokenizer.model", "vocab.json") if (folder / name).is_file()), None)
        instead = f", only {other}" if other else ""
        raise _CannotCompare(f"{folder.name} has no tokenizer.json{instead}") from None
    return _read(path, status.st_mtime_ns, status.st_size)


# Several candidates are compared with the same target; the time and size make a changed file a new entry.
@lru_cache(maxsize=8)
def _read(path: Path, _changed: int, _size: int) -> _Tokens:
    try:
        content: Any = json.loads(path.read_bytes())
        vocabulary = content["model"]["vocab"]
        if isinstance(vocabulary, dict):
            by_id = {int(token_id): str(token) for token, token_id in vocabulary.items()}
        else:
            by_id = {token_id: str(entry[0]) for token_id, entry in enumerate(vocabulary)}
        added = {int(token["id"]): str(token["content"]) for token in content.get("added_tokens") or ()}
        decoder = content.get("decoder") or {}
        byte_level = any(step.get("type") == "ByteLevel" for step in decoder.get("decoders", [decoder]))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError):
        raise _CannotCompare(f"{path.parent.name}/tokenizer.json cannot be read as a tokenizer") from None
    return _Tokens(by_id | added, byte_level, frozenset(added))


def _byte_alphabet() -> dict[str, int]:
    """The printable stand-ins of byte-level BPE, back to bytes."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(0x100 + i): byte for i, byte in enumerate(others)}


_BYTES = _byte_alphabet()


def _from_byte_level(token: str) -> str:
    """The text a byte-level token stands for; one that is no whole character stays as it is written."""
    try:
        return bytes(_BYTES[char] for char in token).decode()
    except (KeyError, UnicodeDecodeError):
        return token


def _rows(folder: Path) -> int:
    try:
        config = json.loads((folder / "config.json").read_bytes())
        text = config.get("text_config")
        rows = config.get("vocab_size", text.get("vocab_size") if isinstance(text, dict) else None)
    except (OSError, ValueError, AttributeError):
        return 0
    return rows if isinstance(rows, int) else 0


def _quoted(token: str | None) -> str:
    return "nothing" if token is None else f"“{token.translate(_SPACES) if not token.strip() else token}”"
