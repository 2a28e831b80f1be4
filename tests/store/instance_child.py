"""A program that claims a folder, says so, and waits to be killed or asked."""

from __future__ import annotations

import sys
from pathlib import Path

from draftlens.store.instance import claim


def main(folder: Path) -> None:
    """Claim, then say every request."""

    def say(word: str) -> None:
        sys.stdout.write(word + "\n")
        sys.stdout.flush()

    instance = claim(folder, lambda: say("raised"))
    say("none" if instance is None else "claimed")
    if instance is not None:
        sys.stdin.read()
        instance.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
