"""A folder on disk becomes a model: weights, tokenizer, and what the engine needs to know of both."""

from __future__ import annotations

import codecs
import json
import os
import re
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx.utils import tree_flatten
from mlx_lm.tokenizer_utils import TokenizerWrapper
from mlx_lm.utils import _get_classes, load_model, load_tokenizer

from draftlens.core.errors import UserError
from draftlens.core.model import Folder, ModelInfo
from draftlens.engine import own_code
from draftlens.engine.loader_words import in_words
from draftlens.engine.target import Model, Target

_CONTEXT_KEYS = ("max_position_embeddings", "max_sequence_length", "max_seq_len", "n_positions", "n_ctx", "seq_length")
_LONGEST = 160
_HEAD = re.compile(r"((language_)?model\.)*mtp\.")
"""The tensors of a multi-token prediction head inside a full model."""
UNKNOWN_CONTEXT = 8192
"""What a model that does not state its context is trusted with."""


@dataclass(frozen=True)
class LoadedModel:
    """A model with its tokenizer.

    Attributes:
        model: weights and ids.
        tokenizer: mlx-lm's wrapper.
        info: plain values for showing.
    """

    model: Model
    tokenizer: TokenizerWrapper
    info: ModelInfo

    def encode(self, text: str) -> list[int]:
        """Return the ids of a raw prompt, with what the tokenizer adds at the start of a text."""
        return list(self.tokenizer.encode(text))

    def decode_all(self, ids: Sequence[int]) -> str:
        """Return the text of ids with special tokens spelled out."""
        text: str = self.tokenizer.decode(list(ids), skip_special_tokens=False, clean_up_tokenization_spaces=False)
        return text

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of ids as it is, spaces untouched; special tokens have none."""
        text: str = self.tokenizer.decode(list(ids), skip_special_tokens=True, clean_up_tokenization_spaces=False)
        return text


def load(folder: Folder) -> LoadedModel:
    """Load a folder that was judged fit.

    Raises:
        UserError: the files cannot be read as a model of this kind.
    """
    path = folder.path
    try:
        config = json.loads((path / "config.json").read_text(encoding="utf-8-sig"))
        with readable(folder) as clean:
            loaded = _network(clean, folder)
            tokenizer = _tokenizer(clean, folder.name, _end_ids(path, config))
        # What is too long is refused with its counts; the tokenizer would only print a warning of its own.
        tokenizer._tokenizer.model_max_length = sys.maxsize
        _find_template(path, tokenizer)
    except MemoryError as error:
        raise UserError(f"There is not enough memory to load {folder.name}.", "Load a smaller model.") from error
    except UserError:
        raise
    except Exception as error:
        raise UserError(
            f"{folder.name} cannot be loaded: {_first_line(error)}.",
            "Check that the download is complete and that this version of Draftlens knows the architecture.",
        ) from error
    end = frozenset(int(i) for i in tokenizer.eos_token_ids or ())
    rows, known = _rows(config), _ids(tokenizer)
    model = Model(
        network=loaded,
        vocabulary=min(rows, known) if rows else known,
        context=context_length(config),
        end_of_text=end,
        protected=tuple(sorted(end | _newline(tokenizer))),
        name=folder.name,
    )
    return LoadedModel(model, tokenizer, _info(folder, model, tokenizer))


def context_length(config: dict[str, Any]) -> int:
    """Return the longest context a config states, looking into the text part of a wrapper."""
    for part in (config, config.get("text_config") or {}):
        for key in _CONTEXT_KEYS:
            value = part.get(key)
            if isinstance(value, int) and value > 0:
                return value
    return UNKNOWN_CONTEXT


def network(path: Path, loads_as: str | None, *, lazy: bool = False) -> Any:
    """Return the model of a readable folder; a lazy one has its weights checked by name and shape, and none read."""
    config = None if loads_as is None else {"model_type": loads_as}
    return load_model(path, lazy, model_config=config, get_model_classes=_classes)[0]


def _classes(config: dict[str, Any]) -> tuple[type[Any], type[Any]]:
    """The model class of a config, leaving a built-in multi-token head aside, as most classes do themselves."""
    known, arguments = _get_classes(config=config)

    class WithoutHead(known):  # type: ignore[misc, valid-type]
        def load_weights(self, weights: list[tuple[str, mx.array]], strict: bool = True) -> Any:
            own = dict(tree_flatten(self.parameters()))
            kept = [(name, array) for name, array in weights if name in own or not _HEAD.match(name)]
            return super().load_weights(kept, strict=strict)

    return WithoutHead, arguments


@contextmanager
def readable(folder: Folder) -> Iterator[Path]:
    """The folder without what trips the loaders: old weights merged in, byte-order marks, a path that is not UTF-8."""
    weights = {file.name for file in folder.weight_files}
    marked = {file.name for file in folder.path.glob("*.json") if file.is_file() and _starts_with_mark(file)}
    plain = os.fsencode(folder.path) == str(folder.path).encode(errors="replace")
    if plain and not marked and weights == {file.name for file in folder.path.glob("model*.safetensors")}:
        yield folder.path
        return
    with tempfile.TemporaryDirectory() as name:
        clean = Path(name)
        for file in folder.path.iterdir():
            if file.name in marked:
                (clean / file.name).write_bytes(file.read_bytes().removeprefix(codecs.BOM_UTF8))
            elif file.suffix != ".safetensors":
                (clean / file.name).symlink_to(file.resolve())
        for i, file in enumerate(folder.weight_files):
            (clean / f"model-{i:05}.safetensors").symlink_to(file.resolve())
        yield clean


def _starts_with_mark(file: Path) -> bool:
    with file.open("rb") as stream:
        return stream.read(len(codecs.BOM_UTF8)) == codecs.BOM_UTF8


def _end_ids(folder: Path, config: dict[str, Any]) -> list[int] | None:
    """End-of-text ids: generation_config.json wins over config.json, as generation is what they are for."""
    generation = folder / "generation_config.json"
    stated: list[int] | None = None
    if generation.is_file():
        try:
            stated = _whole(json.loads(generation.read_text(encoding="utf-8-sig")).get("eos_token_id"))
        except (ValueError, TypeError, AttributeError, RecursionError):
            stated = None
    if stated is None:
        stated = config.get("eos_token_id", (config.get("text_config") or {}).get("eos_token_id"))
        stated = None if stated is None else _whole(stated)
    return stated


def _whole(ids: Any) -> list[int]:
    return [int(i) for i in ids] if isinstance(ids, list) else [int(ids)]


def _network(path: Path, folder: Folder) -> Any:
    try:
        return network(path, folder.loads_as)
    except (KeyError, TypeError, AttributeError) as error:
        said = in_words(error).sentence.rstrip(".")
        raise UserError(
            f"{folder.name} cannot be loaded: {said[0].lower()}{said[1:]}.",
            "Check that the download is complete and that this version of Draftlens knows the architecture.",
        ) from error


def _tokenizer(folder: Path, name: str, end_ids: list[int] | None) -> TokenizerWrapper:
    try:
        made: TokenizerWrapper = load_tokenizer(folder, own_code.NEVER_ASK, eos_token_ids=end_ids)
    except Exception as error:
        if own_code.needed(error):
            raise UserError(
                f"{name} cannot be loaded: {own_code.REFUSAL}.", "Choose a model with a built-in kind of tokenizer."
            ) from error
        raise UserError(
            f"{name} cannot be loaded: its tokenizer cannot be read ({_first_line(error)}).",
            "Fetch the tokenizer's files again.",
        ) from error
    return made


def _find_template(folder: Path, tokenizer: TokenizerWrapper) -> None:
    """Read a template where the tokenizer does not look, and choose among several named ones.

    Older exports keep it in chat_template.json. Of several the one called default is for chatting.
    """
    inner = tokenizer._tokenizer
    own = folder / "chat_template.json"
    if not inner.chat_template and own.is_file():
        try:
            inner.chat_template = json.loads(own.read_text(encoding="utf-8-sig")).get("chat_template")
        except (ValueError, AttributeError, RecursionError):
            inner.chat_template = None
    if isinstance(inner.chat_template, dict):
        named: dict[str, str] = inner.chat_template
        inner.chat_template = named.get("default") or next(iter(named.values()), None)
    tokenizer.has_chat_template = bool(inner.chat_template) or tokenizer._chat_template is not None


def _rows(config: dict[str, Any]) -> int:
    rows = config.get("vocab_size") or (config.get("text_config") or {}).get("vocab_size") or 0
    return int(rows)


def _ids(tokenizer: TokenizerWrapper) -> int:
    """One more than the highest id: ids may have holes, which a count would cut off the top, special tokens first."""
    return max(tokenizer.get_vocab().values(), default=-1) + 1


def _newline(tokenizer: TokenizerWrapper) -> set[int]:
    ids: list[int] = tokenizer.encode("\n", add_special_tokens=False)
    return {ids[-1]} if ids else set()


def _info(folder: Folder, model: Model, tokenizer: TokenizerWrapper) -> ModelInfo:
    parameters: list[tuple[str, mx.array]] = tree_flatten(model.network.parameters())  # type: ignore[assignment]
    size = sum(a.nbytes for _, a in parameters)
    return ModelInfo(
        name=folder.name,
        path=folder.path,
        vocabulary=model.vocabulary,
        context=model.context,
        weights_bytes=size,
        rewind_refusal=Target(model).rewind_refusal,
        has_chat_template=bool(tokenizer.has_chat_template),
    )


def _first_line(error: Exception) -> str:
    said = f"no {error}" if isinstance(error, KeyError) else str(error)
    text = [line.strip() for line in said.strip().splitlines()] or [type(error).__name__]
    # "Missing 1 parameters:" names them on the next line.
    named = f"{text[0]} {text[1]}" if text[0].endswith(":") and len(text) > 1 else text[0]
    return named.rstrip(".,") if len(named) <= _LONGEST else f"{named[:_LONGEST]}…"
