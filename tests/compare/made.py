"""Comparisons made of rounds whose law is known: drafts accepted with given odds, times drawn around a mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from draftlens.compare.arms import ArmSettings
from draftlens.compare.comparison import Comparison
from draftlens.compare.plan import Plan, Prompt, seeds_from
from draftlens.core.events import Finished, Prefill, RoundDone, Started
from draftlens.core.params import SamplingParams, SessionParams
from draftlens.core.round import Emitted, Fate, FinishReason, Proposed, Round, Source, Timings
from draftlens.core.rules import RuleId

BASE = SessionParams(sampling=SamplingParams(temperature=0.7), max_tokens=64)
RULES = (RuleId.SAMPLER_MATCH, RuleId.STOCHASTIC)
P_PROD, P_MIN = 0.5, 0.7


def arms(rules: Sequence[RuleId] = RULES, base: SessionParams = BASE) -> tuple[ArmSettings, ...]:
    return tuple(ArmSettings(replace(base, rule=rule)) for rule in rules)


def comparison(
    rules: Sequence[RuleId] = RULES, seeds: int = 1, base: SessionParams = BASE, prompts: int = 1
) -> Comparison:
    texts = tuple(Prompt(messages=(("user", f"Prompt {i}"),)) for i in range(prompts))
    return Comparison(Plan(arms(rules, base), texts, seeds_from(5, seeds)), {"created": "2026-01-02T03:04:05+00:00"})


def play(
    random: np.random.Generator,
    rule: RuleId,
    rounds: int = 40,
    ms: float = 30.0,
    clock: np.random.Generator | None = None,
    k: int = 4,
) -> list[Round]:
    """A reply of verify rounds: each draft accepted with the rule's closed form, each round's time around `ms`."""
    clock = clock or random
    odds = P_MIN if rule is RuleId.STOCHASTIC else P_PROD
    made = [_first()]
    position = 1
    for index in range(1, rounds + 1):
        accepted = 0
        while accepted < k and random.random() < odds:
            accepted += 1
        made.append(_round(index, position, accepted, k, rule, odds, ms * (1 + 0.1 * clock.standard_normal())))
        position += len(made[-1].emitted)
    return made


def _first() -> Round:
    token = Emitted(1, "A", Source.PREFILL, 0.5, 0.5)
    return Round(0, 0, 9, RuleId.STOCHASTIC, "none", (), (token,), token, "A", None, False, Timings(verify=20))


def _round(index: int, position: int, accepted: int, k: int, rule: RuleId, odds: float, ms: float) -> Round:
    tested = min(k, accepted + 1)
    proposals = tuple(_proposed(i, accepted, tested, odds) for i in range(k))
    source = Source.BONUS if accepted == k else Source.RESIDUAL if rule is RuleId.STOCHASTIC else Source.TARGET
    drawn = Emitted(50 + index % 3, f" w{index}", source, 0.4, 0.3)
    emitted = (*(Emitted(10 + i, f" d{i}", Source.DRAFT, 0.4, None) for i in range(accepted)), drawn)
    text = "".join(e.text for e in emitted)
    times = Timings(draft=ms * 0.3, verify=ms * 0.6, judge=ms * 0.1)
    return Round(index, position, 9 + position, rule, "classic", proposals, emitted, drawn, text, None, False, times)


def _proposed(place: int, accepted: int, tested: int, odds: float) -> Proposed:
    if place >= tested:
        return Proposed(10 + place, f" d{place}", 0.5, None, None, None, None, None, None, Fate.UNTESTED)
    fate = Fate.ACCEPTED if place < accepted else Fate.REJECTED
    return Proposed(10 + place, f" d{place}", 0.5, 0.4, 0.3, None, P_MIN, P_PROD, odds, fate)


def fill(made: Comparison, trial: int, arm: int, rounds: Sequence[Round], *, over: bool = True) -> None:
    """Give an arm a reply."""
    seed = list(made.plan.trials)[trial].seed
    rule = made.plan.arms[arm].rule
    made.take(trial, arm, Started(0, 9, rule, "classic", None, seed, False))
    made.take(trial, arm, Prefill(0, 9, 9, 0, 40.0 + arm))
    for one in rounds:
        made.take(trial, arm, RoundDone(0, one))
    if over:
        made.take(trial, arm, Finished(0, FinishReason.LENGTH, "", seed=seed))


def played(
    rules: Sequence[RuleId] = RULES,
    seeds: int = 1,
    slow: Sequence[float] = (1.0, 1.0),
    start: int = 0,
    *,
    alike: bool = False,
) -> Comparison:
    """A comparison that was run, arm i taking `slow[i]` times as long a round.

    Args:
        alike: both arms write the same tokens, as equal arms at equal seeds do; only their times differ.
    """
    made = comparison(rules, seeds)
    random = np.random.default_rng(start)
    for trial in range(made.plan.count):
        pace = 1 + 0.1 * random.standard_normal()
        for arm, rule in enumerate(rules):
            tokens = np.random.default_rng((start, trial)) if alike else random
            fill(made, trial, arm, play(tokens, rule, ms=30 * pace * slow[arm], clock=random))
    return made
