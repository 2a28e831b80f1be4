"""The acceptance rules and their closed forms; nothing else decides a token's fate.

Rules are pure: all randomness is passed in, so a judgement can be replayed and enumerated. The residual draw after a
rejection is from relu(p[a] - q[a]), the bonus draw after full acceptance from p[k]. Source: Leviathan, Kalman,
Matias 2023, algorithm 1 and theorem 3.5.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import mlx.core as mx

from draftlens.core.rules import RuleId
from draftlens.engine.proposal import Dense, PointMass, Proposal
from draftlens.engine.sampling import Rows, dot, draw, over_vocabulary


@dataclass(frozen=True)
class Coins:
    """The uniforms of one judgement.

    Attributes:
        accept: [k], one accept test a proposal.
        draw: [k + 1], one draw a row.
    """

    accept: mx.array
    draw: mx.array


@dataclass(frozen=True)
class Verdict:
    """What a rule decided, as lazy device arrays.

    Attributes:
        accepted: int, how many leading proposals survive.
        next: int, the token emitted after them.
        next_p: the target probability of `next` in its row, None for a greedy rule.
        p: [k] target probabilities of the proposals, None for a greedy rule.
        q: [k] drafter probabilities of the proposals, None for deterministic ones.
        drawn: int [k + 1], the token the target took in each row, None for the stochastic rule.
    """

    accepted: mx.array
    next: mx.array
    next_p: mx.array | None
    p: mx.array | None
    q: mx.array | None
    drawn: mx.array | None

    def arrays(self) -> list[mx.array]:
        """Everything to evaluate."""
        return [a for a in (self.accepted, self.next, self.next_p, self.p, self.q, self.drawn) if a is not None]


@dataclass(frozen=True)
class ClosedForms:
    """Expected acceptance of each position, [k] each.

    Attributes:
        sum_min: sum over x of min(p, q) = 1 - TV(p, q), the ceiling for any lossless rule.
        sum_prod: sum over x of p q.
        expected: the closed form of the rule that ran.
    """

    sum_min: mx.array
    sum_prod: mx.array
    expected: mx.array

    def arrays(self) -> list[mx.array]:
        """Everything to evaluate."""
        return [self.sum_min, self.sum_prod, self.expected]


class AcceptanceRule(Protocol):
    """Decides which proposals survive."""

    id: RuleId

    def judge(self, target: Rows, proposal: Proposal, coins: Coins) -> Verdict:
        """Judge k >= 1 proposals against k + 1 target rows."""
        ...

    def closed_forms(self, target: Rows, proposal: Proposal) -> ClosedForms:
        """Return the expected acceptance of every position of the block."""
        ...


class GreedyArgmax:
    """Accept a proposal that is the target's argmax; emit the argmax. Draws nothing."""

    id = RuleId.GREEDY_ARGMAX

    def judge(self, target: Rows, proposal: Proposal, coins: Coins) -> Verdict:
        """Judge by the argmax of each row."""
        taken = mx.argmax(target.scores, axis=-1).astype(mx.int32)
        accepted = _leading(taken[:-1] == proposal.tokens)
        return Verdict(accepted, taken[accepted], None, None, None, taken)

    def closed_forms(self, target: Rows, proposal: Proposal) -> ClosedForms:
        """Both distributions are one-hot: every form is the agreement itself, 0 or 1."""
        taken = mx.argmax(target.scores[:-1], axis=-1).astype(mx.int32)
        agree = (taken == proposal.tokens).astype(mx.float32)
        return ClosedForms(agree, agree, agree)


class SamplerMatch:
    """Accept a proposal that equals a fresh draw from the target; emit the draw on both branches."""

    def __init__(self, rule_id: RuleId = RuleId.SAMPLER_MATCH) -> None:
        self.id = rule_id

    def judge(self, target: Rows, proposal: Proposal, coins: Coins) -> Verdict:
        """Judge by one target draw a row."""
        drawn = draw(target.probs, coins.draw)
        accepted = _leading(drawn[:-1] == proposal.tokens)
        p, q = _own(target, proposal)
        return Verdict(accepted, drawn[accepted], target.probs[accepted, drawn[accepted]], p, q, drawn)

    def closed_forms(self, target: Rows, proposal: Proposal) -> ClosedForms:
        """A draft and an independent draw agree with probability sum p q."""
        low, high = _min_and_prod(target, proposal)
        return ClosedForms(low, high, high)


class Stochastic:
    """Modified rejection sampling: accept iff p(t) > 0 and u q(t) <= p(t); else draw from the residual."""

    id = RuleId.STOCHASTIC

    def judge(self, target: Rows, proposal: Proposal, coins: Coins) -> Verdict:
        """Judge by one accept test a proposal and one draw in the row where the chain ends."""
        p, q = _own(target, proposal)
        bound = coins.accept if q is None else coins.accept * q
        # p > 0: with q underflowed to 0, or u exactly 0, the product alone would let in a token outside the support.
        accepted = _leading((p > 0) & (bound <= p))
        row = target.probs[accepted]
        residual = _residual(target, proposal, mx.minimum(accepted, proposal.k - 1))
        # p == q up to rounding leaves no residual mass; the draw is then from p itself, as it is after the last row.
        mass = mx.sum(residual)
        weights = mx.where((accepted < proposal.k) & (mass > 0) & mx.isfinite(mass), residual, row)
        token = draw(weights[None], coins.draw[accepted][None])[0]
        return Verdict(accepted, token, row[token], p, q, None)

    def closed_forms(self, target: Rows, proposal: Proposal) -> ClosedForms:
        """Acceptance is sum min(p, q)."""
        low, high = _min_and_prod(target, proposal)
        return ClosedForms(low, high, low)


class ArgmaxAgainstArgmax:
    """Accept a proposal that is the target's argmax at any temperature: the greedy stream, not a sample."""

    id = RuleId.ARGMAX_AGAINST_ARGMAX

    def judge(self, target: Rows, proposal: Proposal, coins: Coins) -> Verdict:
        """Judge by the argmax of each row."""
        taken = mx.argmax(target.scores, axis=-1).astype(mx.int32)
        accepted = _leading(taken[:-1] == proposal.tokens)
        p, q = _own(target, proposal)
        return Verdict(accepted, taken[accepted], target.probs[accepted, taken[accepted]], p, q, taken)

    def closed_forms(self, target: Rows, proposal: Proposal) -> ClosedForms:
        """A draft is the target's argmax with probability q(argmax p), which the other forms do not bound."""
        low, high = _min_and_prod(target, proposal)
        taken = mx.argmax(target.scores[:-1], axis=-1)
        if isinstance(proposal.distribution, Dense):
            expected = mx.take_along_axis(proposal.distribution.rows, taken[:, None], axis=-1)[:, 0]
        else:
            expected = (taken == proposal.tokens).astype(low.dtype)
        return ClosedForms(low, high, expected)


def rule_for(rule_id: RuleId) -> AcceptanceRule:
    """Return the rule of this name."""
    match rule_id:
        case RuleId.GREEDY_ARGMAX:
            return GreedyArgmax()
        case RuleId.STOCHASTIC:
            return Stochastic()
        case RuleId.ARGMAX_AGAINST_ARGMAX:
            return ArgmaxAgainstArgmax()
        case RuleId.SAMPLER_MATCH | RuleId.SAMPLER_MATCH_NO_Q:
            return SamplerMatch(rule_id)


def _leading(survives: mx.array) -> mx.array:
    """Length of the leading run of True in [k]."""
    return mx.sum(mx.cumprod(survives.astype(mx.int32)))


def _own(target: Rows, proposal: Proposal) -> tuple[mx.array, mx.array | None]:
    """p and q of the proposals themselves; q is None for a point mass, where it is 1."""
    at = proposal.tokens[:, None]
    p = mx.take_along_axis(target.probs[:-1], at, axis=-1)[:, 0]
    if isinstance(proposal.distribution, PointMass):
        return p, None
    return p, mx.take_along_axis(proposal.distribution.rows, at, axis=-1)[:, 0]


def _residual(target: Rows, proposal: Proposal, index: mx.array) -> mx.array:
    """relu(p - q) of row `index` < k; a point mass takes away its own token."""
    if isinstance(proposal.distribution, Dense):
        return target.beyond(proposal.distribution.rows)[index]
    row = target.probs[index]
    return mx.where(mx.arange(row.shape[0]) == proposal.tokens[index], 0, row)


def _min_and_prod(target: Rows, proposal: Proposal) -> tuple[mx.array, mx.array]:
    """sum min(p, q) = 1 - sum relu(p - q), and sum p q."""
    if isinstance(proposal.distribution, PointMass):
        own, _ = _own(target, proposal)
        return own, own
    q = proposal.distribution.rows
    low = mx.maximum(1 - over_vocabulary(mx.sum, target.beyond(q)), 0)
    return low, dot(target.probs[:-1], q)
