"""`draftlens generate`: the reply on standard output, then the lines that name the rule and what it did."""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from draftlens.cli.output import write
from draftlens.cli.progress import Progress
from draftlens.cli.rooms import Rooms
from draftlens.cli.settings import read_prompt, session_params
from draftlens.cli.trace import Trace
from draftlens.core import report
from draftlens.core.engine import Engine
from draftlens.core.errors import INTERRUPTED, UserError
from draftlens.core.events import Finished, Loading, Prefill, Request, RoundDone, Started
from draftlens.core.params import DrafterKind, SessionParams
from draftlens.core.round import FinishReason, Round
from draftlens.core.rules import diagnostics_wanted
from draftlens.core.stats import RunStats

DEMO_NOTE = "No model given: using the demo pair, SmolLM2-135M-Instruct with its small drafter."


class _Interrupt:
    """Ctrl-C once ends the reply after its round; what was written stays and is reported."""

    def __init__(self) -> None:
        self.asked = False

    def __call__(self) -> bool:
        return self.asked

    @contextmanager
    def listening(self) -> Iterator[None]:
        def ask(*_: object) -> None:
            if self.asked:
                raise KeyboardInterrupt
            self.asked = True

        before = signal.signal(signal.SIGINT, ask)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


class _Reply:
    """Collects a reply's rounds and prints its text as it comes."""

    def __init__(self, *, printing: bool, progress: Progress, trace: Trace) -> None:
        self.stats = RunStats()
        self.rounds: list[Round] = []
        self.text = ""
        self._printing = printing
        self._progress = progress
        self._trace = trace

    def take(self, event: Started | Prefill | RoundDone) -> None:
        """Count an event and print what it brings."""
        if isinstance(event, Started):
            return
        if isinstance(event, Prefill):
            self._progress.prompt(event)
            self.stats.prefill(event.total, event.cached, event.ms)
            return
        self.stats.add(event.round)
        self.rounds.append(event.round)
        self._trace.add(event.round)
        self._show(event.round.text)

    def close(self, finished: Finished) -> None:
        """Print what was held back."""
        self.stats.finish = finished.reason
        self._show(finished.tail)
        if self._printing and not self.text.endswith("\n"):
            write("")

    def _show(self, text: str) -> None:
        self.text += text
        if self._printing and text:
            self._progress.clear()
            write(text, end="")


def generate(arguments: argparse.Namespace, rooms: Rooms) -> int:
    """Write one reply.

    Raises:
        DraftlensError: with the sentence to print.
    """
    drafter = _drafter_kind(arguments)
    params = session_params(arguments, os.environ, drafter)
    request = _request(arguments, params)
    interrupt, progress, trace = _Interrupt(), Progress(), Trace(os.environ)
    with interrupt.listening():
        target, draft = _folders(arguments, drafter, rooms, progress, interrupt)
        engine = rooms.open_engine()
        try:
            note = _load(engine, target, draft, progress, interrupt)
            reply = _Reply(printing=not arguments.json, progress=progress, trace=trace)
            finished = engine.reply(request, reply.take, interrupt)
        finally:
            progress.clear()
            engine.close()
    reply.close(finished)
    trace.finish(reply.stats)
    note = finished.speculation_note or note
    if arguments.json:
        settings = _settings(target, draft, params, finished)
        write(json.dumps(report.run_record(settings, reply.text, reply.rounds, reply.stats), ensure_ascii=False))
    elif drafter != "none":
        _print_lines(reply.stats, drafter, finished)
    if drafter != "none" and note is not None:
        print(f"draftlens: speculation: {note}", file=sys.stderr)
    return INTERRUPTED if finished.reason is FinishReason.STOPPED else 0


def _drafter_kind(a: argparse.Namespace) -> DrafterKind:
    if a.prompt_lookup:
        return "prompt-lookup"
    if a.no_draft or (a.model is not None and a.draft_model is None):
        return "none"
    return "draft-model"


def _request(a: argparse.Namespace, params: SessionParams) -> Request:
    prompt = read_prompt(a)
    if a.no_chat_template:
        if a.system:
            raise UserError("--system and --no-chat-template contradict each other.", "Give one of them.")
        return Request(0, params, prompt=prompt)
    system = (("system", a.system),) if a.system else ()
    return Request(0, params, messages=(*system, ("user", prompt)))


def _folders(
    a: argparse.Namespace, drafter: DrafterKind, rooms: Rooms, progress: Progress, interrupt: _Interrupt
) -> tuple[Path, Path | None]:
    if a.model is not None:
        return Path(a.model), None if a.draft_model is None else Path(a.draft_model)
    print(DEMO_NOTE, file=sys.stderr)
    target, own = rooms.demo_pair(progress.stage, interrupt)
    progress.clear()
    if a.draft_model is not None:
        return target, Path(a.draft_model)
    return target, own if drafter == "draft-model" else None


def _load(engine: Engine, target: Path, draft: Path | None, progress: Progress, interrupt: _Interrupt) -> str | None:
    """Load and return why the draft model will not be used, if it will not."""

    def report_stage(event: Loading) -> None:
        progress.stage(event.stage, event.fraction)

    if draft is not None:
        print(f'Loading draft model from "{draft}"...', file=sys.stderr)
    loaded = engine.load(target, draft, report_stage, interrupt)
    progress.clear()
    if draft is not None:
        print("Draft model loaded.", file=sys.stderr)
    for warning in loaded.warnings:
        print(f"draftlens: {warning}", file=sys.stderr)
    return loaded.drafter_refusal


def _print_lines(stats: RunStats, drafter: DrafterKind, finished: Finished) -> None:
    write(report.acceptance_line(stats))
    line = report.diagnostic_line(stats) if diagnostics_wanted(os.environ) else None
    if line is not None:
        write(line)
    if drafter == "prompt-lookup":
        write(report.lookup_line(stats, finished.shadow_confirmations))


def _settings(target: Path, draft: Path | None, params: SessionParams, finished: Finished) -> dict[str, Any]:
    return {
        "model": str(target),
        "draft_model": None if draft is None else str(draft),
        **asdict(params),
        "seed": finished.seed,
        "speculation_note": finished.speculation_note,
        "versions": {name: version(name) for name in ("draftlens", "mlx", "mlx-lm")},
    }
