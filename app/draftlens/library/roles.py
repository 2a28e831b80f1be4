"""What a folder can turn out to be, and the verdict that says so with its reasons."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any

from draftlens.library.bound_targets import BoundTarget


class Role(StrEnum):
    """The words shown to people and written to JSON."""

    CHAT = "chat model"
    BASE = "base model"
    DFLASH = "bound drafter: DFlash"
    DFLASH2 = "bound drafter: DFlash 2"
    DSPARK = "bound drafter: DSpark"
    GEMMA_MTP = "bound drafter: Gemma MTP"
    MUSE = "bound drafter: Muse"
    MTP_HEAD = "bound drafter: MTP head"
    EAGLE = "bound drafter: EAGLE"
    MEDUSA = "bound drafter: Medusa"
    MLP_SPECULATOR = "bound drafter: MLP speculator"
    GGUF = "GGUF file"
    ADAPTER = "adapter"
    EMBEDDING = "embedding"
    UNSUPPORTED = "unsupported"
    INCOMPLETE = "incomplete"
    NOT_A_MODEL = "not a model"

    @property
    def standalone(self) -> bool:
        """Whether such a folder can be loaded on its own, as a target or as a draft model."""
        return self in (Role.CHAT, Role.BASE)

    @property
    def bound_drafter(self) -> bool:
        """Whether such a folder works only together with the target it was made for."""
        return self.value.startswith("bound drafter")

    @property
    def phrase(self) -> str:
        """What to say after the path: "is an adapter, not a standalone model"."""
        if self.bound_drafter:
            kind = self.value.removeprefix("bound drafter: ")
            article = "an" if kind[0] in "AEIO" or kind.startswith(("MTP", "MLP")) else "a"
            return f"is {article} {kind} drafter, not a standalone model"
        return {
            Role.GGUF: "is not a model folder",
            Role.ADAPTER: "is an adapter, not a standalone model",
            Role.EMBEDDING: "is an embedding model, which cannot write text",
            Role.UNSUPPORTED: "is not supported",
            Role.INCOMPLETE: "is incomplete",
            Role.NOT_A_MODEL: "is not a model",
        }.get(self, f"is a {self.value}")


@dataclass(frozen=True)
class Verdict:
    """What a folder is, why, and what can be done.

    `reason` is a sentence about the folder that begins with "It"; `next` is empty where nothing needs doing.
    `parameters` is 0 where the tensors were not counted; `facts` and `target` are those of a bound drafter.
    """

    role: Role
    reason: str
    next: str = ""
    evidence: tuple[str, ...] = ()
    architecture: str = ""
    quantisation: str = ""
    missing: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    model_type: str = ""
    size: int = 0
    parameters: int = 0
    facts: tuple[tuple[str, str], ...] = ()
    target: BoundTarget | None = None
    weight_files: tuple[Path, ...] = field(default=(), compare=False)

    @property
    def shown_type(self) -> str:
        """What tells most in a column: the type of a complete model, the class of anything else."""
        return self.model_type if self.role.standalone and self.model_type else self.architecture

    @property
    def short_quantisation(self) -> str:
        """The quantisation in a word: "4-bit", "bf16"."""
        words = self.quantisation.partition(",")[0]
        return {"bfloat16": "bf16", "float16": "fp16", "float32": "fp32"}.get(words, words)

    def as_json(self) -> dict[str, Any]:
        """Plain values under the documented names."""
        return {
            "role": self.role.value,
            "reason": self.reason,
            "evidence": list(self.evidence),
            "next": self.next,
            "architecture": self.architecture,
            "model_type": self.model_type,
            "quantisation": self.quantisation,
            "missing": list(self.missing),
            "warnings": list(self.warnings),
            "size": self.size,
            "parameters": self.parameters,
            "target": None if self.target is None else self.target.name,
        }
