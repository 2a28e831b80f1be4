"""Several replies on one target: weights shared, caches of their own, rounds in turn or one reply after the other."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import mlx.core as mx

from draftlens.core.commands import WARM_UP_TOKENS, Compare
from draftlens.core.errors import DraftlensError, UserError
from draftlens.core.events import Differed, Failed, Loading, ReplyEvent
from draftlens.core.round import Round
from draftlens.engine.exactness import first_difference
from draftlens.engine.load import LoadedModel
from draftlens.engine.running import RunningReply
from draftlens.engine.target import DraftContext, Target

LOG = logging.getLogger("draftlens.engine")

Emit = Callable[[ReplyEvent | Loading | Differed], None]


@dataclass
class _Runner:
    """One arm: its steps while it runs, its rounds for what is said of it afterwards."""

    reply: RunningReply
    steps: Iterator[Round]
    rounds: list[Round] = field(default_factory=list)
    over: bool = False


class Arms:
    """The arms of one comparison.

    Args:
        target: whose weights all arms read.
        drafters: each arm's draft model, None for none; the same model may serve several arms.
        prompts: each arm's prompt as token ids.
    """

    def __init__(
        self,
        asked: Compare,
        target: LoadedModel,
        drafters: Sequence[LoadedModel | None],
        prompts: Sequence[list[int]],
    ) -> None:
        self._asked, self._target = asked, target
        self._drafters, self._prompts = drafters, prompts

    def run(self, emit: Emit, cancelled: Callable[[], bool]) -> None:
        """Run every arm to its end or to the stop, and say where greedy arms part."""
        if self._asked.warm_up:
            emit(Loading("Warming up"))
            self._warm_up(cancelled)
        runners = [runner for i in range(len(self._prompts)) if (runner := self._begin(i, emit, cancelled)) is not None]
        if self._asked.interleaved:
            # A sum, not any(): every arm takes its turn.
            while sum(self._step(runner, emit) for runner in runners):
                pass
        else:
            for runner in runners:
                while self._step(runner, emit):
                    pass
        mx.clear_cache()
        if not cancelled():
            self._explain(runners, emit)

    def _contexts(self, arm: int) -> tuple[Target, DraftContext | None]:
        drafter = self._drafters[arm]
        return Target(self._target.model), None if drafter is None else DraftContext(drafter.model)

    def _begin(self, arm: int, emit: Emit, cancelled: Callable[[], bool]) -> _Runner | None:
        request = self._asked.arms[arm].request
        try:
            reply = RunningReply(self._target, *self._contexts(arm), request, self._prompts[arm], emit)
        except UserError as error:
            emit(Failed(request.run, error.sentence, error.next_step))
            return None
        return _Runner(reply, reply.steps(cancelled))

    def _step(self, runner: _Runner, emit: Emit) -> bool:
        """Run one round; return whether more may come. An arm's error ends that arm only."""
        if runner.over:
            return False
        run = runner.reply.request.run
        try:
            made = next(runner.steps, None)
            if made is not None:
                runner.rounds.append(made)
                return True
            emit(runner.reply.finished())
        except UserError as error:
            emit(Failed(run, error.sentence, error.next_step))
        except DraftlensError:
            raise
        except Exception as error:
            LOG.exception("an arm of a comparison failed")
            words = str(error).strip().partition("\n")[0].rstrip(" .") or type(error).__name__
            emit(Failed(run, f"This arm failed: {words}.", "The log has the details."))
        runner.over = True
        return False

    def _warm_up(self, cancelled: Callable[[], bool]) -> None:
        """Run the first rounds of every arm unheard; what is wrong with one will be said when it begins."""
        for arm in range(len(self._prompts)):
            request = self._asked.arms[arm].request
            short = replace(request, params=replace(request.params, max_tokens=WARM_UP_TOKENS))
            try:
                reply = RunningReply(self._target, *self._contexts(arm), short, self._prompts[arm], lambda event: None)
                for _ in reply.steps(cancelled):
                    pass
            except UserError:
                continue

    def _explain(self, runners: Sequence[_Runner], emit: Emit) -> None:
        """Hold every greedy arm against the one of the lowest run, as far as both ran from their beginning."""
        whole = [r for r in runners if r.reply.request.params.sampling.greedy and not r.reply.request.first_round]
        whole.sort(key=lambda runner: runner.reply.request.run)
        for other in whole[1:]:
            first = whole[0]
            if first.reply.request.params.sampling != other.reply.request.params.sampling:
                continue
            found = first_difference(self._target, first.reply.prompt, first.rounds, other.rounds)
            if found is not None:
                emit(
                    Differed(
                        run=self._asked.run,
                        first=first.reply.request.run,
                        other=other.reply.request.run,
                        position=found.position,
                        tokens=found.tokens,
                        texts=(self._target.decode_all([found.tokens[0]]), self._target.decode_all([found.tokens[1]])),
                        chain=found.chain,
                        first_block=found.blocks[0],
                        other_block=found.blocks[1],
                        explained=found.explained,
                    )
                )
