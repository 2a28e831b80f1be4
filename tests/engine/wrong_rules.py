"""Rules that look right and are not: every test of losslessness has to reject each of them."""

from __future__ import annotations

from dataclasses import replace

import mlx.core as mx

from draftlens.core.rules import RuleId
from draftlens.engine.proposal import Dense, Proposal
from draftlens.engine.rules import ClosedForms, Coins, Stochastic, Verdict
from draftlens.engine.sampling import Rows, draw


class _Wrong:
    """Says it is the stochastic rule; subclasses spoil one step of it."""

    id = RuleId.STOCHASTIC

    def judge(self, target: Rows, proposal: Proposal, coins: Coins) -> Verdict:
        raise NotImplementedError

    def closed_forms(self, target: Rows, proposal: Proposal) -> ClosedForms:
        return Stochastic().closed_forms(target, proposal)


class ResampleFromP(_Wrong):
    """Draws from p after a rejection: rejected tokens come back."""

    def judge(self, target: Rows, proposal: Proposal, coins: Coins) -> Verdict:
        right = Stochastic().judge(target, proposal, coins)
        at = right.accepted
        return replace(right, next=draw(target.probs[at][None], coins.draw[at][None])[0])


class ArgmaxEmission(_Wrong):
    """Emits the argmax of p after a rejection."""

    def judge(self, target: Rows, proposal: Proposal, coins: Coins) -> Verdict:
        right = Stochastic().judge(target, proposal, coins)
        top = mx.argmax(target.probs[right.accepted]).astype(mx.int32)
        return replace(right, next=mx.where(right.accepted < proposal.k, top, right.next))


class ReusedUniform(_Wrong):
    """Draws the residual with the uniform that rejected: it is known to lie above p/q."""

    def judge(self, target: Rows, proposal: Proposal, coins: Coins) -> Verdict:
        return Stochastic().judge(
            target, proposal, Coins(coins.accept, mx.concatenate([coins.accept, coins.draw[-1:]]))
        )


class SquaredUniform(_Wrong):
    """Accepts where the square of the uniform does: too often."""

    def judge(self, target: Rows, proposal: Proposal, coins: Coins) -> Verdict:
        return Stochastic().judge(target, proposal, Coins(coins.accept * coins.accept, coins.draw))


class OtherTemperature(_Wrong):
    """Tests against q at a temperature it was not drawn at."""

    def __init__(self, power: float = 0.7) -> None:
        self.power = power

    def believed(self, rows: mx.array) -> mx.array:
        raised = rows**self.power
        return raised / mx.sum(raised, axis=-1, keepdims=True)

    def judge(self, target: Rows, proposal: Proposal, coins: Coins) -> Verdict:
        assert isinstance(proposal.distribution, Dense)
        return Stochastic().judge(
            target, Proposal(proposal.tokens, Dense(self.believed(proposal.distribution.rows))), coins
        )


class DenseForCertain(_Wrong):
    """Treats a certain proposal as if it had been drawn from a spread-out q."""

    def judge(self, target: Rows, proposal: Proposal, coins: Coins) -> Verdict:
        spread = mx.full((proposal.k, target.probs.shape[-1]), 1 / target.probs.shape[-1], dtype=target.probs.dtype)
        return Stochastic().judge(target, Proposal(proposal.tokens, Dense(spread)), coins)
