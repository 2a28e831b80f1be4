"""`draftlens compare`: arms on the same prompts and seeds, a plain table on standard output, files for others."""

from __future__ import annotations

import argparse
import os
import sys
import time
from pathlib import Path

from draftlens.cli.compare_table import verdict_lines, write_table
from draftlens.cli.loading import Interrupt, folders, load
from draftlens.cli.progress import Progress
from draftlens.cli.rooms import Rooms
from draftlens.cli.settings import read_prompt, session_params
from draftlens.compare import export, files
from draftlens.compare.about import about, check_models
from draftlens.compare.arms import ArmSettings, parse_arm
from draftlens.compare.comparison import Comparison
from draftlens.compare.files import Journal
from draftlens.compare.plan import Plan, Prompt, seeds_from
from draftlens.compare.prompts import read_prompts
from draftlens.compare.run import TrialRun
from draftlens.compare.table import table
from draftlens.compare.verdicts import unexplained
from draftlens.core.commands import WARM_UP_TOKENS
from draftlens.core.engine import Engine
from draftlens.core.errors import INTERRUPTED, UserError
from draftlens.core.events import Differed, Loading, ReplyEvent
from draftlens.core.params import DrafterKind

_DEFAULT_ARMS = ("rule=sampler-match", "rule=stochastic")
DEFAULT_SEED = 1234


def compare(arguments: argparse.Namespace, rooms: Rooms) -> int:
    """Run, resume or show a comparison.

    Raises:
        DraftlensError: with the sentence to print.
    """
    if arguments.show:
        shown = files.read(Path(arguments.show))
        return _report(shown, arguments)
    resumed = None if arguments.resume is None else _resumed(Path(arguments.resume))
    plan = resumed.plan if resumed is not None else _plan(arguments)
    interrupt, progress = Interrupt(), Progress()
    with interrupt.listening():
        target, draft = _models(arguments, resumed, plan, rooms, progress, interrupt)
        engine = rooms.open_engine()
        try:
            loaded = load(engine, target, draft, progress, interrupt)
            if resumed is not None:
                check_models(resumed.about, loaded)
            comparison = resumed or Comparison(plan, about(loaded, WARM_UP_TOKENS))
            trouble = _run(engine, comparison, _journal(arguments, comparison, rooms), progress, interrupt)
        finally:
            progress.clear()
            engine.close()
    code = _report(comparison, arguments)
    if trouble is not None:
        raise trouble
    return INTERRUPTED if interrupt.asked else code


def _resumed(path: Path) -> Comparison:
    if path.suffix != files.SUFFIX:
        raise UserError(
            f"{path.name} is an export, which cannot be gone on with.", "Resume the .jsonl file it came from."
        )
    return files.read(path)


def _plan(a: argparse.Namespace) -> Plan:
    base = session_params(a, os.environ, _drafter_kind(a))
    arms = tuple(parse_arm(text, base) for text in a.arm or _DEFAULT_ARMS)
    _check_drafters(a, arms)
    texts = read_prompts(Path(a.prompts)) if a.prompts else (read_prompt(a),)
    if a.no_chat_template:
        if a.system:
            raise UserError("--system and --no-chat-template contradict each other.", "Give one of them.")
        prompts = tuple(Prompt(raw=text) for text in texts)
    else:
        system = (("system", a.system),) if a.system else ()
        prompts = tuple(Prompt(messages=(*system, ("user", text))) for text in texts)
    first = DEFAULT_SEED if a.seed is None else a.seed
    return Plan(arms, prompts, seeds_from(first, a.seeds or 1), a.schedule != "one-at-a-time")


def _drafter_kind(a: argparse.Namespace) -> DrafterKind:
    """With a target and no draft model the arms look up in the prompt: without a drafter no rule would run."""
    if a.no_draft:
        return "none"
    return "prompt-lookup" if a.prompt_lookup or (a.model is not None and a.draft_model is None) else "draft-model"


def _check_drafters(a: argparse.Namespace, arms: tuple[ArmSettings, ...]) -> None:
    for text, arm in zip(a.arm, arms, strict=False):
        own = arm.draft_model is not None
        if arm.params.drafter == "draft-model" and not own and a.model is not None and a.draft_model is None:
            raise UserError(
                f"--arm {text}: no draft model is given.", "Add --draft-model FOLDER, or draft-model=FOLDER."
            )
    if a.model is not None and a.draft_model is None and not a.no_draft and not a.prompt_lookup:
        print("draftlens: no draft model given: arms that name none use prompt lookup", file=sys.stderr)


def _models(
    a: argparse.Namespace,
    resumed: Comparison | None,
    plan: Plan,
    rooms: Rooms,
    progress: Progress,
    interrupt: Interrupt,
) -> tuple[Path, Path | None]:
    kept = None if resumed is None else resumed.about.get("models")
    if a.model is None and isinstance(kept, dict) and isinstance(kept.get("target"), dict):
        target, draft = kept["target"].get("path"), kept.get("draft_model")
        return Path(str(target)), Path(str(draft["path"])) if isinstance(draft, dict) else None
    shared = any(arm.params.drafter == "draft-model" and arm.draft_model is None for arm in plan.arms)
    return folders(a, "draft-model" if shared else "none", rooms, progress, interrupt)


def _journal(a: argparse.Namespace, comparison: Comparison, rooms: Rooms) -> Journal:
    if a.resume is None:
        return Journal(files.new_path(rooms.comparisons(), comparison), comparison, new=True)
    return Journal(Path(a.resume), comparison, new=False)


def _run(
    engine: Engine, comparison: Comparison, journal: Journal, progress: Progress, interrupt: Interrupt
) -> UserError | None:
    """Run what remains; return why it had to end early, if it could not be saved."""
    print(f"Saved in {journal.path}", file=sys.stderr)
    started, before = time.monotonic(), comparison.done
    trouble: UserError | None = None
    try:
        for n, trial in enumerate(list(comparison.remaining)):
            words = f"Trial {trial.index + 1} of {comparison.plan.count}{_left(started, before, comparison.done)}"
            running = TrialRun(comparison, trial, 100 * trial.index, journal, warm_up=n == 0)

            def take(event: ReplyEvent | Loading | Differed, running: TrialRun = running, words: str = words) -> None:
                if isinstance(event, Loading):
                    progress.stage(event.stage, event.fraction)
                elif isinstance(event, Differed):
                    running.differ(event)
                else:
                    running.take(event)
                    progress.stage(words, comparison.done)

            def ended(running: TrialRun = running) -> bool:
                return interrupt() or running.trouble is not None

            engine.compare(running.command, take, ended)
            trouble = running.trouble
            if interrupt() or trouble is not None:
                break
    finally:
        try:
            journal.close()
        except UserError as error:
            trouble = trouble or error
    return trouble


def _left(started: float, before: float, done: float) -> str:
    """How long it will still take, once a share of it has shown how fast it goes."""
    share = done - before
    if share <= 0:
        return ""
    seconds = (time.monotonic() - started) / share * (1 - done)
    return f", about {seconds:.0f} s left" if seconds < 90 else f", about {seconds / 60:.0f} min left"


def _report(comparison: Comparison, a: argparse.Namespace) -> int:
    shown = table(comparison)
    write_table(shown, comparison)
    for line in verdict_lines(comparison, a.token - 1):
        print(line)
    for path in (a.json, a.csv, a.html):
        if path is not None:
            export.write(comparison, Path(path))
    failed = [reply.error for reply in comparison.replies.values() if reply.error is not None]
    for error in {error.sentence: error for error in failed}.values():
        print(f"draftlens: {error.sentence}", file=sys.stderr)
    odd = any(stats.verdict().tone == "error" for stats in shown.totals)
    return 1 if failed or odd or unexplained(comparison) else 0
