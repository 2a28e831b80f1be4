"""`draftlens self-test --distribution`: the pair's tokens held against the target's law, a wrong rule beside them."""

from __future__ import annotations

import argparse
import json
import signal
from dataclasses import asdict
from types import FrameType

from draftlens.cli.output import write
from draftlens.cli.progress import Progress
from draftlens.cli.rooms import Rooms
from draftlens.core.params import SamplingParams, SessionParams
from draftlens.core.proof import LawTest, Prove, Proving
from draftlens.core.rules import RuleId


def prove(arguments: argparse.Namespace, rooms: Rooms) -> int:
    """Prove each lossless rule on a pair; return 1 if one does not hold or the wrong rule passes."""
    progress = Progress()
    stopped: list[int] = []

    def stop(number: int, frame: FrameType | None) -> None:
        stopped.append(number)

    before = signal.signal(signal.SIGINT, stop)
    engine = None
    rows = []
    try:
        target, drafter = rooms.demo_pair(progress.stage, lambda: bool(stopped))
        engine = rooms.open_engine()
        engine.load(target, drafter, lambda event: progress.stage(event.stage, event.fraction), lambda: bool(stopped))
        for rule in (RuleId.STOCHASTIC, RuleId.SAMPLER_MATCH):

            def report(event: Proving, rule: RuleId = rule) -> None:
                progress.stage(f"Proving rule={rule}", event.done / event.total)

            params = SessionParams(SamplingParams(temperature=0.7), rule=rule)
            found = engine.prove(Prove(0, params), report, lambda: bool(stopped))
            progress.clear()
            if not arguments.json:
                write(found.own.sentence())
                write(found.wrong.sentence())
                write(found.verdict())
            rows.append(
                {"rule": str(rule), "holds": found.holds, "own": _values(found.own), "wrong": _values(found.wrong)}
            )
    finally:
        progress.clear()
        if engine is not None:
            engine.close()
        signal.signal(signal.SIGINT, before)
    failed = not all(row["holds"] for row in rows)
    if arguments.json:
        write(json.dumps({"ok": not failed, "proofs": rows}, ensure_ascii=False, indent=2))
    return int(failed)


def _values(test: LawTest) -> dict[str, object]:
    return {**asdict(test), "threshold": test.threshold, "fits": test.fits}
