"""`make bench`: run every bench, or those whose name begins with the argument; one line a figure."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from bench import (  # noqa: F401  (each registers its benches)
    against_mlx_lm,
    compare,
    downloads,
    inspector,
    installed_models,
    lookup,
    rounds,
    start,
    window,
)
from bench.figures import BENCHES


def main() -> int:
    """Print the figures; 2 if no bench has that name."""
    wanted = sys.argv[1] if len(sys.argv) > 1 else ""
    chosen = [name for name in BENCHES if name.startswith(wanted) or wanted.startswith(f"{name}.")]
    if not chosen:
        print(f"No bench is called {wanted}. There are: {', '.join(BENCHES)}.", file=sys.stderr)
        return 2
    for name in chosen:
        for figure in BENCHES[name]():
            print(figure.line(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
