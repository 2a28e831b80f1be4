"""What a loader has against a model folder that looks complete, in words."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Objection:
    """Why a folder cannot be loaded.

    Attributes:
        sentence: about the folder; it begins with "It" or "Its".
        evidence: the tensor or key that shows it, empty where none does.
        incomplete: whether the folder lacks something, rather than being of another kind.
    """

    sentence: str
    evidence: str = ""
    incomplete: bool = False
