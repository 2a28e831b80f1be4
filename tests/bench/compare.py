"""Comparisons on the demo pair: what taking rounds in turn costs, what two arms hold in memory, what the rules show."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

import mlx.core as mx

from bench.figures import REPEATS, Figure, bench, median, spread
from bench.models import CHAT, chat_ids, iterate, pair, params
from draftlens.compare import metrics
from draftlens.compare.arms import ArmSettings
from draftlens.compare.comparison import Comparison
from draftlens.compare.plan import Plan, Prompt, seeds_from
from draftlens.compare.run import TrialRun
from draftlens.compare.table import table
from draftlens.core.commands import Arm, Compare, Request
from draftlens.core.events import Differed, Loading, ReplyEvent, RoundDone
from draftlens.core.params import SamplingParams, SessionParams
from draftlens.core.round import Round
from draftlens.core.rules import RuleId
from draftlens.engine.arms import Arms
from draftlens.engine.target import DraftContext, Target

RULES = (RuleId.SAMPLER_MATCH, RuleId.STOCHASTIC)
SEEDS, TOKENS = 8, 64
STRETCH = 6
"""Rounds that are taken alone, and then in turn, before it is the other way again."""


def _compare(asked: Compare, emit: object = None) -> dict[int, list[Round]]:
    """Run arms on the demo pair and return each one's rounds."""
    target, draft = pair()
    rounds: dict[int, list[Round]] = {arm.request.run: [] for arm in asked.arms}

    def take(event: ReplyEvent | Loading | Differed) -> None:
        if isinstance(event, RoundDone):
            rounds[event.run].append(event.round)
        if callable(emit):
            emit(event)

    Arms(asked, target, [draft] * len(asked.arms), [chat_ids(CHAT)] * len(asked.arms)).run(take, lambda: False)
    return rounds


def _two(tokens: int) -> tuple[Arm, ...]:
    return tuple(Arm(Request(i, _asked(rule, tokens))) for i, rule in enumerate(RULES))


def _asked(rule: RuleId, tokens: int) -> SessionParams:
    return params(0.7, rule=rule, tokens=tokens, closed_forms=True)


@bench("compare.interleaving_cost")
def interleaving_cost() -> Iterator[Figure]:
    """Tokens a second lost to taking rounds in turn: stretches of the same rounds alone and in turn, side by side."""
    ids = chat_ids(CHAT)
    ratios = []
    for _ in range(REPEATS):
        alone, turns = ([iterate(ids, _asked(rule, 40), "draft-model") for rule in RULES] for _ in range(2))
        for arm in (*alone, *turns):
            next(arm)
        while True:
            apart = [[made.timings.total for made in islice(arm, STRETCH)] for arm in alone]
            mixed = list(zip(*(islice(arm, STRETCH) for arm in turns), strict=False))
            if min(len(mixed), *map(len, apart)) < STRETCH:
                break
            # The first of a stretch follows another arm's round in either case.
            ratios.append(
                sum(made.timings.total for pair in mixed[1:] for made in pair) / sum(sum(times[1:]) for times in apart)
            )
    yield Figure("compare.interleaving_cost", 100 * (1 - 1 / median(ratios)), 3, False, "%", spread(ratios))


@bench("compare.memory")
def memory() -> Iterator[Figure]:
    """Peak of MLX's memory while two arms run, by weights once and two arms' caches; 15 % more is the goal."""
    target, draft = pair()
    context, drafting = Target(target.model), DraftContext(draft.model)
    length = len(chat_ids(CHAT)) + TOKENS
    context.prefill([100] * length)
    drafting.prefill([100] * length)
    caches = 2 * sum(c.nbytes for c in (*context.caches, *drafting.caches))
    del context, drafting
    held = target.info.weights_bytes + draft.info.weights_bytes + caches
    mx.clear_cache()
    mx.reset_peak_memory()
    _compare(Compare(9, _two(TOKENS)))
    note = f"peak {mx.get_peak_memory() / 1e6:.0f} MB, weights and two arms' caches {held / 1e6:.0f} MB"
    yield Figure("compare.memory", mx.get_peak_memory() / held, 1.15, False, "x", note)


@bench("compare.rules")
def rules() -> Iterator[Figure]:
    """T = 0.7, k = 4, 8 seeds x 64 tokens: the rules told apart, each at its closed form; greedy over 200 tokens."""
    base = params(0.7, tokens=TOKENS, closed_forms=True)
    made = _run([replace(base, rule=rule) for rule in RULES], SEEDS)
    shown = table(made)
    delta = shown.row(metrics.PER_POSITION).deltas[0]
    assert delta is not None and delta.interval is not None
    for rule, stats in zip(RULES, shown.totals, strict=True):
        note = f"per_position_acceptance {stats.per_position_acceptance:.4f}, n = {stats.tested}"
        yield Figure(f"compare.rules.{rule}", abs(stats.z or 0.0), 3, False, " sigma", note)
    note = f"difference {delta.value:+.4f}, 95 % {delta.interval[0]:+.4f} to {delta.interval[1]:+.4f}"
    yield Figure("compare.rules.difference", delta.interval[0], 0, True, "", f"{note}, headroom {shown.headroom:.2f}")
    # The end is banned, so that all 200 are written.
    bans = tuple((token, float("-inf")) for token in sorted(pair()[0].model.end_of_text))
    endless = SamplingParams(temperature=0, logit_bias=bans)
    greedy = _run([replace(params(0, tokens=200, rule=rule), sampling=endless) for rule in RULES], 1)
    same = sum(a == b for a, b in zip(greedy.reply(0, 0).tokens, greedy.reply(0, 1).tokens, strict=False))
    written = max(len(greedy.reply(0, arm).tokens) for arm in range(2))
    yield Figure("compare.rules.greedy", same, written, True, " tokens", "the same in both arms")


@bench("compare.equal_arms")
def equal_arms() -> Iterator[Figure]:
    """20 groups of four seeds, both arms equal: intervals that cover 0; and with 10 % put on one arm's times."""
    base = params(0.7, rule=RuleId.STOCHASTIC, tokens=16, closed_forms=True)
    groups = [_run([base, base], 4, first=100 * group) for group in range(20)]
    for metric in (metrics.TOKENS_PER_SECOND, metrics.PER_POSITION, metrics.MEAN_ACCEPTED, metrics.PER_FORWARD):
        deltas = [table(group).row(metric).deltas[0] for group in groups]
        covering = sum(delta is not None and not delta.shown for delta in deltas)
        yield Figure(f"compare.equal_arms.{metric.name.replace(' / ', '_')}", covering, 17, True, " of 20")
    slowed = [_slowed(_run([base, base], 8, first=7000), 1.1)]
    found = [table(group).row(metrics.TOKENS_PER_SECOND).deltas[0] for group in slowed]
    delta = found[0]
    assert delta is not None and delta.interval is not None
    yield Figure("compare.planted_slowdown", delta.interval[1], 0, False, " tok/s", f"difference {delta.value:+.2f}")


def _run(asked: Sequence[SessionParams], seeds: int, first: int = 1) -> Comparison:
    target, draft = pair()
    plan = Plan(
        tuple(ArmSettings(p, Path(draft.info.path)) for p in asked),
        (Prompt((("user", CHAT),)),),
        seeds_from(first, seeds),
    )
    made = Comparison(plan, {})
    for trial in plan.trials:
        running = TrialRun(made, trial, 100 * trial.index, None, warm_up=trial.index == 0)

        def take(event: ReplyEvent | Loading | Differed, running: TrialRun = running) -> None:
            if not isinstance(event, Loading | Differed):
                running.take(event)

        arms = running.command.arms
        Arms(running.command, target, [draft] * len(arms), [chat_ids(CHAT)] * len(arms)).run(take, lambda: False)
    return made


def _slowed(made: Comparison, factor: float) -> Comparison:
    """The comparison as if every part of the last arm's rounds had taken so many times as long."""
    slow = Comparison(made.plan, made.about)
    for (trial, arm), reply in made.replies.items():
        for event in reply.events():
            if isinstance(event, RoundDone) and arm == len(made.plan.arms) - 1:
                t = event.round.timings
                times = replace(t, draft=t.draft * factor, verify=t.verify * factor, judge=t.judge * factor,
                                other=t.other * factor)  # fmt: skip
                slow.take(trial, arm, RoundDone(event.run, replace(event.round, timings=times)))
            else:
                slow.take(trial, arm, event)
    return slow
