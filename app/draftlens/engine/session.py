"""The round loop: propose, verify, judge, commit. One reply is one session; every round is yielded as a record."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import mlx.core as mx

from draftlens.core.errors import BadRow, UserError
from draftlens.core.params import SessionParams
from draftlens.core.round import Emitted, FinishReason, Round, Source, Timings
from draftlens.core.rules import choose_rule
from draftlens.engine import prefix
from draftlens.engine.clock import Clock
from draftlens.engine.detokenize import Decode, StopText, TokenText
from draftlens.engine.drafters.protocol import Drafter
from draftlens.engine.keys import Keys
from draftlens.engine.observe import observe
from draftlens.engine.proposal import Proposal
from draftlens.engine.record import Judgement, record_round, walk
from draftlens.engine.rules import Coins, Verdict, rule_for
from draftlens.engine.sampling import Chain, Rows, check_bias, draw
from draftlens.engine.target import Ahead, Target, Transaction

_CLEAR_EVERY = 256
"""Rounds after which buffers that the allocator keeps for reuse are given back."""


class Session:
    """One reply over a target's context.

    After every round, also after a stop or an error, the target's caches hold exactly the tokens before the newest
    one, and the drafter's agree with them.

    Args:
        target: the context; what it holds of the prompt is reused.
        drafter: proposes, or None for plain decoding, which is the same loop with nothing proposed.
        params: what is asked.
        keys: the reply's uniforms; a drafter that draws shares them.
        decode: ids to text.

    Raises:
        UserError: a bias names a token the model does not have.
    """

    def __init__(
        self,
        target: Target,
        drafter: Drafter | None,
        params: SessionParams,
        keys: Keys,
        decode: Decode = lambda ids: "",
    ) -> None:
        check_bias(params.sampling, target.model.vocabulary)
        self.target = target
        self.drafter = drafter
        self.params = params
        self.rule = rule_for(
            choose_rule(
                params.rule, greedy=params.sampling.greedy, drafter_reports_q=drafter is None or drafter.reports_q
            )
        )
        self.chain = Chain(params.sampling, target.model.vocabulary, target.model.protected)
        self.emitted: list[int] = []
        self.finish: FinishReason | None = None
        self.cached = 0
        self._paused = False
        self._written = 0
        self._ahead: Ahead | None = None
        self._keys = keys
        self._decode = decode
        self._spelled: dict[int, str] = {}
        self._pieces = TokenText(decode)
        self._stop = StopText(params.stop)

    def rounds(
        self,
        prompt: Sequence[int],
        cancelled: Callable[[], bool] = lambda: False,
        prefilled: Callable[[int], None] = lambda done: None,
        written: Sequence[int] = (),
        first_round: int = 0,
        forced: int | None = None,
    ) -> Iterator[Round]:
        """Yield the rounds of the reply, or of its continuation.

        Args:
            prompt: token ids, at least one.
            cancelled: asked before every round.
            written: tokens the reply has already; draws are named by position in the whole reply, so that a reply that
                was stopped goes on as it would have.
            first_round: index of the first round, above 0 when a reply is continued.
            forced: the token that follows them whatever the models say; its round is the first.
            prefilled: called with the number of prompt tokens in the cache as reading goes on; `cached` of them were
                there before.

        Raises:
            UserError: the prompt is empty or does not fit the context.
            BadRow: a row of logits allows no token; the rounds before it stand.
            Cancelled: while the prompt is read.
        """
        prompt = [*prompt, *written, *([] if forced is None else [forced])]
        self._check(prompt)
        for token in written:
            self._pieces.push(token)
        self._written = len(written)
        choice = None
        if forced is not None:
            choice = self._force(forced, first_round, len(prompt) - 1)
            self._written, first_round = self._written + 1, first_round + 1
        if self.params.max_tokens == 0:
            self.finish = self.finish or FinishReason.LENGTH
        if self.finish is not None:
            yield from [] if choice is None else [replace(choice, finish=self.finish)]
            return
        head = prompt[:-1]
        self.cached = prefix.reuse(self.target, head)
        prefilled(self.cached)
        self.target.prefill(head[self.cached :], lambda done: prefilled(self.cached + done), cancelled)
        if self.drafter is not None:
            self.drafter.begin(prompt, cancelled)
        if choice is not None:
            yield choice
        current, index = prompt[-1], first_round
        while self.finish is None:
            if cancelled():
                self.finish = FinishReason.STOPPED
                return
            made = self._round(current, index)
            self.finish = made.finish
            if made.emitted:
                current = made.emitted[-1].token
            index += 1
            if index % _CLEAR_EVERY == 0:
                mx.clear_cache()
            yield made

    def tail(self) -> str:
        """Return the text still held back, once the rounds have ended."""
        return self._stop.push(self._pieces.finish()) + self._stop.finish()

    def _check(self, prompt: Sequence[int]) -> None:
        if not prompt:
            raise UserError("The prompt is empty.", "Write something to reply to.")
        context = self.target.model.context
        if len(prompt) >= context:
            raise UserError(
                f"The prompt has {len(prompt):,} tokens, but {self.target.model.name} reads at most {context:,}, "
                "reply included.",
                "Shorten the prompt or start a new chat.",
            )

    @property
    def _position(self) -> int:
        """Position in the whole reply of the next token."""
        return self._written + len(self.emitted)

    @property
    def _room(self) -> tuple[int, FinishReason]:
        """How many more tokens fit, and what it is called when they run out."""
        budget = self.params.max_tokens - len(self.emitted)
        held = self.target.position + 1
        room = self.target.model.context - held
        return (budget, FinishReason.LENGTH) if budget <= room else (room, FinishReason.CONTEXT)

    def _round(self, current: int, index: int) -> Round:
        clock = Clock()
        room, full = self._room
        position, context = self._position, self.target.position + 1
        proposal = self._propose(current, index, room)
        try:
            block = mx.array([current], dtype=mx.int32)
            if proposal is not None:
                mx.async_eval(proposal.tokens)
                block = mx.concatenate([block, proposal.tokens])
            ahead, self._ahead = self._ahead if proposal is None else None, None
            with self.target.verify(block, current, ahead) as transaction:
                judgement = self._judge(transaction, proposal, current, clock, last=room == 1)
                walked = walk(judgement, self._pieces, self._stop, self.target.model.end_of_text, room=room, full=full)
                transaction.commit([current, *walked.kept])
        except BaseException:
            if self.drafter is not None:
                self.drafter.settle((), ())
            raise
        tokens = [e.token for e in walked.emitted]
        self.emitted.extend(tokens)
        if self.drafter is not None:
            self.drafter.settle(walked.kept, tokens)
        return record_round(
            judgement,
            walked,
            index=index,
            position=position,
            context=context,
            rule=self.rule.id,
            drafter="none" if proposal is None or self.drafter is None else self.drafter.kind,
            paused=self._paused,
            clock=clock,
            spell=self._spell,
            end_of_text=self.target.model.end_of_text,
        )

    def _force(self, token: int, index: int, context: int) -> Round:
        """Return the round of a token that is not asked of any model."""
        ended = token in self.target.model.end_of_text
        piece = "" if ended else self._pieces.push(token)
        text = self._stop.push(piece)
        if ended or self._stop.found is not None:
            self.finish = FinishReason.END_OF_TEXT if ended else FinishReason.STOP_STRING
        made = Emitted(token, piece, Source.FORCED, None, None)
        return Round(
            index=index,
            position=self._written,
            context=context,
            rule=self.rule.id,
            drafter="none",
            proposals=(),
            emitted=() if ended else (made,),
            next=made,
            text=text,
            finish=self.finish,
            paused=False,
            timings=Timings(),
        )

    def _spell(self, token: int) -> str:
        if token not in self._spelled:
            self._spelled[token] = self._decode([token])
        return self._spelled[token]

    def _propose(self, current: int, index: int, room: int) -> Proposal | None:
        """Ask the drafter; the token after the prompt is never drafted, as there is nothing to draft from yet."""
        self._paused = False
        if self.drafter is None or index == 0:
            return None
        k = min(self.drafter.width(self.params.k), room - self.drafter.spare)
        if k < 1:
            return None
        proposal = self.drafter.propose(self.target.tokens, current, k, self._position)
        self._paused = self.drafter.paused
        return proposal

    def _judge(
        self, transaction: Transaction, proposal: Proposal | None, current: int, clock: Clock, *, last: bool
    ) -> Judgement:
        """Build rows, verdict, closed forms and snapshots as one graph, evaluate once, read the answers."""
        k = 0 if proposal is None else proposal.k
        start = self._position
        history = [*self.target.tokens, current] if self.params.sampling.needs_history else []
        gates = self._keys.uniforms("gate", start, k + 1) if self.chain.draws_gates else []
        accept = self._keys.uniforms("accept", start, k)
        draws = self._keys.uniforms("draw", start, k + 1)
        rows = self.chain.rows(transaction.logits, history, None if proposal is None else proposal.tokens, gates)
        if proposal is None:
            verdict, forms = self._plain(rows, draws[0]), None
        else:
            coins = Coins(mx.array(accept), mx.array(draws))
            verdict = self.rule.judge(rows, proposal, coins)
            forms = self.rule.closed_forms(rows, proposal) if self.params.closed_forms else None
        seen = observe(rows, proposal, verdict.next, self.params.candidates) if self.params.candidates else None
        outputs = [*verdict.arrays(), rows.peak]
        for part in (forms, seen):
            if part is not None:
                outputs.extend(part.arrays())
        plain_next = not last and proposal is None and (self.drafter is None or self.drafter.idle)
        if plain_next and self.target.looks_ahead:
            mx.async_eval(outputs)
            self._ahead = self.target.look_ahead(verdict.next)
        clock.wait(None if proposal is None else proposal.tokens, transaction.logits, outputs)
        judgement = Judgement.read(self.rule.id, proposal, verdict, forms, seen, accept, draws, self._spell)
        _check_rows(rows.peak, judgement.accepted)
        return judgement

    def _plain(self, rows: Rows, uniform: float) -> Verdict:
        """The draw of a step without proposals: argmax for the greedy rules, else one target draw."""
        zero = mx.array(0, dtype=mx.int32)
        if self.chain.greedy or not self.rule.id.lossless:
            token = mx.argmax(rows.scores[0]).astype(mx.int32)
            p = None if self.chain.greedy else rows.probs[0, token]
            return Verdict(zero, token, p, None, None, None)
        token = draw(rows.probs, mx.array([uniform]))[0]
        return Verdict(zero, token, rows.probs[0, token], None, None, None)


def _check_rows(peak: mx.array, accepted: int) -> None:
    """Refuse a tested row from which no token can be taken; rows after a rejection do not matter."""
    values: list[float] = peak.tolist()  # type: ignore[assignment]
    for value in values[: accepted + 1]:
        if value == -math.inf:
            raise BadRow("No token is allowed here: the bias bans every one.", "Remove bans from logit_bias.")
        if not math.isfinite(value):
            raise BadRow(
                "The model produced NaN instead of probabilities.",
                "Check that its files are complete, or load another quantisation of it.",
            )
