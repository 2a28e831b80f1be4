"""Prompt lookup beside plain decoding: where text repeats it must pay, where it does not it must not cost."""

from __future__ import annotations

from collections.abc import Iterator

from bench.figures import Figure, bench, median, paired, spread
from bench.models import PROSE, chat_ids, params, run, speed, tokens_of

COPY = """\
Copy this Python file exactly:

```python
import csv
import json


def read_rows(path):
    rows = []
    with open(path) as file:
        for row in csv.reader(file):
            rows.append(row)
    return rows


def write_rows(path, rows):
    with open(path, "w") as file:
        writer = csv.writer(file)
        for row in rows:
            writer.writerow(row)


def main():
    rows = read_rows("in.csv")
    write_rows("out.csv", rows)
    print(json.dumps(rows))
```"""


@bench("lookup.copy_vs_plain")
def copy_vs_plain() -> Iterator[Figure]:
    """Copying code at temperature 0: tokens a second with lookup beside without; the text must be identical."""
    ids = chat_ids(COPY)
    texts: dict[str, list[int]] = {}

    def rate(drafter: str) -> float:
        rounds = run(ids, params(0, tokens=96), drafter)
        texts[drafter] = tokens_of(rounds)
        return speed(rounds)

    ratios = paired(lambda: rate("prompt-lookup"), lambda: rate("none"))
    same = texts["prompt-lookup"] == texts["none"]
    note = f"{spread(ratios)}; text {'identical' if same else 'DIFFERS'}"
    yield Figure("lookup.copy_vs_plain", median(ratios) if same else 0.0, 1.6, True, note=note)


@bench("lookup.prose_vs_plain")
def prose_vs_plain() -> Iterator[Figure]:
    """Ordinary chat at T = 0.7: the governor keeps lookup from costing more than 3 %."""
    ids = chat_ids(PROSE)

    def rate(drafter: str) -> float:
        return speed(run(ids, params(0.7, tokens=128, seed=5), drafter))

    ratios = paired(lambda: rate("prompt-lookup"), lambda: rate("none"))
    yield Figure("lookup.prose_vs_plain", median(ratios), 0.97, True, note=spread(ratios))
