"""The classic drafter: a small model with the target's vocabulary drafts token by token, without a sync."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import mlx.core as mx

from draftlens.engine import prefix
from draftlens.engine.keys import Keys
from draftlens.engine.proposal import Dense, PointMass, Proposal
from draftlens.engine.sampling import Chain, draw
from draftlens.engine.target import DraftContext


class DraftModel:
    """Drafts with a model of its own.

    After every round the tokens in its cache plus the tokens owed (committed by the target, never fed here) are
    exactly the target's tokens. A fully accepted round leaves its last proposal owed: it was proposed but not fed.

    Args:
        context: the draft model's context; kept between replies for the prefix it holds.
        chain: the drafter's own sampling chain, over the target's vocabulary; q is what it gives.
        keys: the reply's keys.
    """

    kind = "classic"
    reports_q = True
    spare = 0
    paused = False
    idle = False
    shadow_confirmations = 0

    def __init__(self, context: DraftContext, chain: Chain, keys: Keys) -> None:
        self.context = context
        self._chain = chain
        self._keys = keys
        self._steps = 0
        self.note: str | None = None

    def begin(self, prompt: Sequence[int], cancelled: Callable[[], bool]) -> None:
        """Read the prompt but for its last token, which is fed with the first round.

        A prompt beyond the draft model's own context is not read at all: nothing will be drafted for it.
        """
        head = prompt[:-1]
        if len(prompt) >= self.context.model.context:
            return
        have = prefix.reuse(self.context, head)
        self.context.prefill(head[have:], cancelled)

    def owed(self, committed: Sequence[int]) -> list[int]:
        """Return the committed tokens this context has not been fed."""
        return list(committed[len(self.context.tokens) :])

    def width(self, k: int) -> int:
        """Return k: a draft model always has a proposal."""
        return k

    def propose(self, committed: Sequence[int], current: int, k: int, position: int) -> Proposal | None:
        """Draft k tokens without waiting for any of them; None beyond the draft model's own context.

        Raises:
            whatever the forward raises; the context is then empty and the next prompt is read anew.
        """
        model = self.context.model
        if len(committed) + k >= model.context:
            self.note = self.note or (
                f"the draft model {model.name} reads {model.context:,} tokens at most, so from token {position + 1:,} "
                "of the reply on nothing was drafted"
            )
            return None
        try:
            return self._propose(committed, current, k, position)
        except BaseException:
            self.context.reset()
            self._steps = 0
            raise

    def _propose(self, committed: Sequence[int], current: int, k: int, position: int) -> Proposal:
        logits = self.context.feed([*self.owed(committed), current])
        history = [*committed, current] if self._chain.params.needs_history else []
        gates = self._keys.uniforms("draft-gate", position, k) if self._chain.draws_gates else []
        tokens: list[mx.array] = []
        rows: list[mx.array] = []
        self._steps = 0
        for i in range(k):
            token, row = self._draw(logits, history, tokens, gates[i : i + 1], position + i)
            if mx.default_device().type == mx.DeviceType.gpu:
                # It works on this draft while the next step is built; on the CPU both want the same cores.
                mx.async_eval(token)
            tokens.append(token)
            if row is not None:
                rows.append(row)
            if i + 1 < k:
                logits = self.context.step(token)
                self._steps += 1
        block = mx.stack(tokens)
        return Proposal(block, Dense(mx.concatenate(rows)) if rows else PointMass())

    def _draw(
        self, logits: mx.array, history: list[int], drafted: list[mx.array], gate: list[float], position: int
    ) -> tuple[mx.array, mx.array | None]:
        """Return the next token (int32 scalar) and the row [1, V] it was drawn from, None if it is the argmax."""
        needed = drafted and self._chain.params.needs_history
        scores = _fit(logits[None], self._chain.vocabulary)
        rows = self._chain.rows(scores, history, mx.stack(drafted) if needed else None, gate)
        if self._chain.greedy:
            return mx.argmax(rows.scores[0]).astype(mx.int32), None
        uniform = mx.array([self._keys.uniform("draft", position)])
        return draw(rows.probs, uniform)[0], rows.probs

    def settle(self, accepted: Sequence[int], emitted: Sequence[int]) -> None:
        """Forget the drafts that were fed and did not become text."""
        self.context.settle(self._steps, accepted)
        self._steps = 0


def _fit(logits: mx.array, vocabulary: int) -> mx.array:
    """Give ids the draft model does not have no mass; columns too many are cut by the chain."""
    missing = vocabulary - logits.shape[-1]
    if missing <= 0:
        return logits
    return mx.pad(logits.astype(mx.float32), [(0, 0), (0, missing)], constant_values=mx.array(float("-inf")))
