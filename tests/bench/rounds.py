"""What a round costs beyond its forwards, what the closed forms cost, and how much memory a reply takes."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Iterator

import mlx.core as mx

from bench.figures import REPEATS, Figure, bench, median, spread
from bench.models import CHAT, chat_ids, iterate, pair, params, run
from draftlens.core.params import SessionParams
from draftlens.core.rules import RuleId
from draftlens.engine.target import DraftContext, Target

K = 4
TOKENS = 32
MEGABYTE = 1 << 20


@bench("engine.round_overhead")
def round_overhead() -> Iterator[Figure]:
    """T = 0.7, k = 4, closed forms on: time of a round beyond its forwards timed alone, the two in turn."""
    ids = chat_ids(CHAT)
    for rule in (RuleId.STOCHASTIC, RuleId.SAMPLER_MATCH):
        asked = params(0.7, rule=rule, k=K, tokens=TOKENS, closed_forms=True)
        _beyond(ids, asked)
        values = [100 * (_beyond(ids, asked) - 1) for _ in range(REPEATS)]
        yield Figure(f"engine.round_overhead.{rule}", median(values), 6, False, "%", spread(values))


def _beyond(ids: list[int], asked: SessionParams) -> float:
    """Return the median, over rounds of full width, of a round's time by that of the same forwards right after it."""
    forwards = _Forwards(ids)
    ratios = []
    for made in iterate(ids, asked, "draft-model"):
        alone = forwards.run()
        if made.drafted == K:
            ratios.append(made.timings.total / alone)
    return median(ratios)


@bench("engine.closed_forms_cost")
def closed_forms_cost() -> Iterator[Figure]:
    """Tokens a second lost to the closed forms, T = 0.7, k = 4: the same reply with and without, round by round."""
    ids = chat_ids(CHAT)

    def cost() -> float:
        with_forms, without = (
            iterate(ids, params(0.7, rule=RuleId.STOCHASTIC, k=K, tokens=TOKENS, closed_forms=on), "draft-model")
            for on in (True, False)
        )
        pairs = list(zip(with_forms, without, strict=True))[1:]
        return 100 * (1 - median([b.timings.total / a.timings.total for a, b in pairs]))

    cost()
    values = [cost() for _ in range(REPEATS)]
    yield Figure("engine.closed_forms_cost", median(values), 3, False, "%", spread(values))


@bench("engine.memory")
def memory() -> Iterator[Figure]:
    """Peak memory of a process that loads the pair and replies, beyond weights and caches."""
    code = f"import sys; sys.path.insert(0, {sys.path[0]!r}); from bench.rounds import print_peak; print_peak()"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    extra, peak, held = (float(word) for word in done.stdout.split())
    yield Figure("engine.memory", extra, 250, False, "MB", f"peak {peak:.0f} MB, weights and caches {held:.0f} MB")


def print_peak() -> None:
    """Load, reply once, and print peak beyond weights and caches, peak, and weights and caches, in MB."""
    target, draft = pair()
    run(chat_ids(CHAT), params(0.7, rule=RuleId.STOCHASTIC, k=K, tokens=64, closed_forms=True), "draft-model")
    context, drafting = Target(target.model), DraftContext(draft.model)
    context.prefill(list(range(100, 228)))
    drafting.prefill(list(range(100, 228)))
    held = target.info.weights_bytes + draft.info.weights_bytes
    held += sum(c.nbytes for c in (*context.caches, *drafting.caches))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    print((peak - held) / MEGABYTE, peak / MEGABYTE, held / MEGABYTE)


class _Forwards:
    """K draft steps and one verify forward, nothing else, from the prompt on."""

    def __init__(self, ids: list[int]) -> None:
        target, draft = pair()
        self._target, self._draft = Target(target.model), DraftContext(draft.model)
        self._target.prefill(ids)
        self._draft.prefill(ids)
        self._token = 100

    def run(self) -> float:
        """Return their time in milliseconds."""
        self._token += 1
        started = time.perf_counter()
        logits = self._draft.feed([self._token])
        for _ in range(K - 1):
            logits = self._draft.step(mx.argmax(logits).astype(mx.int32))
        mx.eval(logits)
        block = mx.array([self._token] * (K + 1), dtype=mx.int32)
        with self._target.verify(block, self._token) as transaction:
            mx.eval(transaction.logits)
            transaction.commit([self._token])
        self._draft.settle(K - 1, ())
        return 1000 * (time.perf_counter() - started)
