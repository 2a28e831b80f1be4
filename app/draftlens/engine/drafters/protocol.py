"""What every drafter is: propose a block, hear what became of it. A drafter owns its cache."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

from draftlens.engine.proposal import Proposal


class Drafter(Protocol):
    """Proposes tokens for a session; the session tells it every committed token.

    Attributes:
        kind: name in records: "classic", "prompt-lookup".
        reports_q: whether proposals come with the distribution they were drawn from.
        spare: how many of the tokens that still fit are left to the target's own draw when a block is planned.
        note: why it cannot draft any more in this reply, None while it can.
        paused: the last call of `propose` returned None by the drafter's own choice.
        shadow_confirmations: how often a paused drafter found that drafting pays again.
    """

    kind: str
    reports_q: bool
    spare: int
    note: str | None
    paused: bool

    shadow_confirmations: int

    @property
    def idle(self) -> bool:
        """Whether the next `propose` will give nothing, unless the tokens to come change its mind."""
        ...

    def begin(self, prompt: Sequence[int], cancelled: Callable[[], bool]) -> None:
        """Start a reply to this prompt.

        Raises:
            Cancelled: on request, between two chunks of the prompt.
        """
        ...

    def width(self, k: int) -> int:
        """Return how many tokens it would propose at most when asked for k."""
        ...

    def propose(self, committed: Sequence[int], current: int, k: int, position: int) -> Proposal | None:
        """Propose up to k >= 1 tokens to follow, None for nothing.

        Args:
            committed: every token the target has forwarded.
            current: the newest token, emitted and not yet forwarded.
            k: the most that may be proposed.
            position: position in the reply of the first proposal.
        """
        ...

    def settle(self, accepted: Sequence[int], emitted: Sequence[int]) -> None:
        """Hear how a round ended: every round, also one without `propose`, and one that failed after it returned.

        Args:
            accepted: the proposals that became text.
            emitted: every token the reply gained, the accepted ones first.
        """
        ...
