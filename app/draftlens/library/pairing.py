"""May these two be paired: their vocabularies compared token by token, from the tokenizer files alone."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from draftlens.core.errors import UserError
from draftlens.library import small_file, vocabulary
from draftlens.library.vocabulary import UnknownVocabulary, Vocabulary

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
        ours, theirs = vocabulary.of_folder(target), vocabulary.of_folder(drafter)
    except UnknownVocabulary as obstacle:
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


def _first_difference(target: Vocabulary, drafter: Vocabulary) -> Difference | None:
    if target.by_id == drafter.by_id:
        return None
    for token_id in sorted(target.by_id.keys() | drafter.by_id.keys()):
        if target.by_id.get(token_id) != drafter.by_id.get(token_id):
            return Difference(token_id, target.text(token_id), drafter.text(token_id))
    return None


def _rows(folder: Path) -> int:
    try:
        config = small_file.parsed(folder / "config.json")
        text = config.get("text_config")
        rows = config.get("vocab_size", text.get("vocab_size") if isinstance(text, dict) else None)
    except (OSError, ValueError, AttributeError):
        return 0
    return rows if isinstance(rows, int) else 0


def _quoted(token: str | None) -> str:
    return "nothing" if token is None else f"“{token.translate(_SPACES) if not token.strip() else token}”"
