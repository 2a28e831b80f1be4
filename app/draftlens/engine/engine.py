"""The engine as the thread and the command line see it: load models, run replies and comparisons."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import mlx.core as mx
from mlx_lm.utils import maybe_set_recommended_wired_limit

from draftlens.core.commands import Arm, Compare, Request
from draftlens.core.errors import UserError
from draftlens.core.events import (
    Cancelled,
    Differed,
    Finished,
    Loaded,
    Loading,
    Prefill,
    ReplyEvent,
    RoundDone,
    Started,
)
from draftlens.core.model import Folder
from draftlens.core.params import SessionParams
from draftlens.core.proof import Prove, Proved, Proving
from draftlens.engine import chat_prompt
from draftlens.engine.arms import Arms
from draftlens.engine.load import LoadedModel, load
from draftlens.engine.proof import Proof
from draftlens.engine.running import RunningReply
from draftlens.engine.target import DraftContext, Target

JudgeFolder = Callable[[Path, bool], Folder]
"""Says how to load a folder; raises UserError if it cannot stand alone. The flag: asked for as a draft model."""
JudgePair = Callable[[Path, Path], None]
"""Raises UserError if two folders do not share a vocabulary."""


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
        self._more: dict[Path, LoadedModel] = {}

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
        self._more.clear()
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
            memory_limit=_memory_limit(),
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
        running = RunningReply(loaded, context, self._draft_context, request, prompt, emit)
        for _ in running.steps(cancelled):
            pass
        return running.finished()

    def compare(
        self,
        asked: Compare,
        emit: Callable[[ReplyEvent | Loading | Differed], None],
        cancelled: Callable[[], bool],
    ) -> None:
        """Run the arms of a comparison. Unless asked to stay, the chat's own caches go: the arms need the memory.

        Raises:
            UserError: nothing is loaded, a draft model cannot be, or the template refuses the messages.
            Cancelled: before any arm began.
        """
        loaded, context = self._ready()
        prompts = [self.prompt_ids(arm.request) for arm in asked.arms]
        drafters = [self._arm_drafter(arm, emit, cancelled) for arm in asked.arms]
        used = {id(drafter) for drafter in drafters}
        self._more = {path: kept for path, kept in self._more.items() if id(kept) in used}
        if not asked.keep_chat:
            context.reset()
            if self._draft_context is not None:
                self._draft_context.reset()
        Arms(asked, loaded, drafters, prompts).run(emit, cancelled)

    def prove(self, asked: Prove, emit: Callable[[Proving], None], cancelled: Callable[[], bool]) -> Proved:
        """Hold what the loaded pair emits against the target's law; the chat's caches are left alone.

        Raises:
            UserError: nothing is loaded, nothing is drafted, or nothing is drawn.
            Cancelled: between trials.
        """
        loaded, _ = self._ready()
        return Proof(loaded, self._drafter, asked.params).run(asked.run, emit, cancelled)

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

    def unload(self) -> None:
        """Free the models."""
        self._target = self._drafter = self._context = self._draft_context = None
        self._more.clear()
        mx.clear_cache()

    def close(self) -> None:
        """Free the models and this thread's streams: a thread that ends without it can abort the process."""
        self._target = self._drafter = self._context = self._draft_context = None
        self._more.clear()
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
        report(Loading(f"Loading {folder.name}"))
        loaded = load(folder)
        if cancelled():
            raise Cancelled
        return loaded

    def _drafter_refusal(self) -> str | None:
        """Why the draft model cannot be used with this target, None if it can or there is none."""
        if self._draft_context is None or self._context is None:
            return None
        return self._draft_context.refusal or self._context.rewind_refusal

    def _arm_drafter(
        self, arm: Arm, report: Callable[[Loading], None], cancelled: Callable[[], bool]
    ) -> LoadedModel | None:
        """Return an arm's draft model: the loaded one, or its own, loaded once for all arms that name it."""
        path = arm.draft_model
        if path is None or arm.request.params.drafter != "draft-model":
            return self._drafter
        target, _ = self._ready()
        folder = self._judge_folder(path, True)
        self._judge_pair(target.info.path, path)
        known = self._drafter
        if known is None or known.info.path != folder.path:
            known = self._more.get(folder.path)
        drafter = self._read(folder, known, report, cancelled)
        if drafter is not self._drafter:
            self._more[folder.path] = drafter
        return drafter


def _memory_limit() -> int | None:
    """What Metal recommends to keep resident; the CPU has no such figure."""
    found = mx.device_info().get("max_recommended_working_set_size")
    return int(found) if found else None


def _template_warning(loaded: LoadedModel) -> tuple[str, ...]:
    if loaded.info.has_chat_template:
        return ()
    return (f"{loaded.info.name} has no chat template; the turns are written to it as plain text.",)
