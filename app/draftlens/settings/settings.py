"""The settings as one frozen value."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from draftlens.core.params import DrafterKind, LookupParams, SamplingParams, SessionParams
from draftlens.core.rules import RuleId

Appearance = Literal["system", "light", "dark"]
TEXT_SIZES = (85, 150)
CANDIDATES = (0, 12, 50)
CONTEXTS = (2048, 4096, 8192, 16_384, 32_768, 65_536, 131_072)
"""Context lengths that memory can be reckoned for."""


@dataclass(frozen=True)
class Settings:
    """Everything a person can set once for all chats; a chat may have parameters of its own.

    Attributes:
        target: folder of the model loaded at the start; None is the one that was chosen last, or none.
        drafter: folder of the draft model; None is none.
        drafter_kind: what proposes, where a chat does not say otherwise.
        text_size: percent.
        data_folder: None is where the platform keeps such data; takes effect at the next start.
        move_data_to: where everything in it is moved at the next start.
        hub_cache: folder of the Hugging Face cache; None is where the environment says, or its default.
        model_folders: other folders whose models are listed.
        estimate_context: memory is reckoned for a chat of so many tokens.
        memory_limit: gigabytes that models may take; None is what the device or the system allows.
        candidates: how many candidates of each position are kept with a reply; 0 is none.
        idle_baseline: plain decoding is measured once a pair and context length, while nothing else runs.
        provenance: show where each token came from as a tint; `underline`: also as a line below drawn tokens.
    """

    target: Path | None = None
    drafter: Path | None = None
    drafter_kind: DrafterKind = "draft-model"
    rule: RuleId = RuleId.SAMPLER_MATCH
    k: int = 4
    draft_temperature: float | None = None
    lookup: LookupParams = field(default_factory=LookupParams)
    sampling: SamplingParams = field(default_factory=SamplingParams)
    max_tokens: int = 2048
    seed: int | None = None
    stop: tuple[str, ...] = ()
    system_prompt: str = ""
    closed_forms: bool = True
    candidates: int = 12
    idle_baseline: bool = True
    appearance: Appearance = "system"
    text_size: int = 100
    provenance: bool = True
    underline: bool = True
    data_folder: Path | None = None
    move_data_to: Path | None = None
    hub_cache: Path | None = None
    model_folders: tuple[Path, ...] = ()
    estimate_context: int = 8192
    memory_limit: float | None = None

    def session(self) -> SessionParams:
        """Return what a reply is asked to be where its chat has no parameters of its own."""
        return SessionParams(
            sampling=self.sampling,
            drafter=self.drafter_kind,
            k=self.k,
            rule=self.rule,
            lookup=self.lookup,
            max_tokens=self.max_tokens,
            seed=self.seed,
            stop=self.stop,
            closed_forms=self.closed_forms,
            candidates=self.candidates,
            draft_temperature=self.draft_temperature,
        )

    def with_session(self, params: SessionParams) -> Settings:
        """Return the settings with a chat's parameters as the new defaults."""
        return replace(
            self,
            sampling=params.sampling,
            drafter_kind=params.drafter,
            k=params.k,
            rule=params.rule,
            lookup=params.lookup,
            max_tokens=params.max_tokens,
            seed=params.seed,
            stop=params.stop,
            closed_forms=params.closed_forms,
            candidates=params.candidates,
            draft_temperature=params.draft_temperature,
        )
