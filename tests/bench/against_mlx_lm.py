"""Our loop beside mlx-lm's own, on the same networks, the same BLAS and the same prompt."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import islice

import mlx.core as mx
from mlx_lm.generate import speculative_generate_step, stream_generate

from bench.figures import REPEATS, Figure, bench, median, paired, spread
from bench.models import CHAT, chat_ids, iterate, pair, params, run
from draftlens.core.rules import RuleId

TOKENS = 64


@bench("engine.t0_vs_mlx_lm")
def t0_vs_mlx_lm() -> Iterator[Figure]:
    """Greedy, k = 1, 2, 4: tokens a second beside mlx-lm's speculative loop; the text must be identical.

    Neither loop works while it is not asked, so the two advance in turn, round by round: whatever else the machine
    does then slows both alike.
    """
    ids = chat_ids(CHAT)
    for k in (1, 2, 4):
        _in_turn(ids, k)
        runs = [_in_turn(ids, k) for _ in range(REPEATS)]
        ratios = [theirs / ours for ours, theirs, _ in runs]
        same = all(run[2] for run in runs)
        note = f"{spread(ratios)}; text {'identical' if same else 'DIFFERS'}"
        yield Figure(f"engine.t0_vs_mlx_lm.k{k}", median(ratios) if same else 0.0, 0.97, True, note=note)


def _in_turn(ids: list[int], k: int) -> tuple[float, float, bool]:
    """Return the seconds each loop took for the same tokens after the first, and whether the text is the same."""
    ours = iterate(ids, params(0, k=k, tokens=TOKENS), "draft-model")
    theirs = _mlx_lm_tokens(ids, k)
    made = [e.token for e in next(ours).emitted]
    said = [next(theirs)]
    spent = [0.0, 0.0]
    started = time.perf_counter()
    for made_round in ours:
        made += [e.token for e in made_round.emitted]
        spent[0] += time.perf_counter() - started
        started = time.perf_counter()
        said += islice(theirs, len(made_round.emitted))
        spent[1] += time.perf_counter() - started
        started = time.perf_counter()
    return spent[0], spent[1], made == said


def _mlx_lm_tokens(ids: list[int], k: int) -> Iterator[int]:
    target, draft = pair()
    steps = speculative_generate_step(
        mx.array(ids),
        target.model.network,
        draft.model.network,
        num_draft_tokens=k,
        max_tokens=TOKENS + k,
        sampler=lambda logprobs: mx.argmax(logprobs, axis=-1),
    )
    return (int(token) for token, _, _ in steps)


@bench("engine.plain_vs_mlx_lm")
def plain_vs_mlx_lm() -> Iterator[Figure]:
    """Plain decoding beside mlx-lm's `stream_generate`, temperature 0.

    Both work ahead while a token is being used, so they cannot advance in turn: whole runs alternate, and each counts
    by its median time a token, which a burst of other work on the machine does not move.
    """
    ids = chat_ids(CHAT)
    ratios = paired(lambda: _plain_rate(ids), lambda: mlx_lm_plain(ids))
    yield Figure("engine.plain_vs_mlx_lm", median(ratios), 1.0, True, note=spread(ratios))


def _plain_rate(ids: list[int]) -> float:
    return _rate(iterate(ids, params(0, tokens=TOKENS)))


def _rate(steps: Iterator[object]) -> float:
    """Return tokens a second by the median time between two steps after the first."""
    times = []
    next(steps)
    started = time.perf_counter()
    for _ in steps:
        now = time.perf_counter()
        times.append(now - started)
        started = now
    return 1 / median(times)


@bench("engine.tokens_per_round")
def tokens_per_round() -> Iterator[Figure]:
    """T = 0.7, k = 4: tokens a round of the stochastic rule beside mlx-lm's sampler-match loop, >= 300 rounds each."""
    ids = chat_ids(CHAT)
    ours, theirs = [0, 0], [0, 0]
    seed = 0
    while min(ours[1], theirs[1]) < 600:
        seed += 1
        asked = params(0.7, rule=RuleId.STOCHASTIC, tokens=96, seed=seed)
        rounds = [r for r in run(ids, asked, "draft-model") if r.proposals]
        ours = [ours[0] + sum(len(r.emitted) for r in rounds), ours[1] + len(rounds)]
        made = mlx_lm_speculative(ids, 4, 0.7, seed, 96)
        theirs = [theirs[0] + made[0], theirs[1] + made[1]]
    ratio = (ours[0] / ours[1]) / (theirs[0] / theirs[1])
    note = f"{ours[0] / ours[1]:.3f} over {ours[1]} rounds beside {theirs[0] / theirs[1]:.3f} over {theirs[1]}"
    yield Figure("engine.tokens_per_round", ratio, 1.04, True, note=note)


def mlx_lm_speculative(ids: list[int], k: int, temperature: float, seed: int, tokens: int) -> tuple[int, int]:
    """Run mlx-lm's loop and return the tokens and rounds after the first token."""
    target, draft = pair()
    mx.random.seed(seed)
    steps = speculative_generate_step(
        mx.array(ids),
        target.model.network,
        draft.model.network,
        num_draft_tokens=k,
        max_tokens=tokens,
        sampler=lambda logprobs: mx.random.categorical(logprobs / temperature),
    )
    made = rounds = 0
    for token, _, from_draft in steps:
        if int(token) in target.model.end_of_text:
            break
        made += 1
        rounds += not from_draft
    return made - 1, rounds - 1


def mlx_lm_plain(ids: list[int]) -> float:
    """Return tokens a second of mlx-lm's plain loop, greedy."""
    target, _ = pair()
    return _rate(stream_generate(target.model.network, target.tokenizer, ids, max_tokens=TOKENS))
