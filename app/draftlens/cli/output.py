"""Standard output: closed, full or gone, it ends the command with a sentence instead of a traceback."""

from __future__ import annotations

import sys

from draftlens.core.errors import UserError


def write(text: str, end: str = "\n") -> None:
    """Print at once; nothing happens if there is no standard output.

    Raises:
        UserError: it cannot take the text.
        BrokenPipeError: its reader went away.
    """
    if sys.stdout is None:
        return
    try:
        print(text, end=end, flush=True)
    except UnicodeEncodeError:
        # A name that is no text, or a terminal of another encoding: what cannot be written is spelt out.
        known = sys.stdout.encoding or "ascii"
        print(text.encode(known, "backslashreplace").decode(known), end=end, flush=True)
    except BrokenPipeError:
        raise
    except OSError as error:
        # What is still buffered cannot be written either; leaving it would fail again at exit.
        sys.stdout = None
        reason = error.strerror or type(error).__name__
        raise UserError(
            f"Standard output cannot be written: {reason}.", "Free some space or write elsewhere."
        ) from error
