"""The engine as the thread and the command line see it: load models, run a reply."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import mlx.core as mx
from mlx_lm.utils import maybe_set_recommended_wired_limit

from draftlens.core.errors import UserError
from draftlens.core.events import Cancelled, Finished, Folder, Loaded, Loading, Prefill, Request, RoundDone, Started
from draftlens.core.params import SessionParams
from draftlens.core.round import FinishReason
from draftlens.core.rules import RuleId
from draftlens.engine import chat_prompt
from draftlens.engine.drafters.draft_model import DraftModel
from draftlens.engine.drafters.prompt_lookup import PromptLookup
from draftlens.engine.drafters.protocol import Drafter
from draftlens.engine.keys import Keys
from draftlens.engine.load import LoadedModel, load
from draftlens.engine.sampling import Chain
from draftlens.engine.session import Session
from draftlens.engine.target import DraftContext, Target

JudgeFolder = Callable[[Path, bool], Folder]
"""Says how to load a folder; raises UserError if it cannot stand alone. The flag: asked for as a draft model."""
JudgePair = Callable[[Path, Path], None]
"""Raises UserError if two folders do not share a vocabulary."""

_TAIL = 16
"""How many tokens at the end of a prompt are looked at for an opened thinking block."""


class MlxEngine:
    """Implements core.events.Engine. Owned by one thread from construction to `close`.

    Args:
        judge_folder, judge_pair: what the library says of folders, asked before weights are read.
    """

    def __init__(self, judge_folder: JudgeFolder, judge_pair: JudgePair) -> None:
        # Weights that the system may page out make a large model crawl on Metal; elsewhere this does nothing.
        maybe_set_recommended_wired_limit()
        self._judge_folder = judge_folder
        self._judge_pair = judge_pair
        self._target: LoadedModel | None = None
        self._drafter: LoadedModel | None = None
        self._context: Target | None = None
        self._draft_context: DraftContext | None = None

    def load(
        self,
        target: Path,
        drafter: Path | None,
        report: Callable[[Loading], None],
        cancelled: Callable[[], bool],
    ) -> Loaded:
        """Load what is not loaded yet; on failure what was there before stays.

        Raises:
            UserError: a folder is refused or cannot be read.
            Cancelled: between the steps.
        """
        judged = self._judge_folder(target, False)
        judged_drafter = None if drafter is None else self._judge_folder(drafter, True)
        if drafter is not None:
            self._judge_pair(target, drafter)
        new_target = self._read(judged, self._target, report, cancelled)
        new_drafter = None if judged_drafter is None else self._read(judged_drafter, self._drafter, report, cancelled)
        if new_target is not self._target:
            self._target, self._context = new_target, Target(new_target.model)
        if new_drafter is not self._drafter:
            self._drafter = new_drafter
            self._draft_context = None if new_drafter is None else DraftContext(new_drafter.model)
        mx.clear_cache()
        return Loaded(
            target=new_target.info,
            drafter=None if new_drafter is None else new_drafter.info,
            drafter_refusal=self._drafter_refusal(),
            warnings=(
                *_template_warning(new_target),
                *judged.warnings,
                *(() if judged_drafter is None else judged_drafter.warnings),
            ),
        )

    def reply(
        self,
        request: Request,
        emit: Callable[[Started | Prefill | RoundDone], None],
        cancelled: Callable[[], bool],
    ) -> Finished:
        """Run one reply.

        Raises:
            UserError: nothing is loaded, the prompt does not fit, or a row of logits allows no token.
        """
        loaded, context = self._ready()
        prompt = self.prompt_ids(request)
        keys = Keys(request.params.seed)
        drafter, note = self._make_drafter(request.params, keys)
        session = Session(context, drafter, request.params, keys, loaded.decode)
        total = len(prompt) + len(request.written)
        emit(
            Started(
                run=request.run,
                prompt_tokens=total,
                rule=session.rule.id,
                drafter="none" if drafter is None else drafter.kind,
                note=note,
                seed=keys.seed,
                thinking=chat_prompt.opens_thinking(loaded.decode_all(prompt[-_TAIL:])),
            )
        )
        started = time.perf_counter()

        def read(done: int) -> None:
            emit(Prefill(request.run, done, total, session.cached, 1000 * (time.perf_counter() - started)))

        try:
            for made in session.rounds(prompt, cancelled, read, request.written, request.first_round):
                if made.index == request.first_round:
                    read(total)
                emit(RoundDone(request.run, made))
        except Cancelled:
            session.finish = FinishReason.STOPPED
        return Finished(
            run=request.run,
            reason=session.finish or FinishReason.STOPPED,
            tail=session.tail(),
            shadow_confirmations=0 if drafter is None else drafter.shadow_confirmations,
            speculation_note=note,
            seed=keys.seed,
        )

    def prompt_ids(self, request: Request) -> list[int]:
        """Return the token ids of a request's messages or raw prompt.

        Raises:
            UserError: nothing is loaded, or the template refuses the messages.
        """
        loaded, _ = self._ready()
        if not request.messages:
            return loaded.encode(request.prompt)
        if not loaded.info.has_chat_template:
            return loaded.encode(chat_prompt.plain(request.messages))
        return chat_prompt.render(loaded.tokenizer, request.messages)

    def count(self, messages: Sequence[tuple[str, str]]) -> tuple[int, int]:
        """Return how many tokens the rendered messages take, and the longest context.

        Raises:
            UserError: nothing is loaded, or the template refuses the messages.
        """
        ids = self.prompt_ids(Request(0, SessionParams(), tuple(messages)))
        return len(ids), self._ready()[0].model.context

    def close(self) -> None:
        """Free the models and this thread's streams: a thread that ends without it can abort the process."""
        self._target = self._drafter = self._context = self._draft_context = None
        mx.clear_cache()
        mx.clear_streams()

    def _ready(self) -> tuple[LoadedModel, Target]:
        if self._target is None or self._context is None:
            raise UserError("No model is loaded.", "Load a model first.")
        return self._target, self._context

    def _read(
        self,
        folder: Folder,
        current: LoadedModel | None,
        report: Callable[[Loading], None],
        cancelled: Callable[[], bool],
    ) -> LoadedModel:
        if current is not None and current.info.path == folder.path:
            return current
        if cancelled():
            raise Cancelled
        report(Loading(f"Loading {folder.path.name}"))
        loaded = load(folder)
        if cancelled():
            raise Cancelled
        return loaded

    def _drafter_refusal(self) -> str | None:
        """Why the draft model cannot be used with this target, None if it can or there is none."""
        if self._draft_context is None or self._context is None:
            return None
        return self._draft_context.refusal or self._context.rewind_refusal

    def _make_drafter(self, params: SessionParams, keys: Keys) -> tuple[Drafter | None, str | None]:
        """Return the drafter that will run, and why it is not what was asked for."""
        _, context = self._ready()
        if params.drafter == "none":
            return None, "no drafter chosen"
        if params.k == 0:
            return None, "k is 0"
        refusal = context.rewind_refusal
        if refusal is not None:
            return None, refusal
        if params.drafter == "prompt-lookup":
            note = RuleId.SAMPLER_MATCH_NO_Q.sentence if self._falls_back(params) else None
            return PromptLookup(params.lookup), note
        if self._draft_context is None:
            return None, "no draft model is loaded"
        refusal = self._draft_context.refusal
        if refusal is not None:
            return None, refusal
        sampling = params.sampling
        if params.draft_temperature is not None:
            sampling = replace(sampling, temperature=params.draft_temperature)
        model = context.model
        chain = Chain(sampling, model.vocabulary, model.protected)
        return DraftModel(self._draft_context, chain, keys), None

    @staticmethod
    def _falls_back(params: SessionParams) -> bool:
        return params.rule is RuleId.STOCHASTIC and not params.sampling.greedy


def _template_warning(loaded: LoadedModel) -> tuple[str, ...]:
    if loaded.info.has_chat_template:
        return ()
    return (f"{loaded.info.name} has no chat template; the turns are written to it as plain text.",)
