"""What an arm is asked to be: rule, drafter, k and any sampler override, over what all arms share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from draftlens.core.errors import UserError
from draftlens.core.params import SessionParams
from draftlens.core.rules import ASKABLE, RuleId

FEWEST, MOST = 2, 4
LETTERS = "ABCD"


@dataclass(frozen=True)
class ArmSettings:
    """One arm.

    Attributes:
        params: everything that makes its reply, but for the seed, which comes from the plan.
        draft_model: folder of a draft model of its own, None for the loaded one.
    """

    params: SessionParams
    draft_model: Path | None = None

    @property
    def rule(self) -> RuleId:
        """The rule as asked, or the one temperature 0 leaves no choice about."""
        return RuleId.GREEDY_ARGMAX if self.params.sampling.greedy else self.params.rule

    @property
    def block(self) -> int:
        """The longest block its drafter proposes; 0 without a drafter."""
        if self.params.drafter == "none":
            return 0
        return self.params.lookup.max_draft if self.params.drafter == "prompt-lookup" else self.params.k

    def words(self, base: SessionParams) -> str:
        """What sets it apart: its rule, and whatever else differs from `base`."""
        params = self.params
        parts = [str(self.rule)] if params.drafter != "none" else ["plain decoding"]
        if params.drafter != base.drafter and params.drafter != "none":
            parts.append(params.drafter.replace("-", " "))
        if self.draft_model is not None:
            parts.append(self.draft_model.name)
        if params.drafter == "draft-model" and params.k != base.k:
            parts.append(f"k = {params.k}")
        for name, field in _SAMPLING.items():
            value = getattr(params.sampling, field)
            if value != getattr(base.sampling, field):
                parts.append(f"{name} {value:g}")
        if params.draft_temperature != base.draft_temperature and params.draft_temperature is not None:
            parts.append(f"draft-temp {params.draft_temperature:g}")
        return ", ".join(parts)


_SAMPLING = {
    "temp": "temperature",
    "top-k": "top_k",
    "top-p": "top_p",
    "min-p": "min_p",
    "xtc-probability": "xtc_probability",
    "xtc-threshold": "xtc_threshold",
    "repeat-penalty": "repetition_penalty",
    "frequency-penalty": "frequency_penalty",
    "presence-penalty": "presence_penalty",
}
_DRAFTERS = ("draft-model", "prompt-lookup", "none")
KEYS = ("rule", "k", "drafter", "draft-model", "draft-temp", *_SAMPLING)


def parse_arm(text: str, base: SessionParams) -> ArmSettings:
    """Read an arm written as `rule=stochastic,k=6`; what it leaves out is as in `base`.

    Raises:
        UserError: naming the arm and what is wrong with it.
    """
    given: dict[str, str] = {}
    for part in text.split(","):
        key, separator, value = (word.strip() for word in part.partition("="))
        if not separator or not value:
            raise _bad(text, f"{part.strip() or 'an empty part'} is not written as name=value")
        if key not in KEYS:
            raise _bad(text, f"{key} is not known", f"An arm can set {', '.join(KEYS)}.")
        if key in given:
            raise _bad(text, f"{key} is set twice")
        given[key] = value
    try:
        return _arm(text, given, base)
    except UserError as error:
        if error.sentence.startswith("--arm"):
            raise
        raise _bad(text, error.sentence.rstrip("."), error.next_step) from error


def _arm(text: str, given: dict[str, str], base: SessionParams) -> ArmSettings:
    sampling: dict[str, Any] = {
        field: _number(text, name, given[name], int if name == "top-k" else float)
        for name, field in _SAMPLING.items()
        if name in given
    }
    changed: dict[str, Any] = {"sampling": replace(base.sampling, **sampling)}
    model = Path(given["draft-model"]) if "draft-model" in given else None
    drafter = given.get("drafter", "draft-model" if model is not None else None)
    if drafter is not None:
        if drafter not in _DRAFTERS:
            raise _bad(text, f"drafter {drafter} is not known", f"Use {', '.join(_DRAFTERS)}.")
        if model is not None and drafter != "draft-model":
            raise _bad(text, f"draft-model and drafter={drafter} contradict each other")
        changed["drafter"] = drafter
    kind = changed.get("drafter", base.drafter)
    if "k" in given:
        k = _number(text, "k", given["k"], int)
        if kind == "prompt-lookup":
            changed["lookup"] = replace(base.lookup, max_draft=k)
        else:
            changed["k"] = k
    if "draft-temp" in given:
        changed["draft_temperature"] = _number(text, "draft-temp", given["draft-temp"], float)
    if "rule" in given:
        changed["rule"] = _rule(text, given["rule"], greedy=changed["sampling"].greedy)
    return ArmSettings(replace(base, **changed), model)


def _rule(text: str, name: str, *, greedy: bool) -> RuleId:
    if name == RuleId.GREEDY_ARGMAX and greedy:
        return RuleId.SAMPLER_MATCH
    if name == RuleId.GREEDY_ARGMAX:
        raise _bad(text, "rule greedy-argmax needs temperature 0", "Add temp=0, or choose another rule.")
    if name not in tuple(map(str, ASKABLE)):
        raise _bad(text, f"rule {name} is not known", f"Choose one of {', '.join(ASKABLE)}.")
    return RuleId(name)


def _number(text: str, name: str, value: str, kind: Callable[[str], Any]) -> Any:
    try:
        return kind(value)
    except ValueError as error:
        what = "a whole number" if kind is int else "a number"
        raise _bad(text, f"{name} is {value}, but must be {what}") from error


def _bad(text: str, problem: str, next_step: str | None = None) -> UserError:
    return UserError(f"--arm {text}: {problem}.", next_step)
