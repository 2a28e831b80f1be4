"""A folder on disk becomes a model: weights, tokenizer, and what the engine needs to know of both."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import mlx.core as mx
from mlx.utils import tree_flatten
from mlx_lm.tokenizer_utils import TokenizerWrapper
from mlx_lm.utils import load_model, load_tokenizer

from draftlens.core.errors import UserError
from draftlens.core.events import ModelInfo
from draftlens.engine.target import Model, Target

_CONTEXT_KEYS = ("max_position_embeddings", "max_sequence_length", "max_seq_len", "n_positions", "n_ctx", "seq_length")
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

    def decode(self, ids: Sequence[int]) -> str:
        """Return the text of ids as it is, spaces untouched; special tokens have none."""
        text: str = self.tokenizer.decode(list(ids), skip_special_tokens=True, clean_up_tokenization_spaces=False)
        return text


def load(folder: Path) -> LoadedModel:
    """Load a model folder; the caller has judged it with `library.checkpoint` before.

    Raises:
        UserError: the files cannot be read as a model of this kind.
    """
    try:
        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        network = _network(folder)
        tokenizer = load_tokenizer(folder, eos_token_ids=_end_ids(folder, config))
    except UserError:
        raise
    except MemoryError as error:
        raise UserError(f"There is not enough memory to load {folder.name}.", "Load a smaller model.") from error
    except Exception as error:
        raise UserError(
            f"{folder.name} cannot be loaded: {_first_line(error)}.",
            "Check that the download is complete and that this version of Draftlens knows the architecture.",
        ) from error
    end = frozenset(int(i) for i in tokenizer.eos_token_ids or ())
    vocabulary = min(_rows(config), len(tokenizer)) if _rows(config) else len(tokenizer)
    model = Model(
        network=network,
        vocabulary=vocabulary,
        context=context_length(config),
        end_of_text=end,
        protected=tuple(sorted(end | _newline(tokenizer))),
        name=folder.name,
    )
    return LoadedModel(model, tokenizer, _info(folder, model, tokenizer))


def weight_files(folder: Path) -> list[Path]:
    """Return the files that hold the weights: those of the index, else the canonical one, else every model file.

    A folder may hold old copies beside the model; the loader would merge them over the right tensors.
    """
    index = folder / "model.safetensors.index.json"
    if index.is_file():
        names = set(json.loads(index.read_text(encoding="utf-8")).get("weight_map", {}).values())
        files = [folder / name for name in sorted(names)]
        if files and all(f.is_file() for f in files):
            return files
    single = folder / "model.safetensors"
    if single.is_file():
        return [single]
    return sorted(folder.glob("model*.safetensors"))


def context_length(config: dict[str, Any]) -> int:
    """Return the longest context a config states, looking into the text part of a wrapper."""
    for part in (config, config.get("text_config") or {}):
        for key in _CONTEXT_KEYS:
            value = part.get(key)
            if isinstance(value, int) and value > 0:
                return value
    return UNKNOWN_CONTEXT


def _network(folder: Path) -> Any:
    files = weight_files(folder)
    if {f.name for f in files} == {f.name for f in folder.glob("model*.safetensors")}:
        return load_model(folder)[0]
    with tempfile.TemporaryDirectory() as clean:
        for file in (*folder.glob("*.json"), *files):
            (Path(clean) / file.name).symlink_to(file.resolve())
        return load_model(Path(clean))[0]


def _end_ids(folder: Path, config: dict[str, Any]) -> list[int] | None:
    """End-of-text ids: generation_config.json wins over config.json, as generation is what they are for."""
    generation = folder / "generation_config.json"
    stated = None
    if generation.is_file():
        try:
            stated = json.loads(generation.read_text(encoding="utf-8")).get("eos_token_id")
        except (ValueError, AttributeError):
            stated = None
    if stated is None:
        stated = config.get("eos_token_id", (config.get("text_config") or {}).get("eos_token_id"))
    if stated is None:
        return None
    return [int(i) for i in stated] if isinstance(stated, list) else [int(stated)]


def _rows(config: dict[str, Any]) -> int:
    rows = config.get("vocab_size") or (config.get("text_config") or {}).get("vocab_size") or 0
    return int(rows)


def _newline(tokenizer: TokenizerWrapper) -> set[int]:
    ids: list[int] = tokenizer.encode("\n", add_special_tokens=False)
    return {ids[-1]} if ids else set()


def _info(folder: Path, model: Model, tokenizer: TokenizerWrapper) -> ModelInfo:
    parameters: list[tuple[str, mx.array]] = tree_flatten(model.network.parameters())  # type: ignore[assignment]
    size = sum(a.nbytes for _, a in parameters)
    return ModelInfo(
        name=folder.name,
        path=folder,
        vocabulary=model.vocabulary,
        context=model.context,
        weights_bytes=size,
        rewind_refusal=Target(model).rewind_refusal,
        has_chat_template=bool(tokenizer.has_chat_template),
    )


def _first_line(error: Exception) -> str:
    text = str(error).strip().splitlines()
    return (text[0] if text else type(error).__name__).rstrip(".")
