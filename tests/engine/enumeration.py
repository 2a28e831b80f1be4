"""The exact law of what a rule emits: every draft and every cell of its coins, weighed by length, in float64.

A coin is uniform in [0, 1), and what a rule decides can change only where a coin crosses a breakpoint: p/q for an
accept test, a cumulative sum for a draw. Between breakpoints the rule is asked once, at the middle, and the cell's
length is the probability of the answer. Nothing is sampled, so nothing is tolerated but rounding.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, product

import mlx.core as mx
import numpy as np
from hypothesis import strategies as st
from numpy.typing import NDArray

from draftlens.engine.proposal import Dense, PointMass, Proposal
from draftlens.engine.rules import AcceptanceRule, Coins
from draftlens.engine.sampling import Rows

V = 4
TOLERANCE = 1e-12
Row = NDArray[np.float64]
Context = tuple[int, ...]
Law = dict[Context, float]
Breakpoints = Callable[[Row, Row | None, int], tuple[Sequence[float], Sequence[float]]]
"""(p, q, proposal) of a row -> where its accept coin and its draw coin matter; q is None in the bonus row."""


@dataclass(frozen=True)
class World:
    """A target and a drafter whose rows depend on everything emitted before.

    Attributes:
        k: length of the block.
        p: target row after each context of up to k tokens.
        q: what the next proposal is drawn from, after each context of up to k - 1 tokens.
        certain: every q is one-hot, and the drafter says so: its proposals are a point mass.
    """

    k: int
    p: dict[Context, Row]
    q: dict[Context, Row]
    certain: bool

    def drafts(self) -> Iterator[tuple[Context, float]]:
        """Every block that can be proposed, with its probability."""
        for block in product(range(V), repeat=self.k):
            weight = float(np.prod([self.q[block[:i]][t] for i, t in enumerate(block)]))
            if weight > 0:
                yield block, weight

    def target_law(self) -> Law:
        """What plain decoding emits: the law of the first k + 1 tokens."""
        texts = product(range(V), repeat=self.k + 1)
        return {s: float(np.prod([self.p[s[:i]][t] for i, t in enumerate(s)])) for s in texts}


def is_lossless(rule: AcceptanceRule, world: World, breakpoints: Breakpoints) -> bool:
    """Whether one round by this rule, with plain decoding after it, emits the target's law exactly."""
    law, target = emitted_law(rule, world, breakpoints), world.target_law()
    return max(abs(law[s] - target[s]) for s in target) <= TOLERANCE


def emitted_law(rule: AcceptanceRule, world: World, breakpoints: Breakpoints) -> Law:
    """The law of the first k + 1 tokens."""
    law = dict.fromkeys(product(range(V), repeat=world.k + 1), 0.0)
    for prefix, mass in round_law(rule, world, breakpoints).items():
        for rest in product(range(V), repeat=world.k + 1 - len(prefix)):
            text = (*prefix, *rest)
            follow = np.prod([world.p[text[:i]][text[i]] for i in range(len(prefix), len(text))])
            law[text] += mass * float(follow)
    return law


def round_law(rule: AcceptanceRule, world: World, breakpoints: Breakpoints) -> Law:
    """The law of what one round emits: the accepted proposals and the token after them."""
    law: Law = {}
    for block, weight in world.drafts():
        accepted, following, lengths = judge_everywhere(rule, world, block, breakpoints)
        outcome = accepted * V + following
        for code in np.unique(outcome):
            emitted = (*block[: int(code) // V], int(code) % V)
            law[emitted] = law.get(emitted, 0.0) + weight * float(lengths[outcome == code].sum())
    return law


def first_accept_rate(rule: AcceptanceRule, world: World, breakpoints: Breakpoints) -> float:
    """The exact probability that the first proposal of a block is accepted."""
    rate = 0.0
    for block, weight in world.drafts():
        accepted, _, lengths = judge_everywhere(rule, world, block, breakpoints)
        rate += weight * float(lengths[accepted > 0].sum())
    return rate


def judge_everywhere(
    rule: AcceptanceRule, world: World, block: Context, breakpoints: Breakpoints
) -> tuple[NDArray[np.int64], NDArray[np.int64], Row]:
    """Judge one block in every cell of its coins: accepted count, next token and the cell's volume."""
    k = world.k
    at = [breakpoints(world.p[block[:i]], world.q[block[:i]], block[i]) for i in range(k)]
    at.append(breakpoints(world.p[block], None, -1))
    coins = [cells(accept) for accept, _ in at[:k]] + [cells(drawn) for _, drawn in at]
    middles = np.array(list(product(*[[m for m, _ in c] for c in coins])))
    lengths = np.array([np.prod(c) for c in product(*[[w for _, w in c] for c in coins])])
    p = np.array([world.p[block[:i]] for i in range(k + 1)])
    q = np.array([world.q[block[:i]] for i in range(k)])

    def judge(p: mx.array, q: mx.array, tokens: mx.array, accept: mx.array, drawn: mx.array) -> list[mx.array]:
        proposal = Proposal(tokens, PointMass() if world.certain else Dense(q))
        verdict = rule.judge(Rows.of_probs(p), proposal, Coins(accept, drawn))
        return [verdict.accepted, verdict.next]

    # Every argument has the batch axis: mapped and unmapped operands of `&` together come out wrong in mlx 0.32.4.
    count = len(lengths)
    with mx.stream(mx.cpu):
        accepted, following = mx.vmap(judge)(
            _float64(np.repeat(p[None], count, axis=0)),
            _float64(np.repeat(q[None], count, axis=0)),
            mx.array(np.repeat([block], count, axis=0), dtype=mx.int32),
            _float64(middles[:, :k]),
            _float64(middles[:, k:]),
        )
        mx.eval(accepted, following)
    return np.array(accepted, dtype=np.int64), np.array(following, dtype=np.int64), lengths


def cells(breakpoints: Sequence[float]) -> list[tuple[float, float]]:
    """The pieces of [0, 1) between breakpoints, as (middle, length)."""
    edges = sorted({0.0, 1.0, *(float(b) for b in breakpoints if 0 < b < 1)})
    return [((a + b) / 2, b - a) for a, b in pairwise(edges) if b - a > 1e-15]


def matching(p: Row, q: Row | None, token: int) -> tuple[Sequence[float], Sequence[float]]:
    """Breakpoints of a rule that draws from p in every row."""
    return [], _steps(p)


def testing(p: Row, q: Row | None, token: int) -> tuple[Sequence[float], Sequence[float]]:
    """Breakpoints of a rule that accepts by p/q and draws from the residual."""
    if q is None:
        return [], _steps(p)
    return [p[token] / q[token] if q[token] > 0 else 1.0], _steps(residual(p, q))


def everywhere(p: Row, q: Row | None, token: int) -> tuple[Sequence[float], Sequence[float]]:
    """Breakpoints of any rule made of p, q and the residual, whichever coin it uses for what."""
    accept, drawn = testing(p, q, token)
    return [*accept, *drawn], [*drawn, *_steps(p)]


def residual(p: Row, q: Row) -> Row:
    """normalize(relu(p - q)); p itself where nothing is left."""
    rest = np.maximum(p - q, 0)
    return rest / rest.sum() if rest.sum() > 0 else p


@st.composite
def worlds(draw: st.DrawFn, *, certain: bool) -> World:
    """Draw a world: weights 0..6, so that zeros, ties and equal rows are common."""
    k = draw(st.integers(1, 3))
    before, inside = _contexts(k), _contexts(k - 1)
    count = V * len(before) + (V + 1) * len(inside)
    data = iter(draw(st.binary(min_size=count, max_size=count)))
    p = {c: _row([next(data) % 7 for _ in range(V)]) for c in before}
    q: dict[Context, Row] = {}
    for context in inside:
        weights, kind = [next(data) % 7 for _ in range(V)], next(data)
        own = p[context] if kind % 5 == 0 else _row(weights)
        q[context] = np.eye(V)[int(np.argmax(weights))] if certain else own
    return World(k, p, q, certain)


def plain_world(k: int, seed: int, *, certain: bool = False) -> World:
    """Return a world without zeros, ties or equal rows, on which any wrong rule shows."""
    random = np.random.default_rng(seed)
    p = {c: random.dirichlet(np.full(V, 1.5)) for c in _contexts(k)}
    q = {c: random.dirichlet(np.full(V, 1.5)) for c in _contexts(k - 1)}
    return World(k, p, {c: np.eye(V)[int(np.argmax(r))] for c, r in q.items()} if certain else q, certain)


def _contexts(length: int) -> list[Context]:
    return [c for n in range(length + 1) for c in product(range(V), repeat=n)]


def _row(weights: Sequence[int]) -> Row:
    row = np.array(weights, dtype=np.float64)
    return row / row.sum() if row.sum() else np.full(V, 1 / V)


def _steps(row: Row) -> list[float]:
    return [float(x) for x in np.cumsum(row / row.sum())]


def _float64(values: Sequence[Row] | Row) -> mx.array:
    return mx.array(np.asarray(values, dtype=np.float64), dtype=mx.float64)
