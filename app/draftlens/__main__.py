"""`draftlens` opens the window; `draftlens generate` and its siblings are the command line."""

from __future__ import annotations

import sys


def main() -> int:
    """Run what the arguments ask for and return the exit code."""
    try:
        from draftlens.main import run

        return run(sys.argv[1:])
    except KeyboardInterrupt:
        # Before a command could take it, while Python still reads the program.
        sys.stderr.write("draftlens: Stopped.\n")
        return 130


if __name__ == "__main__":
    sys.exit(main())
