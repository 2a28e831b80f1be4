"""The tokenizer inside a GGUF, rebuilt as tokenizer.json, tokenizer_config.json and a chat template."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

from draftlens.core.errors import UserError
from draftlens.library import gguf_sentencepiece
from draftlens.library.gguf_layout import Metadata

_SENTENCEPIECE = "llama"
_BYTE_ENDS = processors.ByteLevel(trim_offsets=False)
_CONTROL = 3
_USER_DEFINED = 4
_UNUSED = 5
_PADDING_ROW = re.compile(r"\[PAD\d+\]")

_CONTRACTIONS = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)"
_WORD = r"[^\r\n\p{L}\p{N}]?\p{L}+"
_TAIL = r" ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"


def _byte_level(use_regex: bool) -> Any:
    return pre_tokenizers.ByteLevel(add_prefix_space=False, trim_offsets=True, use_regex=use_regex)


def _split_first(pattern: str) -> Any:
    return pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(pattern), behavior="isolated", invert=False), _byte_level(use_regex=False)]
    )


def _smollm() -> Any:
    return pre_tokenizers.Sequence([pre_tokenizers.Digits(individual_digits=True), _byte_level(use_regex=True)])


def _gpt2() -> Any:
    return _byte_level(use_regex=True)


def _llama3() -> Any:
    return _split_first(f"{_CONTRACTIONS}|{_WORD}|\\p{{N}}{{1,3}}|{_TAIL}")


def _qwen2() -> Any:
    return _split_first(f"{_CONTRACTIONS}|{_WORD}|\\p{{N}}|{_TAIL}")


# `tokenizer.ggml.pre` names how text is cut before the merges; a wrong cut gives other tokens without any error.
_PRE_TOKENIZERS: dict[str, Callable[[], Any]] = {
    "smollm": _smollm,
    "gpt-2": _gpt2,
    "llama-bpe": _llama3,
    "llama-v3": _llama3,
    "llama3": _llama3,
    # The same cut; but a word that is a token as a whole is still put together by merges, and nothing starts a text.
    "smaug-bpe": _llama3,
    "qwen2": _qwen2,
}
_LLAMA3_NAMES = frozenset({"llama-bpe", "llama-v3", "llama3"})


def refuse_unsupported(metadata: Metadata) -> None:
    """Say which tokenizer the file has, if it is one that cannot be rebuilt faithfully."""
    model = metadata.get("tokenizer.ggml.model")
    if model is None:
        raise UserError("This GGUF holds no tokenizer.", "Use a complete conversion of the model.")
    if model == _SENTENCEPIECE:
        if not metadata.get("tokenizer.ggml.tokens"):
            raise UserError("This GGUF holds no tokenizer tokens.", "Use a complete conversion of the model.")
        return
    if model != "gpt2":
        raise UserError(
            f"This GGUF has a tokenizer of kind {model!r}; only byte-level BPE and SentencePiece can be imported.",
            "Use this model's MLX or safetensors version instead.",
        )
    pre = metadata.get("tokenizer.ggml.pre")
    if pre not in _PRE_TOKENIZERS:
        raise UserError(
            f"This GGUF cuts text by the rule {pre!r}; the rules known here are {', '.join(sorted(_PRE_TOKENIZERS))}.",
            "Use this model's MLX or safetensors version instead.",
        )
    for key in ("tokens", "merges"):
        if not metadata.get(f"tokenizer.ggml.{key}"):
            raise UserError(f"This GGUF holds no tokenizer {key}.", "Use a complete conversion of the model.")


def write(metadata: Metadata, folder: Path) -> dict[str, Any]:
    """Write the tokenizer files into `folder`; returns the id settings for generation_config.json."""
    sentencepiece = metadata["tokenizer.ggml.model"] == _SENTENCEPIECE
    pre: str = "" if sentencepiece else metadata["tokenizer.ggml.pre"]
    tokens: list[str] = metadata["tokenizer.ggml.tokens"]
    tokenizer = _build(metadata, pre, tokens)
    # Not Tokenizer.save: on a full disk it raises an error that says so only in its text.
    (folder / "tokenizer.json").write_text(tokenizer.to_str(pretty=False), encoding="utf-8", newline="")
    ids = _ids(metadata, len(tokens))
    config: dict[str, Any] = {
        "tokenizer_class": "PreTrainedTokenizerFast",
        "clean_up_tokenization_spaces": False,
        "model_max_length": metadata[f"{metadata['general.architecture']}.context_length"],
    }
    for role in ("bos", "eos", "unknown", "padding"):
        if role in ids:
            config[{"unknown": "unk_token", "padding": "pad_token"}.get(role, f"{role}_token")] = tokens[ids[role]]
    _write_json(folder / "tokenizer_config.json", config)
    template = metadata.get("tokenizer.chat_template")
    if template:
        (folder / "chat_template.jinja").write_text(template, encoding="utf-8", newline="")
    return _generation(ids)


def _build(metadata: Metadata, pre: str, tokens: list[str]) -> Tokenizer:
    kinds: list[int] = metadata.get("tokenizer.ggml.token_type") or [1] * len(tokens)
    if len(kinds) != len(tokens):
        raise UserError(f"This GGUF lists {len(tokens):,} tokens but {len(kinds):,} token types.")
    vocabulary: dict[str, int] = {}
    for token_id, (token, kind) in enumerate(zip(tokens, kinds, strict=True)):
        # Rows that only pad the embedding are no tokens of the model's tokenizer.
        if kind == _UNUSED and _PADDING_ROW.fullmatch(token):
            continue
        if token in vocabulary:
            raise UserError(f"This GGUF lists the token {token!r} twice, as {vocabulary[token]:,} and {token_id:,}.")
        vocabulary[token] = token_id
    if metadata["tokenizer.ggml.model"] == _SENTENCEPIECE:
        unknown = metadata.get("tokenizer.ggml.unknown_token_id")
        made = gguf_sentencepiece.tokenizer(metadata, tokens, kinds, None if unknown is None else tokens[unknown])
        return _finished(made, metadata, tokens, kinds, starts=True)
    merges: list[tuple[str, str]] = []
    for line in metadata["tokenizer.ggml.merges"]:
        left, separator, right = line.partition(" ")
        if not separator or left not in vocabulary or right not in vocabulary or left + right not in vocabulary:
            raise UserError(f"This GGUF has a merge {line!r} whose parts or result are no tokens.")
        merges.append((left, right))
    tokenizer = Tokenizer(models.BPE(vocabulary, merges, ignore_merges=pre in _LLAMA3_NAMES))
    if pre == "qwen2":
        tokenizer.normalizer = normalizers.NFC()
    tokenizer.pre_tokenizer = _PRE_TOKENIZERS[pre]()
    tokenizer.decoder = decoders.ByteLevel()
    return _finished(tokenizer, metadata, tokens, kinds, starts=pre in _LLAMA3_NAMES)


def _finished(
    tokenizer: Tokenizer, metadata: Metadata, tokens: list[str], kinds: list[int], *, starts: bool
) -> Tokenizer:
    """Add the special tokens, and the one that starts a text if the file or else the family wants it."""
    tokenizer.add_special_tokens([_added(t, True) for t, k in zip(tokens, kinds, strict=True) if k == _CONTROL])
    tokenizer.add_tokens([_added(t, False) for t, k in zip(tokens, kinds, strict=True) if k == _USER_DEFINED])
    bos = metadata.get("tokenizer.ggml.bos_token_id")
    if metadata.get("tokenizer.ggml.add_bos_token", starts) and bos is not None and bos < len(tokens):
        start = processors.TemplateProcessing(
            single=f"{tokens[bos]} $A",
            pair=f"{tokens[bos]} $A {tokens[bos]}:1 $B:1",
            special_tokens=[(tokens[bos], bos)],
        )
        steps = [start] if tokenizer.pre_tokenizer is None else [_BYTE_ENDS, start]
        tokenizer.post_processor = processors.Sequence(steps)
    return tokenizer


def _added(token: str, special: bool) -> AddedToken:
    return AddedToken(token, single_word=False, lstrip=False, rstrip=False, normalized=False, special=special)


def _ids(metadata: Metadata, count: int) -> dict[str, int]:
    found = {}
    for role in ("bos", "eos", "eot", "unknown", "padding"):
        token_id = metadata.get(f"tokenizer.ggml.{role}_token_id")
        if token_id is None:
            continue
        if not 0 <= token_id < count:
            raise UserError(f"This GGUF names token {token_id:,} as {role}, but has only {count:,} tokens.")
        found[role] = int(token_id)
    return found


def _generation(ids: dict[str, int]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    if "bos" in ids:
        result["bos_token_id"] = ids["bos"]
    ends = list(dict.fromkeys(ids[role] for role in ("eos", "eot") if role in ids))
    if ends:
        result["eos_token_id"] = ends[0] if len(ends) == 1 else ends
    if "padding" in ids:
        result["pad_token_id"] = ids["padding"]
    return result


def _write_json(path: Path, value: dict[str, Any]) -> None:
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
