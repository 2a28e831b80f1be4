"""A SentencePiece vocabulary of the BPE kind, as GGUF stores it, rebuilt as a tokenizer that merges by score."""

from __future__ import annotations

from typing import Any

from tokenizers import Tokenizer, decoders, models, normalizers

from draftlens.core.errors import UserError
from draftlens.library.gguf_layout import Metadata

_NORMAL, _BYTE = 1, 6
_SPACE = "▁"


def tokenizer(metadata: Metadata, tokens: list[str], kinds: list[int], unknown: str | None) -> Tokenizer:
    """Return the bare tokenizer; added tokens and the start of a text are the caller's.

    Args:
        kinds: one a token; normal ones take part in merges, bytes stand in for what no token covers.
    """
    scores: list[float] = metadata.get("tokenizer.ggml.scores") or []
    if len(scores) != len(tokens):
        raise UserError(f"This GGUF lists {len(tokens):,} tokens but {len(scores):,} scores.")
    vocabulary = {token: number for number, token in enumerate(tokens)}
    made = Tokenizer(
        models.BPE(
            vocabulary,
            _merges(vocabulary, kinds, scores),
            unk_token=unknown,
            fuse_unk=True,
            byte_fallback=_BYTE in kinds,
        )
    )
    prefix = bool(metadata.get("tokenizer.ggml.add_space_prefix", True))
    steps: list[Any] = [normalizers.Replace(" ", _SPACE)]
    made.normalizer = normalizers.Sequence([normalizers.Prepend(_SPACE), *steps] if prefix else steps)
    ends: list[Any] = [decoders.Strip(" ", 1, 0)] if prefix else []
    made.decoder = decoders.Sequence([decoders.Replace(_SPACE, " "), decoders.ByteFallback(), decoders.Fuse(), *ends])
    return made


def _merges(vocabulary: dict[str, int], kinds: list[int], scores: list[float]) -> list[tuple[str, str]]:
    """Every way to put a token together from two, best token first: the order in which SentencePiece merges."""
    found: list[tuple[float, int, int, str, str]] = []
    for token, number in vocabulary.items():
        if kinds[number] != _NORMAL:
            continue
        for cut in range(1, len(token)):
            left, right = token[:cut], token[cut:]
            if left in vocabulary and right in vocabulary:
                found.append((-scores[number], vocabulary[left], vocabulary[right], left, right))
    found.sort()
    return [(left, right) for *_, left, right in found]
