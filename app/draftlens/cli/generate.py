"""`draftlens generate`: the reply on standard output, then the lines that name the rule and what it did."""

from __future__ import annotations

import argparse
import json
import os
import sys
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path
from typing import Any

from draftlens.cli.loading import Interrupt, folders, load
from draftlens.cli.output import write
from draftlens.cli.progress import Progress
from draftlens.cli.rooms import Rooms
from draftlens.cli.settings import read_prompt, session_params
from draftlens.cli.trace import Trace
from draftlens.core import report
from draftlens.core.commands import Request
from draftlens.core.errors import INTERRUPTED, UserError
from draftlens.core.events import Finished, Prefill, RoundDone, Started
from draftlens.core.params import DrafterKind, SessionParams
from draftlens.core.round import FinishReason, Round
from draftlens.core.rules import diagnostics_wanted
from draftlens.core.stats import RunStats


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
    interrupt, progress, trace = Interrupt(), Progress(), Trace(os.environ)
    with interrupt.listening():
        target, draft = folders(arguments, drafter, rooms, progress, interrupt)
        engine = rooms.open_engine()
        try:
            note = load(engine, target, draft, progress, interrupt).drafter_refusal
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
