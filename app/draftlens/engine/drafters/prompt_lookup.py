"""Prompt lookup: propose what followed the same words earlier in the context. No model, no cost but the verify."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import mlx.core as mx

from draftlens.core.params import LookupParams
from draftlens.engine.drafters.governor import governor_for
from draftlens.engine.drafters.lookup_index import LookupIndex
from draftlens.engine.proposal import PointMass, Proposal


class PromptLookup:
    """Drafts from the context itself; a governor pauses it where that does not pay.

    While paused it goes on looking things up in the shadow, without proposing them; enough right shadow tokens
    end a pause of the gated policy.
    """

    kind = "prompt-lookup"
    reports_q = False
    """A looked-up token was not drawn from anything; as a point mass, sampler-match is already optimal for it."""

    spare = 1
    note: str | None = None

    def __init__(self, params: LookupParams) -> None:
        self._params = params
        self._governor = governor_for(params)
        self._index = LookupIndex(params.ngram_min, params.ngram_max)
        self._shadow: list[int] = []
        self._drafted: list[int] = []
        self.paused = False
        self.shadow_confirmations = 0

    @property
    def idle(self) -> bool:
        """Whether the governor is in a pause that the next round does not end by itself."""
        return self._governor.pausing

    def begin(self, prompt: Sequence[int], cancelled: Callable[[], bool]) -> None:
        """Index the prompt."""
        self._index.extend(prompt)

    def width(self, k: int) -> int:
        """Return the block it may propose: its own limit, whatever k is, so long as k is not 0."""
        return self._params.max_draft if k else 0

    def propose(self, committed: Sequence[int], current: int, k: int, position: int) -> Proposal | None:
        """Look up at most k tokens; None when paused or when nothing matches."""
        budget = self._governor.budget()
        self.paused = budget == 0
        self._drafted = []
        if self.paused:
            self._probe()
            return None
        self._drafted = self._index.find(min(budget, k))
        if not self._drafted:
            return None
        return Proposal(mx.array(self._drafted, dtype=mx.int32), PointMass())

    def _probe(self) -> None:
        """Remember a lookup of the full confirmation length, unless one is pending."""
        needed = self._governor.shadow
        if needed is None or self._shadow:
            return
        found = self._index.find(needed)
        if len(found) == needed:
            self._shadow = found

    def settle(self, accepted: Sequence[int], emitted: Sequence[int]) -> None:
        """Tell the governor of a drafted round, compare a pending shadow, and learn the new tokens."""
        if self._drafted:
            self._governor.record(len(accepted))
        self._drafted = []
        self._compare(emitted)
        self._index.extend(emitted)

    def _compare(self, emitted: Sequence[int]) -> None:
        for token in emitted:
            if not self._shadow:
                return
            if self._shadow.pop(0) != token:
                self._shadow = []
            elif not self._shadow:
                self.shadow_confirmations += 1
                self._governor.confirm()
