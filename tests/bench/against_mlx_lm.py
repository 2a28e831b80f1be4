"""Our loop beside mlx-lm's own, on the same networks, the same BLAS and the same prompt."""

from __future__ import annotations

import time
from collections.abc import Iterator

import mlx.core as mx
from mlx_lm.generate import generate_step, speculative_generate_step

from bench.figures import Figure, bench, median, paired, spread
from bench.models import CHAT, chat_ids, pair, params, run, speed, tokens_of
from draftlens.core.rules import RuleId

TOKENS = 64


@bench("engine.t0_vs_mlx_lm")
def t0_vs_mlx_lm() -> Iterator[Figure]:
    """Greedy, k = 1, 2, 4: tokens a second beside mlx-lm's speculative loop; the text must be identical."""
    ids = chat_ids(CHAT)
    for k in (1, 2, 4):
        texts: dict[str, list[int]] = {}

        def ours(k: int = k, texts: dict[str, list[int]] = texts) -> float:
            rounds = run(ids, params(0, k=k, tokens=TOKENS), "draft-model")
            texts["ours"] = tokens_of(rounds)
            return speed(rounds)

        def theirs(k: int = k, texts: dict[str, list[int]] = texts) -> float:
            texts["theirs"], _, rate = mlx_lm_speculative(ids, k, 0)
            return rate

        ratios = paired(ours, theirs)
        same = texts["ours"] == texts["theirs"][: len(texts["ours"])]
        note = f"{spread(ratios)}; text {'identical' if same else 'DIFFERS'}"
        yield Figure(f"engine.t0_vs_mlx_lm.k{k}", median(ratios) if same else 0.0, 0.97, True, note=note)


@bench("engine.plain_vs_mlx_lm")
def plain_vs_mlx_lm() -> Iterator[Figure]:
    """Plain decoding beside mlx-lm's, temperature 0."""
    ids = chat_ids(CHAT)
    ratios = paired(lambda: speed(run(ids, params(0, tokens=TOKENS))), lambda: mlx_lm_plain(ids))
    yield Figure("engine.plain_vs_mlx_lm", median(ratios), 1.0, True, note=spread(ratios))


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
        _, made, _ = mlx_lm_speculative(ids, 4, 0.7, seed=seed, tokens=96)
        theirs = [theirs[0] + made[0], theirs[1] + made[1]]
    ratio = (ours[0] / ours[1]) / (theirs[0] / theirs[1])
    note = f"{ours[0] / ours[1]:.3f} over {ours[1]} rounds beside {theirs[0] / theirs[1]:.3f} over {theirs[1]}"
    yield Figure("engine.tokens_per_round", ratio, 1.04, True, note=note)


def mlx_lm_speculative(
    ids: list[int], k: int, temperature: float, seed: int = 0, tokens: int = TOKENS
) -> tuple[list[int], tuple[int, int], float]:
    """Run mlx-lm's loop; return its ids, (tokens, rounds) after the first, and tokens a second after the first."""
    target, draft = pair()
    mx.random.seed(seed)

    def sample(logprobs: mx.array) -> mx.array:
        return mx.argmax(logprobs, axis=-1) if temperature == 0 else mx.random.categorical(logprobs / temperature)

    steps = speculative_generate_step(
        mx.array(ids),
        target.model.network,
        draft.model.network,
        num_draft_tokens=k,
        max_tokens=tokens,
        sampler=sample,
    )
    made: list[int] = []
    rounds, started = 0, 0.0
    for token, _, from_draft in steps:
        if not made:
            started = time.perf_counter()
        if int(token) in target.model.end_of_text:
            break
        made.append(int(token))
        rounds += not from_draft
    rate = (len(made) - 1) / (time.perf_counter() - started)
    return made, (len(made) - 1, rounds - 1), rate


def mlx_lm_plain(ids: list[int]) -> float:
    """Return tokens a second of mlx-lm's plain loop, greedy, after the first token."""
    target, _ = pair()
    steps = generate_step(mx.array(ids), target.model.network, max_tokens=TOKENS)
    count, started = 0, 0.0
    for token, _ in steps:
        if count == 0:
            started = time.perf_counter()
        if int(token) in target.model.end_of_text:
            break
        count += 1
    return (count - 1) / (time.perf_counter() - started)
