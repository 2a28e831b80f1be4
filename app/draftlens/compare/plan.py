"""What is to be run: prompts times seeds, each by every arm, in an order that is fair to all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from draftlens.compare.arms import FEWEST, MOST, ArmSettings
from draftlens.core.errors import UserError
from draftlens.core.params import SessionParams

MAX_SEED = 2**64 - 1


@dataclass(frozen=True)
class Prompt:
    """A prompt: chat turns as (role, content), or raw text where there are none."""

    messages: tuple[tuple[str, str], ...] = ()
    raw: str = ""

    @property
    def text(self) -> str:
        """What the person wrote."""
        return self.messages[-1][1] if self.messages else self.raw


@dataclass(frozen=True)
class Trial:
    """One prompt at one seed, run by every arm."""

    index: int
    prompt: int
    seed: int


@dataclass(frozen=True)
class Plan:
    """A comparison as it is asked for.

    Attributes:
        interleaved: arms take rounds in turn, else one runs after the other. Either way the arm that begins changes
            from trial to trial, so that none is always first.

    Raises:
        UserError: too few or too many arms, no prompt, a seed twice.
    """

    arms: tuple[ArmSettings, ...]
    prompts: tuple[Prompt, ...]
    seeds: tuple[int, ...]
    interleaved: bool = True

    def __post_init__(self) -> None:
        if not FEWEST <= len(self.arms) <= MOST:
            raise UserError(
                f"A comparison has {FEWEST} to {MOST} arms, not {len(self.arms)}.", "Add or leave out some."
            )
        if not self.prompts or not all(prompt.text.strip() for prompt in self.prompts):
            raise UserError("There is no prompt to compare on.", "Write one.")
        if not self.seeds:
            raise UserError("There is no seed to compare at.", "Give at least one.")
        if len(set(self.seeds)) < len(self.seeds):
            raise UserError("A seed is given twice; the same replies would count twice.", "Give different seeds.")

    @property
    def trials(self) -> Iterator[Trial]:
        """Every prompt at the first seed, then at the second, and so on: each prompt has a result early."""
        for s, seed in enumerate(self.seeds):
            for p in range(len(self.prompts)):
                yield Trial(s * len(self.prompts) + p, p, seed)

    @property
    def count(self) -> int:
        """Number of trials."""
        return len(self.seeds) * len(self.prompts)

    def order(self, trial: Trial) -> tuple[int, ...]:
        """The arms in the order in which they begin in a trial."""
        first = trial.index % len(self.arms)
        return (*range(first, len(self.arms)), *range(first))

    def params(self, trial: Trial, arm: int) -> SessionParams:
        """What an arm runs with in a trial; closed forms are measured, for the table needs them."""
        return replace(self.arms[arm].params, seed=trial.seed, closed_forms=True)


def seeds_from(first: int, count: int) -> tuple[int, ...]:
    """Consecutive seeds; they begin again at 0 after the largest."""
    return tuple((first + i) % (MAX_SEED + 1) for i in range(count))
