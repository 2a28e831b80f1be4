"""Opt-in tracing to standard error: DRAFTLENS_LOG=error|warn|info|debug|trace, as text lines."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from draftlens.core.round import Fate, Round
from draftlens.core.rules import RuleId
from draftlens.core.stats import RunStats

LOG_VARIABLE = "DRAFTLENS_LOG"
_LEVELS = {"error": 0, "warn": 1, "info": 2, "debug": 3, "trace": 4}
_LONGEST = 40


def level(environment: Mapping[str, str]) -> int | None:
    """Return the level asked for, None when tracing is off; `draftlens=debug` reads as debug."""
    return _LEVELS.get(_asked(environment))


def objection(environment: Mapping[str, str]) -> str | None:
    """Why nothing is traced although something was asked for, None if it is clear what was meant."""
    asked = _asked(environment)
    if asked in ("", "off") or asked in _LEVELS:
        return None
    known = ", ".join(_LEVELS)
    return f"{LOG_VARIABLE}={asked[:_LONGEST]!a} is not a level, so nothing is traced. Use one of {known} or off."


def _asked(environment: Mapping[str, str]) -> str:
    return environment.get(LOG_VARIABLE, "").strip().lower().rpartition("=")[2]


class Trace:
    """Says once which rule is active, once for each outcome of the stochastic rule, and each round at debug."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._level = level(environment)
        if (unclear := objection(environment)) is not None:
            print(f"draftlens: {unclear}", file=sys.stderr)
        self._said: set[str] = set()

    def add(self, round_: Round) -> None:
        """Trace one round."""
        if self._level is None or not round_.proposals:
            return
        rule = round_.rule
        self._once(
            f"speculative acceptance rule active rule={rule} distribution_preserving={str(rule.lossless).lower()}"
        )
        if rule is RuleId.STOCHASTIC:
            for proposal in round_.proposals:
                if proposal.fate is not Fate.UNTESTED:
                    self._once(f"speculative stochastic acceptance outcome first seen outcome={proposal.fate}")
        self._line(
            "debug",
            f"round index={round_.index} proposed={round_.drafted} tested={round_.tested} "
            f"accepted={round_.accepted} emitted={len(round_.emitted)} total_ms={round_.timings.total:.1f}",
        )

    def finish(self, stats: RunStats) -> None:
        """Trace the figures of the run."""
        self._line(
            "info",
            f"speculative decode finished rule={stats.rule or 'unknown'} rounds={stats.rounds} "
            f"proposed_draft_tokens={stats.proposed} positions_tested={stats.tested} "
            f"accepted_draft_tokens={stats.accepted} per_position_acceptance={stats.per_position_acceptance:.4f} "
            f"acceptance_rate={stats.acceptance_rate:.4f} mean_accepted_len={stats.mean_accepted_len:.4f} "
            f"generated_tokens={stats.generated}",
        )

    def _once(self, text: str) -> None:
        if text not in self._said:
            self._said.add(text)
            self._line("info", text)

    def _line(self, name: str, text: str) -> None:
        if self._level is not None and _LEVELS[name] <= self._level:
            print(f"{name.upper()} draftlens: {text}", file=sys.stderr)
