"""The command line: argument parsing and printing only; what does the work is passed in."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from draftlens.cli.rooms import Rooms
from draftlens.core.errors import INTERRUPTED, DraftlensError
from draftlens.core.events import Cancelled


def run_cli(argv: Sequence[str], rooms: Rooms) -> int:
    """Run one subcommand and return the exit code: 0, 1 for a failed run, 2 for bad input, 130 when interrupted."""
    from draftlens.cli.arguments import parse

    for stream in (sys.stdout, sys.stderr):
        if stream is not None and hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")
    try:
        arguments = parse(argv)
        if arguments.command == "self-test":
            from draftlens.cli.selftest import self_test

            return self_test(arguments, rooms)
        if arguments.command == "models":
            from draftlens.cli.models import models

            return models(arguments, rooms)
        if arguments.command == "compare":
            from draftlens.cli.compare import compare

            return compare(arguments, rooms)
        from draftlens.cli.generate import generate

        return generate(arguments, rooms)
    except DraftlensError as error:
        print(f"draftlens: {error}", file=sys.stderr)
        return error.exit_code
    except (Cancelled, KeyboardInterrupt):
        # Ctrl-C before there was a reply to end: nothing was written, and a fetch leaves nothing behind.
        print("draftlens: Stopped.", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:
        # The reader went away; whatever is still buffered has nobody to go to.
        sys.stdout = None
        return 1
