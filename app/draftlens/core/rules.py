"""The names of the acceptance rules, and which one runs for what was asked."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

STOCHASTIC_VARIABLE = "MLXCEL_SPECULATIVE_STOCHASTIC_ACCEPT"
DIAGNOSTICS_VARIABLE = "MLXCEL_SPECULATIVE_ACCEPT_DIAG"


class RuleId(StrEnum):
    """Stable identifiers, printed after `rule=`."""

    GREEDY_ARGMAX = "greedy-argmax"
    SAMPLER_MATCH = "sampler-match"
    STOCHASTIC = "stochastic"
    SAMPLER_MATCH_NO_Q = "sampler-match-no-proposal-distribution"
    ARGMAX_AGAINST_ARGMAX = "argmax-against-argmax"

    @property
    def lossless(self) -> bool:
        """Whether the emitted text follows the target's distribution at any temperature."""
        return self is not RuleId.ARGMAX_AGAINST_ARGMAX

    @property
    def label(self) -> str:
        """The free text in parentheses at the end of the summary line."""
        return _LABELS[self]

    @property
    def sentence(self) -> str:
        """What the rule does and what acceptance it predicts, for people."""
        return _SENTENCES[self]

    @property
    def guarantee(self) -> str:
        """The badge beside the rule."""
        return "lossless" if self.lossless else "not lossless above temperature 0"


ASKABLE = (RuleId.SAMPLER_MATCH, RuleId.STOCHASTIC, RuleId.ARGMAX_AGAINST_ARGMAX)
"""The rules a user can ask for; the others follow from the temperature and the drafter."""

_LABELS = {
    RuleId.GREEDY_ARGMAX: "greedy target sampler: accept iff the draft is the argmax",
    RuleId.SAMPLER_MATCH: (
        "sampler-match: accept iff the draft equals a fresh target draw (default; set "
        f"{STOCHASTIC_VARIABLE}=1 for the acceptance-optimal rule)"
    ),
    RuleId.STOCHASTIC: "stochastic: modified rejection sampling, acceptance-optimal",
    RuleId.SAMPLER_MATCH_NO_Q: (
        "sampler-match: stochastic acceptance requested but the drafter reported no proposal distribution"
    ),
    RuleId.ARGMAX_AGAINST_ARGMAX: "argmax against argmax: not lossless above temperature 0",
}

_SENTENCES = {
    RuleId.GREEDY_ARGMAX: "Temperature 0: accepts a draft that is the target’s argmax.",
    RuleId.SAMPLER_MATCH: ("Accepts a draft that equals a fresh draw from the target. Expected acceptance: sum_prod."),
    RuleId.STOCHASTIC: (
        "Modified rejection sampling: accepts when u·q(t) ≤ p(t). Expected acceptance: sum_min, "
        "the ceiling for any lossless rule."
    ),
    RuleId.SAMPLER_MATCH_NO_Q: ("You asked for stochastic; this drafter reports no q, so sampler-match ran."),
    RuleId.ARGMAX_AGAINST_ARGMAX: (
        "Accepts the target’s argmax whatever the temperature. The text is the greedy stream, not a sample. "
        "No closed-form verdict: the ceiling does not bound it."
    ),
}


def choose_rule(asked: RuleId, *, greedy: bool, drafter_reports_q: bool) -> RuleId:
    """Return the rule that runs, decided once per reply before any distribution is built.

    Args:
        asked: one of `ASKABLE`.
        greedy: temperature 0 or top_k 1 on the target.
        drafter_reports_q: whether the drafter tells the distribution its proposals were drawn from.
    """
    if greedy:
        return RuleId.GREEDY_ARGMAX
    if asked is RuleId.STOCHASTIC and not drafter_reports_q:
        return RuleId.SAMPLER_MATCH_NO_Q
    return asked


def stochastic_wanted(environment: Mapping[str, str]) -> bool:
    """Read the opt-in: only 1, true, yes and on count, trimmed and case-insensitive."""
    return environment.get(STOCHASTIC_VARIABLE, "").strip().lower() in {"1", "true", "yes", "on"}


def diagnostics_wanted(environment: Mapping[str, str]) -> bool:
    """Read the diagnostics switch: any text counts but empty, 0, false, no and off."""
    return environment.get(DIAGNOSTICS_VARIABLE, "").strip().lower() not in {"", "0", "false", "no", "off"}
