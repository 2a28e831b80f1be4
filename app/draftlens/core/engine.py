"""What the engine thread needs of an engine; every call happens on that one thread."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Protocol

from draftlens.core.commands import Compare, Request
from draftlens.core.events import Differed, Finished, Loaded, Loading, Prefill, ReplyEvent, RoundDone, Started
from draftlens.core.proof import Prove, Proved, Proving


class Engine(Protocol):
    """Loads models, writes replies, runs comparisons."""

    def load(
        self,
        target: Path,
        drafter: Path | None,
        report: Callable[[Loading], None],
        cancelled: Callable[[], bool],
    ) -> Loaded:
        """Load models.

        Raises:
            UserError: with the sentence to show.
            Cancelled: the load was cancelled.
        """
        ...

    def unload(self) -> None:
        """Give back the memory of what is loaded."""
        ...

    def reply(
        self,
        request: Request,
        emit: Callable[[Started | Prefill | RoundDone], None],
        cancelled: Callable[[], bool],
    ) -> Finished:
        """Run a reply to its end; `cancelled` is asked between rounds and between prefill chunks.

        Raises:
            UserError: with the sentence to show.
        """
        ...

    def compare(
        self,
        asked: Compare,
        emit: Callable[[ReplyEvent | Loading | Differed], None],
        cancelled: Callable[[], bool],
    ) -> None:
        """Run the arms of a comparison; an arm that fails says so and the others go on.

        Raises:
            UserError: nothing is loaded, or a draft model cannot be.
            Cancelled: before any arm began.
        """
        ...

    def prove(self, asked: Prove, emit: Callable[[Proving], None], cancelled: Callable[[], bool]) -> Proved:
        """Hold what the loaded pair emits against the target's law.

        Raises:
            UserError: with the sentence to show.
            Cancelled: it was stopped.
        """
        ...

    def count(self, messages: Sequence[tuple[str, str]]) -> tuple[int, int]:
        """Return how many tokens the rendered messages take, and the longest context.

        Raises:
            UserError: nothing is loaded, or the template refuses the messages.
        """
        ...

    def close(self) -> None:
        """Free everything MLX holds; the thread ends after it."""
        ...
