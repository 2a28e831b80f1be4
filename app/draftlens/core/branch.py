"""The rounds that a reply keeps when it is branched: all before the chosen place, the last cut there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from draftlens.core.round import Round


def kept_rounds(rounds: Sequence[Round], row: int, slot: int) -> tuple[Round, ...]:
    """Return the rounds that stay when another token is put at a position.

    Of the round that is cut, every test that was made up to the position stays, the one at it too: it happened,
    whatever is put in its place, and leaving it out would spoil the figures. A round without proposals goes whole.

    Args:
        row: index of the round.
        slot: position in it, proposals first, then the draw after the last of them.
    """
    kept = list(rounds[:row])
    made = rounds[row]
    if made.proposals:
        cut = replace(
            made,
            proposals=made.proposals[: slot + 1],
            emitted=made.emitted[:slot],
            next=None,
            next_candidates=None,
            finish=None,
        )
        kept.append(cut)
    if kept:
        # What was held back as the possible beginning of a stop string is shown: the text goes on from here.
        shown = sum(len(r.text) for r in kept[:-1])
        whole = "".join(token.text for r in kept for token in r.emitted)
        kept[-1] = replace(kept[-1], text=whole[shown:], finish=None)
    return tuple(kept)
