"""The flags of `draftlens compare` beyond those of a reply, and a sentence for each that is wrong."""

from __future__ import annotations

import argparse
from pathlib import Path

from draftlens.core.errors import UserError

COMPARE = """\
Run two to four arms on the same prompts and seeds, and print what may be concluded.

An arm is written as name=value pairs: --arm rule=stochastic,k=6
Names: rule, k, drafter (draft-model, prompt-lookup, none), draft-model (a folder), draft-temp, temp, top-k, top-p,
min-p, xtc-probability, xtc-threshold, repeat-penalty, frequency-penalty, presence-penalty.
What an arm leaves out is as the flags below say. Without --arm: sampler-match and stochastic."""

COMPARE_CODES = """\
exit codes:
  0    every arm came to its end and nothing speaks against the figures
  1    an arm failed, greedy arms part without an explanation, an acceptance sits at neither closed form,
       or a file could not be written
  2    something given cannot be used
  130  stopped by Ctrl-C; what was run is kept and --resume goes on"""

SCHEDULES = ("interleaved", "one-at-a-time")
MOST_SEEDS = 10_000


def add_compare_flags(parser: argparse.ArgumentParser) -> None:
    """Add what a comparison needs beyond a reply."""
    group = parser.add_argument_group("comparison")
    group.add_argument("--arm", action="append", default=[], metavar="NAME=VALUE,…", help="an arm; two to four of them")
    group.add_argument("--seeds", type=int, metavar="N", help="repeat at N seeds from --seed on (default 1)")
    group.add_argument("--prompts", metavar="FILE", help="a set of prompts: one a line, or .json or .jsonl")
    group.add_argument(
        "--schedule",
        choices=SCHEDULES,
        help="arms take rounds in turn (default), or one runs after the other; who begins changes from trial to trial",
    )
    group.add_argument("--token", type=int, default=1, metavar="N", help="token whose law is compared over the seeds")
    group.add_argument("--json", metavar="FILE", help="write everything as JSON")
    group.add_argument("--csv", metavar="FILE", help="write one line a round as CSV")
    group.add_argument("--html", metavar="FILE", help="write a report of one page")
    group.add_argument("--resume", metavar="FILE", help="go on with a comparison that was stopped")
    group.add_argument("--show", metavar="FILE", help="print the table of a comparison, running nothing")


def check_compare(a: argparse.Namespace) -> None:
    """Refuse flags that contradict each other or are out of range.

    Raises:
        UserError: naming them.
    """
    prompts = a.prompt is not None or a.file
    kept = a.resume or a.show
    pairs = (
        (a.prompts and prompts, "--prompts and a single prompt"),
        (a.resume and a.show, "--resume and --show"),
        (kept and (a.arm or a.prompts or prompts), "--resume or --show and a new comparison"),
        (
            (a.resume or a.show) and (a.seeds or a.seed is not None or a.schedule),
            "--resume or --show and a new schedule",
        ),
        (a.prompts and a.no_chat_template and a.system, "--system and --no-chat-template"),
    )
    for both, names in pairs:
        if both:
            raise UserError(f"{names} contradict each other.", "Give one of them.")
    if a.seeds is not None and not 1 <= a.seeds <= MOST_SEEDS:
        raise UserError(f"--seeds is {a.seeds}, but must be a whole number of at least 1 and at most {MOST_SEEDS}.")
    if a.token < 1:
        raise UserError(f"--token is {a.token}, but tokens count from 1.")
    for name in ("json", "csv", "html"):
        path = getattr(a, name)
        if path is not None and not path.lower().endswith(f".{name}"):
            raise UserError(f"--{name} {path} does not end in .{name}.", f"Name a file that ends in .{name}.")
        if path is not None and not Path(path).absolute().parent.is_dir():
            # Said before hours of running, not after them.
            raise UserError(f"--{name} {path} cannot be written: its folder is not there.", "Make the folder first.")
