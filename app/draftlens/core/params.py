"""What a reply is asked to be: frozen, validated once, a sentence for each bad value."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from draftlens.core.errors import UserError
from draftlens.core.rules import ASKABLE, RuleId

GREEDY_BELOW = 1e-3
"""Temperatures at or below this act as 0: dividing logits by less overflows float32 long before it changes a draw."""

MAX_DRAFT = 64

MAX_BIAS = 1e30
"""Far above any logit, far enough below float32's largest that sums of biases stay finite."""

_SMALLEST_PENALTY = 0.001

DrafterKind = Literal["none", "draft-model", "prompt-lookup"]
LookupPolicy = Literal["graded", "gated"]


def _number(name: str, value: object, low: float, high: float, *, low_open: bool = False) -> None:
    ok = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if ok and isinstance(value, int | float):
        ok = (value > low if low_open else value >= low) and value <= high
    if not ok:
        bound = f"above {low:g}" if low_open else f"at least {low:g}"
        raise UserError(f"{name} is {value}, but must be a number {bound} and at most {high:g}.")


def _integer(name: str, value: object, low: int, high: int | None, note: str | None = None) -> None:
    ok = isinstance(value, int) and not isinstance(value, bool) and value >= low and (high is None or value <= high)
    if not ok:
        upper = "" if high is None else f" and at most {high}"
        extra = f" ({note})" if note else ""
        raise UserError(f"{name} is {value}, but must be a whole number of at least {low}{upper}{extra}.")


@dataclass(frozen=True)
class SamplingParams:
    """The sampling chain, in the order it is applied.

    Attributes:
        logit_bias: (token id, added logit) pairs; -inf bans the token.
        repetition_penalty: > 0, 1 is off; positive logits are divided by it, negative ones multiplied.
        repetition_window: how many of the newest tokens it looks at, prompt included.
        frequency_penalty: subtracted once for each occurrence in `penalty_window`.
        presence_penalty: subtracted once if the token occurs in `penalty_window`.
        penalty_window: how many of the newest tokens frequency and presence look at.
        top_k: keep the k largest logits, ties kept; 0 is off, as is k >= vocabulary.
        top_p: keep a token if the mass of those before it is <= top_p; 1 is off.
        min_p: keep probabilities >= min_p times the largest; 0 is off.
        xtc_probability: how often exclude-top-choices applies at a position; 0 is off.
        xtc_threshold: probability above which a token is a top choice.
        temperature: divides the filtered logits, last; 0 is greedy.
    """

    logit_bias: tuple[tuple[int, float], ...] = ()
    repetition_penalty: float = 1.0
    repetition_window: int = 64
    frequency_penalty: float = 0.0
    presence_penalty: float = 0.0
    penalty_window: int = 64
    top_k: int = 0
    top_p: float = 1.0
    min_p: float = 0.0
    xtc_probability: float = 0.0
    xtc_threshold: float = 0.1
    temperature: float = 0.7

    def __post_init__(self) -> None:
        _number("temperature", self.temperature, 0, 100)
        _integer("top_k", self.top_k, 0, None, "0 is off")
        _number("top_p", self.top_p, 0, 1, low_open=True)
        _number("min_p", self.min_p, 0, 1)
        _number("xtc_probability", self.xtc_probability, 0, 1)
        _number("xtc_threshold", self.xtc_threshold, 0, 1)
        _number("repetition_penalty", self.repetition_penalty, 0, 100, low_open=True)
        if self.repetition_penalty < _SMALLEST_PENALTY:
            raise UserError(
                f"repetition_penalty is {self.repetition_penalty}, which is too close to 0 to divide by.",
                f"Use {_SMALLEST_PENALTY} or more.",
            )
        _integer("repetition_window", self.repetition_window, 0, None)
        _number("frequency_penalty", self.frequency_penalty, -100, 100)
        _number("presence_penalty", self.presence_penalty, -100, 100)
        _integer("penalty_window", self.penalty_window, 0, None)
        for token, bias in self.logit_bias:
            if not isinstance(token, int) or token < 0:
                raise UserError(f"logit_bias names {token!r}, which is not a token id.", "Use ids of 0 and above.")
            if not isinstance(bias, int | float) or math.isnan(bias) or bias > MAX_BIAS:
                raise UserError(f"logit_bias for token {token} is {bias}, which is not a number to add.")

    @property
    def greedy(self) -> bool:
        """Whether the draw is the argmax: nothing is random then."""
        return self.temperature <= GREEDY_BELOW or self.top_k == 1

    @property
    def needs_history(self) -> bool:
        """Whether a row depends on the tokens before it other than through the model."""
        repetition = self.repetition_penalty != 1.0 and self.repetition_window > 0
        return repetition or ((self.frequency_penalty != 0 or self.presence_penalty != 0) and self.penalty_window > 0)


@dataclass(frozen=True)
class LookupParams:
    """Prompt lookup: how it searches and how it decides to pause.

    Attributes:
        ngram_min, ngram_max: lengths of the suffix that is looked up, longest first.
        max_draft: the most tokens a round proposes.
        policy: graded narrows and pauses for a while; gated pauses until a shadow lookup is right.
        adaptive: False always proposes the full block.
        floor: gated only: pause while a round emits fewer tokens than this on average; None is no floor.
    """

    ngram_min: int = 2
    ngram_max: int = 3
    max_draft: int = 7
    policy: LookupPolicy = "graded"
    adaptive: bool = True
    floor: float | None = None

    def __post_init__(self) -> None:
        if self.floor is not None:
            _number("prompt-lookup floor", self.floor, 1, MAX_DRAFT + 1)
        if self.ngram_min < 1:
            raise UserError("prompt-lookup ngram-min must be at least 1.")
        if self.ngram_min > 16:
            raise UserError(f"prompt-lookup ngram-min ({self.ngram_min}) must be at most 16.")
        if self.ngram_max < self.ngram_min:
            raise UserError(f"prompt-lookup ngram-max ({self.ngram_max}) must be >= ngram-min ({self.ngram_min}).")
        if self.ngram_max > 16:
            raise UserError(f"prompt-lookup ngram-max ({self.ngram_max}) must be at most 16.")
        if self.max_draft < 1:
            raise UserError("prompt-lookup max-draft must be at least 1.")
        if self.max_draft > MAX_DRAFT:
            raise UserError(f"prompt-lookup max-draft must be at most {MAX_DRAFT}.")
        if self.policy not in ("graded", "gated"):
            raise UserError(f"prompt-lookup policy {self.policy!r} is not known.", "Use graded or gated.")


@dataclass(frozen=True)
class SessionParams:
    """Everything that, with the models and the prompt, determines a reply."""

    sampling: SamplingParams = SamplingParams()
    drafter: DrafterKind = "draft-model"
    k: int = 4
    rule: RuleId = RuleId.SAMPLER_MATCH
    lookup: LookupParams = LookupParams()
    max_tokens: int = 256
    seed: int | None = None
    stop: tuple[str, ...] = ()
    closed_forms: bool = True
    candidates: int = 0
    draft_temperature: float | None = None

    def __post_init__(self) -> None:
        _integer("k (draft tokens a round)", self.k, 0, MAX_DRAFT)
        _integer("max_tokens", self.max_tokens, 0, None)
        _integer("candidates", self.candidates, 0, 1000)
        if self.seed is not None:
            _integer("seed", self.seed, 0, 2**64 - 1)
        if self.draft_temperature is not None:
            _number("draft temperature", self.draft_temperature, 0, 100)
        if self.rule not in ASKABLE:
            names = ", ".join(ASKABLE)
            raise UserError(
                f"rule={self.rule} cannot be asked for.", f"Choose one of {names}; temperature 0 is greedy."
            )
        if self.drafter not in ("none", "draft-model", "prompt-lookup"):
            raise UserError(f"Drafter {self.drafter!r} is not known.", "Use none, draft-model or prompt-lookup.")
