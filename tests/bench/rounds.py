"""What a round costs beyond its forwards, what the closed forms cost, and how much memory a reply takes."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from collections.abc import Iterator

import mlx.core as mx

from bench.figures import Figure, bench, median, paired, spread
from bench.models import CHAT, chat_ids, pair, params, run, speed
from draftlens.core.params import SessionParams
from draftlens.core.round import Round
from draftlens.core.rules import RuleId
from draftlens.engine.target import DraftContext, Target

K = 4
TOKENS = 32
MEGABYTE = 1 << 20


@bench("engine.round_overhead")
def round_overhead() -> Iterator[Figure]:
    """T = 0.7, k = 4, closed forms on: time of a round beyond its forwards timed alone, the two interleaved."""
    ids = chat_ids(CHAT)
    for rule in (RuleId.STOCHASTIC, RuleId.SAMPLER_MATCH):
        asked = params(0.7, rule=rule, k=K, tokens=TOKENS, closed_forms=True)

        def whole(asked: SessionParams = asked) -> float:
            return _round_ms(run(ids, asked, "draft-model"))

        ratios = paired(whole, lambda: _forwards_ms(ids))
        note = f"{spread(ratios)}, minus 1"
        yield Figure(f"engine.round_overhead.{rule}", 100 * (median(ratios) - 1), 6, False, "%", note)


@bench("engine.closed_forms_cost")
def closed_forms_cost() -> Iterator[Figure]:
    """Tokens a second lost to the closed forms, T = 0.7, k = 4."""
    ids = chat_ids(CHAT)

    def rate(on: bool) -> float:
        asked = params(0.7, rule=RuleId.STOCHASTIC, k=K, tokens=TOKENS, closed_forms=on)
        return speed(run(ids, asked, "draft-model"))

    ratios = paired(lambda: rate(True), lambda: rate(False))
    yield Figure("engine.closed_forms_cost", 100 * (1 - median(ratios)), 3, False, "%", spread(ratios))


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


def _round_ms(rounds: list[Round]) -> float:
    """Median total of the full-width rounds."""
    return median([r.timings.total for r in rounds if r.drafted == K])


def _forwards_ms(ids: list[int]) -> float:
    """Median time of K draft steps and one verify forward, nothing else, at about the same context length."""
    target, draft = pair()
    context, drafting = Target(target.model), DraftContext(draft.model)
    context.prefill(ids)
    drafting.prefill(ids)
    times = []
    for i in range(TOKENS // 2):
        started = time.perf_counter()
        logits = drafting.feed([100 + i])
        for _ in range(K - 1):
            logits = drafting.step(mx.argmax(logits).astype(mx.int32))
        mx.eval(logits)
        block = mx.array([100 + i] * (K + 1), dtype=mx.int32)
        with context.verify(block, 100 + i) as transaction:
            mx.eval(transaction.logits)
            transaction.commit([100 + i])
        drafting.settle(K - 1, ())
        times.append(1000 * (time.perf_counter() - started))
    return median(times)
