"""What a folder with a fitting config still lacks to be a model: weight files, layers, embedding, norm or head."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from draftlens.library import expected_tensors, tensor_file, weight_files
from draftlens.library.tensor_file import TensorInfo
from draftlens.library.weight_files import WeightFiles

_OTHER_WEIGHTS = ("*.bin", "*.pt", "*.pth", "*.npz", "*.h5", "*.msgpack", "*.onnx", "*.ckpt")
_EMBEDDING_TENSOR = re.compile(r"embed|wte|tok_emb|word_emb", re.I)
_LAYER = re.compile(r"^(?:language_model\.)?(?:model\.)?(?:language_model\.)?layers\.(\d+)\.")
_FINAL_NORM = re.compile(r"^(?:model\.)?norm\.weight$")
_NAMED = 4
_TOKENIZER_FILES = ("tokenizer.json", "tokenizer.model", "vocab.json", "tiktoken.model", "qwen.tiktoken")


def missing_files(folder: Path, files: WeightFiles) -> tuple[str, tuple[str, ...]]:
    """The sentence about weight files that are not there, and their names."""
    if files.missing:
        broken = [name for name in files.missing if (folder / name).is_symlink()]
        total = len(files.missing) + len(files.used)
        gone = " (links to files that are gone)" if broken else ""
        more = len(files.missing) - _NAMED
        listed = ", ".join(files.missing[:_NAMED]) + (f" and {more:,} more" if more > 0 else "")
        return f"It lacks {len(files.missing)} of {total} weight files{gone}: {listed}.", files.missing
    if files.stray:
        reason = f"It has no weights under a name that is loaded (model*.safetensors), only {', '.join(files.stray)}."
        return reason, (weight_files.SINGLE,)
    return f"It has a config.json but no weights: {weight_files.SINGLE} is missing.", (weight_files.SINGLE,)


def foreign_weights(folder: Path, files: WeightFiles) -> str | None:
    """A weight file of a format that is never loaded, where there is no other."""
    if files.missing or files.stray:
        return None
    return next((path.name for pattern in _OTHER_WEIGHTS for path in sorted(folder.glob(pattern))), None)


def tokenizer_fault(folder: Path) -> tuple[str, tuple[str, ...]] | None:
    """The sentence about a tokenizer that is missing, empty or something else by its first bytes, and its file."""
    found = next((folder / name for name in _TOKENIZER_FILES if (folder / name).is_file()), None)
    if found is None:
        return "It has no tokenizer.", ("tokenizer.json",)
    with found.open("rb") as file:
        start = file.read(len(tensor_file.LFS_POINTER))
    if not start:
        return f"Its {found.name} is empty.", (found.name,)
    if start == tensor_file.LFS_POINTER:
        return f"Its {found.name} is only a Git LFS pointer, not the file itself.", (found.name,)
    if start.lstrip().startswith(b"<"):
        return f"Its {found.name} is a web page, not a tokenizer.", (found.name,)
    return None


def lack(config: Mapping[str, Any], tensors: Mapping[str, TensorInfo]) -> str | None:
    """What a complete model would have and these tensors do not, as the end of "It …"."""
    if not tensors:
        return "has weight files without any tensor"
    if not any(_EMBEDDING_TENSOR.search(name) for name in tensors):
        return "holds no token embedding: it is a part of a model, or a drafter that borrows its target's"
    text = config.get("text_config")
    count = config.get("num_hidden_layers", text.get("num_hidden_layers") if isinstance(text, dict) else None)
    there = {int(match[1]) for match in map(_LAYER.match, tensors) if match}
    plain = config.get("model_type") in expected_tensors.PLAIN_FAMILIES
    if isinstance(count, int) and (there or plain) and (held := sum(1 for layer in there if layer < count)) < count:
        return f"declares {count:,} layer{'s' * (count != 1)} and holds {held:,} of them"
    if plain:
        if not any(_FINAL_NORM.match(name) for name in tensors):
            return "has no final norm: it is a part of a model, or a drafter that borrows its target's"
        if config.get("tie_word_embeddings") is False and not any("lm_head" in name for name in tensors):
            return "has no output head (lm_head): it is a part of a model, or a drafter that borrows its target's"
    return expected_tensors.lack(config, tensors)


def parameters(tensors: Mapping[str, TensorInfo], bits: int | None) -> int:
    """How many numbers the tensors hold; words of packed ones count for as many as they pack."""
    total = 0
    for name, info in tensors.items():
        count = 1
        for n in info.shape:
            count *= n
        if info.dtype == "U32" and bits:
            count = count * 32 // bits
        elif name.endswith((".scales", ".biases")) and f"{name.rpartition('.')[0]}.weight" in tensors:
            continue
        total += count
    return total
