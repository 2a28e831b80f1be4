"""A tokenizer that only Python code of its own can build: told apart, and the code neither run nor asked about."""

from __future__ import annotations

import json
from pathlib import Path

NEVER_ASK = {"trust_remote_code": False}
"""Without it transformers asks on the terminal whether to run the code, and a piped "y" is an answer."""
REFUSAL = "its tokenizer can only be built by Python code of its own, which is never run"


def needed(error: Exception) -> bool:
    """Whether it was for such code that a tokenizer could not be made."""
    return isinstance(error, ValueError) and "trust_remote_code" in str(error)


def is_needed(folder: Path) -> bool:
    """Whether the tokenizer of a folder needs such code; one that does not name any is not looked at further."""
    try:
        config = json.loads((folder / "tokenizer_config.json").read_text(encoding="utf-8-sig"))
        if "AutoTokenizer" not in config.get("auto_map", {}):
            return False
    except (OSError, ValueError, AttributeError, TypeError, RecursionError):
        return False
    from transformers import AutoTokenizer

    try:
        AutoTokenizer.from_pretrained(folder, **NEVER_ASK)
    except Exception as error:
        # What else is wrong with it is said where it is read.
        return needed(error)
    return False
