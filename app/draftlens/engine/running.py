"""One reply on its way, as events: what begins, what was read, every round, and the end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace

from draftlens.core.commands import Request
from draftlens.core.events import Cancelled, Finished, Prefill, RoundDone, Started
from draftlens.core.params import SessionParams
from draftlens.core.round import FinishReason, Round
from draftlens.core.rules import RuleId
from draftlens.engine import chat_prompt
from draftlens.engine.drafters.draft_model import DraftModel
from draftlens.engine.drafters.prompt_lookup import PromptLookup
from draftlens.engine.drafters.protocol import Drafter
from draftlens.engine.keys import Keys
from draftlens.engine.load import LoadedModel
from draftlens.engine.sampling import Chain
from draftlens.engine.session import Session
from draftlens.engine.target import DraftContext, Target

_TAIL = 16
"""How many tokens at the end of a prompt are looked at for an opened thinking block."""


class RunningReply:
    """Runs a request over given contexts and tells of it.

    Args:
        loaded: the target, for its tokenizer.
        context, drafting: the caches to use; None is no draft model.
        prompt: the request's token ids.

    Raises:
        UserError: a bias names a token the model does not have.
    """

    def __init__(
        self,
        loaded: LoadedModel,
        context: Target,
        drafting: DraftContext | None,
        request: Request,
        prompt: list[int],
        emit: Callable[[Started | Prefill | RoundDone], None],
    ) -> None:
        self.request, self.prompt = request, prompt
        self._emit = emit
        self._keys = Keys(request.params.seed)
        self._drafter, self._note = choose_drafter(request.params, self._keys, context, drafting)
        self._session = Session(context, self._drafter, request.params, self._keys, loaded.decode)
        self._thinking = chat_prompt.opens_thinking(loaded.decode_all(prompt[-_TAIL:]))

    def steps(self, cancelled: Callable[[], bool]) -> Iterator[Round]:
        """Run the reply, one round at each step; a stop ends it without an error.

        Raises:
            UserError: the prompt does not fit, or a row of logits allows no token.
        """
        request, session = self.request, self._session
        total = len(self.prompt) + len(request.written) + (request.forced is not None)
        self._emit(
            Started(
                run=request.run,
                prompt_tokens=total,
                rule=session.rule.id,
                drafter="none" if self._drafter is None else self._drafter.kind,
                note=self._note,
                seed=self._keys.seed,
                thinking=self._thinking,
            )
        )
        started = time.perf_counter()

        def read(done: int) -> None:
            self._emit(Prefill(request.run, done, total, session.cached, 1000 * (time.perf_counter() - started)))

        try:
            rounds = session.rounds(self.prompt, cancelled, read, request.written, request.first_round, request.forced)
            for made in rounds:
                if made.index == request.first_round:
                    read(total)
                self._emit(RoundDone(request.run, made))
                yield made
        except Cancelled:
            session.finish = FinishReason.STOPPED

    def finished(self) -> Finished:
        """How it ended, after the last step."""
        return Finished(
            run=self.request.run,
            reason=self._session.finish or FinishReason.STOPPED,
            tail=self._session.tail(),
            shadow_confirmations=0 if self._drafter is None else self._drafter.shadow_confirmations,
            speculation_note=self._note or (None if self._drafter is None else self._drafter.note),
            seed=self._keys.seed,
        )


def choose_drafter(
    params: SessionParams, keys: Keys, context: Target, drafting: DraftContext | None
) -> tuple[Drafter | None, str | None]:
    """Return the drafter that will run, and why it is not what was asked for."""
    if params.drafter == "none":
        return None, "no drafter chosen"
    if params.k == 0:
        return None, "k is 0"
    refusal = context.rewind_refusal
    if refusal is not None:
        return None, refusal
    if params.drafter == "prompt-lookup":
        falls_back = params.rule is RuleId.STOCHASTIC and not params.sampling.greedy
        return PromptLookup(params.lookup), RuleId.SAMPLER_MATCH_NO_Q.sentence if falls_back else None
    if drafting is None:
        return None, "no draft model is loaded"
    refusal = drafting.refusal
    if refusal is not None:
        return None, refusal
    sampling = params.sampling
    if params.draft_temperature is not None:
        sampling = replace(sampling, temperature=params.draft_temperature)
    model = context.model
    return DraftModel(drafting, Chain(sampling, model.vocabulary, model.protected), keys), None
