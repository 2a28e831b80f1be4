"""When prompt lookup drafts and how much: graded, gated, and the break-even floor.

A governor hears how many tokens of each drafted round were accepted and answers with a budget; 0 pauses.
"""

from __future__ import annotations

from typing import Protocol

from draftlens.core.params import LookupParams

SHADOW_CONFIRM = 2
FLOOR_SHADOW_CONFIRM = 7
NARROW = 2
WIDE_FROM = 1.5


class Governor(Protocol):
    """Decides how many tokens the next round may draft.

    Attributes:
        shadow: how many shadow tokens must match to end a pause, None if pauses end by themselves.
    """

    shadow: int | None

    @property
    def pausing(self) -> bool:
        """Whether the next budget will be 0."""
        ...

    def budget(self) -> int:
        """Return the most tokens to draft next, 0 to pause; called once a round."""
        ...

    def record(self, accepted: int) -> None:
        """Hear of a round that drafted."""
        ...

    def confirm(self) -> None:
        """A shadow lookup was right all along: draft again."""
        ...


class Always:
    """adaptive = false: the full block every round."""

    shadow: int | None = None

    pausing = False

    def __init__(self, max_draft: int) -> None:
        self._max = max_draft

    def budget(self) -> int:
        """Return the full block."""
        return self._max

    def record(self, accepted: int) -> None:
        """Learn nothing."""

    def confirm(self) -> None:
        """Nothing was paused."""


class Graded:
    """Widen and narrow with the acceptance; three empty rounds in a row pause for 4, 8, 16, then 32 rounds."""

    shadow: int | None = None
    first_pause, longest_pause, patience = 4, 32, 3

    def __init__(self, max_draft: int) -> None:
        self._max = max_draft
        self._ema = float(max_draft)
        self._empty = 0
        self._cooldown = 0
        self._next_pause = self.first_pause

    @property
    def pausing(self) -> bool:
        """Whether rounds of the pause are left."""
        return self._cooldown > 0

    def budget(self) -> int:
        """Return 2 ema + 2 within [1, max_draft], or 0 for each round of a pause."""
        if self._cooldown > 0:
            self._cooldown -= 1
            return 0
        return max(1, min(self._max, round(2 * self._ema) + 2))

    def record(self, accepted: int) -> None:
        """Halve the memory towards `accepted`; count empty rounds."""
        self._ema = 0.5 * self._ema + 0.5 * accepted
        if accepted:
            self._empty, self._next_pause = 0, self.first_pause
            return
        self._empty += 1
        if self._empty == self.patience:
            self._empty = 0
            self._cooldown = self._next_pause
            self._next_pause = min(self.longest_pause, 2 * self._next_pause)

    def confirm(self) -> None:
        """Pauses end by themselves."""


class Gated:
    """Draft two tokens until a whole narrow block is accepted, then in full; pause without an end on misses.

    A pause ends only when a shadow lookup is confirmed by the tokens that come.
    """

    shadow: int | None = SHADOW_CONFIRM
    patience = 3

    def __init__(self, max_draft: int) -> None:
        self._max = max_draft
        self._narrow = min(NARROW, max_draft)
        self._ema = 1.0
        self._drafting = True
        self._probation = True
        self._misses = 0

    @property
    def pausing(self) -> bool:
        """Whether it waits for a shadow to be right."""
        return not self._drafting

    def budget(self) -> int:
        """Return 0 while paused, the full block on a good average, else a narrow one."""
        if not self._drafting:
            return 0
        return self._max if self._ema >= WIDE_FROM else self._narrow

    def record(self, accepted: int) -> None:
        """Halve the memory towards `accepted`; a whole narrow block ends probation, a miss on probation pauses."""
        self._ema = 0.5 * self._ema + 0.5 * accepted
        if accepted >= self._narrow:
            self._probation = False
        self._misses = 0 if accepted else self._misses + 1
        if self._misses and (self._probation or self._misses >= self.patience):
            self._drafting = False

    def confirm(self) -> None:
        """Draft, on probation."""
        self._ema = 1.0
        self._drafting = True
        self._probation = True
        self._misses = 0


class Floored:
    """Gated by break-even: pause while the average drafted round emits fewer tokens than the floor.

    A narrow block could never reach the floor, so the full block is drafted. The floor alone pauses, and only after
    two drafted rounds; see docs/decisions/004-lookup-floor.md for the points the reference leaves open.
    """

    shadow: int | None = FLOOR_SHADOW_CONFIRM
    evidence = 2

    def __init__(self, max_draft: int, floor: float) -> None:
        self._max = max_draft
        self._floor = floor
        self._ema = 1.0
        self._rounds = 0
        self._low_in_a_row = 0
        self._drafting = True

    @property
    def pausing(self) -> bool:
        """Whether it waits for a shadow to be right."""
        return not self._drafting

    def budget(self) -> int:
        """Return the full block, or 0 while paused."""
        return self._max if self._drafting else 0

    def record(self, accepted: int) -> None:
        """Pause when average and latest round are both below the floor and no grace applies.

        Grace forgives one isolated round that accepted nothing, if the average of accepted tokens before it was at
        least the floor. A partial round has none, and neither has a second low round in a row.
        """
        before = self._ema
        self._ema = 0.5 * self._ema + 0.5 * accepted
        self._rounds += 1
        low = accepted + 1 < self._floor
        self._low_in_a_row = self._low_in_a_row + 1 if low else 0
        grace = accepted == 0 and self._low_in_a_row == 1 and before >= self._floor
        if low and not grace and self._rounds >= self.evidence and self._ema + 1 < self._floor:
            self._drafting = False

    def confirm(self) -> None:
        """Draft, without evidence yet."""
        self._ema = 1.0
        self._rounds = 0
        self._low_in_a_row = 0
        self._drafting = True


def governor_for(params: LookupParams) -> Governor:
    """Return the governor these parameters ask for; adaptive = false ignores policy and floor."""
    if not params.adaptive:
        return Always(params.max_draft)
    if params.policy == "graded":
        return Graded(params.max_draft)
    return Gated(params.max_draft) if params.floor is None else Floored(params.max_draft, params.floor)
