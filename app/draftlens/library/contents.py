"""What only the contents of a folder show that looks complete: weights half zeros, a tokenizer that is none."""

from __future__ import annotations

from pathlib import Path

from draftlens.library import small_file, vocabulary, weight_files
from draftlens.library.lookalikes import FETCH_AGAIN
from draftlens.library.roles import Role, Verdict

_TOKENIZER = "tokenizer.json"
_TEXTS = ("generation_config.json", "tokenizer_config.json", "chat_template.jinja")


def held(path: Path, verdict: Verdict) -> Verdict:
    """A verdict held against the contents of a folder that is about to be loaded."""
    found = _fault(path) if verdict.role.standalone and path.is_dir() else None
    if found is None:
        return verdict
    name, reason = found
    return Verdict(Role.INCOMPLETE, reason, FETCH_AGAIN, missing=(name,), size=verdict.size)


def _fault(folder: Path) -> tuple[str, str] | None:
    if (hollow := weight_files.hollow(weight_files.find(folder))) is not None:
        return hollow, f"The second half of its {hollow} holds only zeros."
    for name in _TEXTS:
        try:
            text = small_file.content(folder / name)
            text.decode()
            if name.endswith(".json") and text.strip():
                small_file.decoded(text)
        except FileNotFoundError:
            continue
        except OSError as error:
            return name, f"Its {name} cannot be read: {error.strerror or error}."
        except UnicodeDecodeError:
            return name, f"Its {name} is damaged: it is not text."
        except small_file.TooDeep:
            return name, f"Its {name} is damaged: it is nested too deeply to be read."
        except ValueError:
            continue
    if (folder / _TOKENIZER).is_file():
        try:
            vocabulary.of_folder(folder)
        except vocabulary.UnknownVocabulary:
            return _TOKENIZER, f"Its {_TOKENIZER} is damaged: it cannot be read as a tokenizer."
    return None
