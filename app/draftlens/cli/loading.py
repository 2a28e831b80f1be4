"""Which models a command runs on, and their loading with what is to be said about it."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from draftlens.cli.progress import Progress
from draftlens.cli.rooms import Rooms
from draftlens.core.engine import Engine
from draftlens.core.events import Loaded, Loading
from draftlens.core.params import DrafterKind

DEMO_NOTE = "No model given: using the demo pair, SmolLM2-135M-Instruct with its small drafter."


class Interrupt:
    """Ctrl-C once ends what runs after its round; what was written stays and is reported."""

    def __init__(self) -> None:
        self.asked = False

    def __call__(self) -> bool:
        return self.asked

    @contextmanager
    def listening(self) -> Iterator[None]:
        """Take Ctrl-C instead of being ended by it; a second one ends at once."""

        def ask(*_: object) -> None:
            if self.asked:
                raise KeyboardInterrupt
            self.asked = True

        before = signal.signal(signal.SIGINT, ask)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


def folders(
    a: argparse.Namespace, drafter: DrafterKind, rooms: Rooms, progress: Progress, interrupt: Interrupt
) -> tuple[Path, Path | None]:
    """Return target and draft model folder: those given, or the demo pair's."""
    if a.model is not None:
        return rooms.find(a.model), None if a.draft_model is None else rooms.find(a.draft_model)
    print(DEMO_NOTE, file=sys.stderr)
    target, own = rooms.demo_pair(progress.stage, interrupt)
    progress.clear()
    if a.draft_model is not None:
        return target, rooms.find(a.draft_model)
    return target, own if drafter == "draft-model" else None


def load(engine: Engine, target: Path, draft: Path | None, progress: Progress, interrupt: Interrupt) -> Loaded:
    """Load both and print what is odd about them; the draft model may still be refused, as the result says."""

    told = draft is None

    def report_stage(event: Loading) -> None:
        nonlocal told
        if not told:
            # Not before the first stage: until then either folder may be refused.
            told = True
            print(f'Loading draft model from "{draft}"...', file=sys.stderr)
        progress.stage(event.stage, event.fraction)

    loaded = engine.load(target, draft, report_stage, interrupt)
    progress.clear()
    if draft is not None:
        print("Draft model loaded.", file=sys.stderr)
    for warning in loaded.warnings:
        print(f"draftlens: {warning}", file=sys.stderr)
    return loaded
