"""What every token id of a folder means, from whichever tokenizer files it has."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from draftlens.library import small_file


class UnknownVocabulary(Exception):
    """Why there is no token map; a clause without a full stop."""


@dataclass(frozen=True)
class Vocabulary:
    """Tokens as they are written in the files, and which of them are written in the byte alphabet."""

    by_id: Mapping[int, str]
    byte_level: bool
    added: frozenset[int]

    def text(self, token_id: int) -> str | None:
        """The text a token stands for; one that is no whole character stays as it is written."""
        token = self.by_id.get(token_id)
        if token is None or not self.byte_level or token_id in self.added:
            return token
        try:
            return bytes(_BYTES[char] for char in token).decode()
        except (KeyError, UnicodeDecodeError):
            return token


def of_folder(folder: Path) -> Vocabulary:
    """Read tokenizer.json, or what older models have instead of it: SentencePiece's file, or tokens with their merges.

    Raises:
        UnknownVocabulary: there is none of them, or it cannot be read.
    """
    for name in _READERS:
        path = folder / name
        if path.is_file() and (name != "vocab.json" or (folder / "merges.txt").is_file()):
            status = path.stat()
            return _read(path, status.st_mtime_ns, status.st_size)
    alone = ", only vocab.json" if (folder / "vocab.json").is_file() else ""
    raise UnknownVocabulary(f"{folder.name} has no tokenizer.json{alone}")


# Several candidates are compared with the same target; the time and size make a changed file a new entry.
@lru_cache(maxsize=8)
def _read(path: Path, _changed: int, _size: int) -> Vocabulary:
    try:
        return _READERS[path.name](path)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError, RuntimeError):
        raise UnknownVocabulary(f"{path.parent.name}/{path.name} cannot be read as a tokenizer") from None


def _tokenizer_json(path: Path) -> Vocabulary:
    content: Any = small_file.parsed(path)
    vocabulary = content["model"]["vocab"]
    if isinstance(vocabulary, dict):
        by_id = {int(token_id): str(token) for token, token_id in vocabulary.items()}
    else:
        by_id = {token_id: str(entry[0]) for token_id, entry in enumerate(vocabulary)}
    added = {int(token["id"]): str(token["content"]) for token in content.get("added_tokens") or ()}
    decoder = content.get("decoder") or {}
    byte_level = any(step.get("type") == "ByteLevel" for step in decoder.get("decoders", [decoder]))
    return Vocabulary(by_id | added, byte_level, frozenset(added))


def _sentencepiece(path: Path) -> Vocabulary:
    from sentencepiece import SentencePieceProcessor

    pieces = SentencePieceProcessor(model_proto=small_file.content(path))
    added = _added(path.parent)
    by_id = {token_id: str(pieces.id_to_piece(token_id)) for token_id in range(pieces.get_piece_size())}
    return Vocabulary(by_id | added, False, frozenset(added))


def _vocab_json(path: Path) -> Vocabulary:
    added = _added(path.parent)
    by_id = {int(token_id): str(token) for token, token_id in small_file.parsed(path).items()}
    return Vocabulary(by_id | added, True, frozenset(added))


def _added(folder: Path) -> dict[int, str]:
    """Tokens that the files beside an older vocabulary add to it."""
    own, config = folder / "added_tokens.json", folder / "tokenizer_config.json"
    found = {int(number): str(token) for token, number in small_file.parsed(own).items()} if own.is_file() else {}
    decoder = small_file.parsed(config).get("added_tokens_decoder") if config.is_file() else None
    return found | {int(number): str(token["content"]) for number, token in (decoder or {}).items()}


_READERS: dict[str, Callable[[Path], Vocabulary]] = {
    "tokenizer.json": _tokenizer_json,
    "tokenizer.model": _sentencepiece,
    "vocab.json": _vocab_json,
}


def _byte_alphabet() -> dict[str, int]:
    """The printable stand-ins of byte-level BPE, back to bytes."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(0x100 + i): byte for i, byte in enumerate(others)}


_BYTES = _byte_alphabet()
