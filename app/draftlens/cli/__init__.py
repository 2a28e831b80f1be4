"""The command line: argument parsing and printing only; what does the work is passed in."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence

from draftlens.cli.rooms import Rooms
from draftlens.cli.trace import level
from draftlens.core.errors import INTERRUPTED, DraftlensError, UserError
from draftlens.core.events import Cancelled

_LONGEST = 240


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
    except OSError as error:
        # What no one nearer had words for: a file or folder that the system refuses.
        what = str(error.filename or "A file")[:_LONGEST]
        print(f"draftlens: {what} cannot be used: {error.strerror or type(error).__name__}.", file=sys.stderr)
        return UserError.exit_code
    except Exception as error:
        if level(os.environ) is not None:
            traceback.print_exc()
        said = str(error).strip().partition("\n")[0].rstrip(".")[:_LONGEST] or type(error).__name__
        print(f"draftlens: This failed: {said}. DRAFTLENS_LOG=debug shows where.", file=sys.stderr)
        return 1
