"""Prove it: many rounds of the loaded pair in a few short contexts, what they emit held against the target's law."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

import mlx.core as mx

from draftlens.core.errors import UserError
from draftlens.core.events import Cancelled
from draftlens.core.params import LookupParams, SessionParams
from draftlens.core.proof import LawTest, Proved, Proving
from draftlens.core.rules import RuleId
from draftlens.engine.keys import Keys
from draftlens.engine.load import LoadedModel
from draftlens.engine.proposal import Proposal
from draftlens.engine.replay import replayed
from draftlens.engine.rules import AcceptanceRule, ClosedForms, Coins, Stochastic, Verdict
from draftlens.engine.running import choose_drafter
from draftlens.engine.sampling import Rows, draw
from draftlens.engine.session import Session
from draftlens.engine.target import DraftContext, Target

SUPPORT = 4
"""Tokens a context may go on with: few, so that each is seen often."""
TRIALS = 250
"""Rounds a context and rule."""
_BLOCK = 2
"""The longest block: contexts are few then, and the second position shows whether rows are told apart."""
_EXPECTED = 5
"""Cells with less than this are joined, as Pearson's approximation asks."""
_STEP = 20
CONTEXTS = (
    "The people of the town were",
    "red blue red green red",
    "They said that they",
    "one two three one two three one two",
)
"""Open ones, where much can follow, and some that repeat themselves, so that prompt lookup has proposals too."""

Report = Callable[[Proving], None]


class ResampleFromP:
    """Stochastic, but a rejection draws from p and not from the residual: rejected tokens come back too often."""

    id = RuleId.STOCHASTIC

    def judge(self, target: Rows, proposal: Proposal, coins: Coins) -> Verdict:
        """Judge rightly, draw wrongly."""
        right = Stochastic().judge(target, proposal, coins)
        at = right.accepted
        token = draw(target.probs[at][None], coins.draw[at][None])[0]
        return replace(right, next=token, next_p=target.probs[at, token])

    def closed_forms(self, target: Rows, proposal: Proposal) -> ClosedForms:
        """Acceptance itself is right."""
        return Stochastic().closed_forms(target, proposal)


class Proof:
    """One proof over contexts of its own; what is cached for a chat is not touched.

    Args:
        params: drafter, rule and sampler as they are asked for.

    Raises:
        UserError: nothing is drafted, or nothing is drawn.
    """

    def __init__(self, target: LoadedModel, drafter: LoadedModel | None, params: SessionParams) -> None:
        if params.sampling.greedy:
            raise UserError(
                "At temperature 0 nothing is drawn, so there is no distribution to test.",
                "Set a temperature above 0.",
            )
        # One gate decides for a whole row: with it, a context would have two laws.
        sampling = replace(params.sampling, xtc_probability=0.0)
        lookup = LookupParams(ngram_min=1, max_draft=min(_BLOCK, params.lookup.max_draft), adaptive=False)
        self._params = replace(
            params,
            sampling=sampling,
            lookup=lookup,
            k=min(params.k, _BLOCK),
            stop=(),
            candidates=SUPPORT,
            closed_forms=False,
        )
        self._loaded = target
        model, read = replayed(target.model, SUPPORT)
        self._target, self._networks = Target(model), [read]
        self._drafting = None
        if drafter is not None:
            drafts, read = replayed(drafter.model, SUPPORT, read)
            self._drafting = DraftContext(drafts)
            self._networks.append(read)
        found, note = choose_drafter(self._params, Keys(0), self._target, self._drafting)
        if found is None:
            raise UserError(f"Nothing is drafted ({note}), so there is no rule to prove.", "Turn speculation on.")
        self._laws: dict[tuple[int, ...], dict[int, float]] = {}
        self._done = 0

    def run(self, run: int, report: Report, cancelled: Callable[[], bool], trials: int = TRIALS) -> Proved:
        """Test the rule that is asked for, then the wrong one.

        Raises:
            Cancelled: between trials.
        """
        prompts = [self._loaded.encode(text) for text in CONTEXTS]
        total = 2 * trials * len(prompts)

        def count() -> None:
            if cancelled():
                raise Cancelled
            self._done += 1
            if self._done % _STEP == 0 or self._done == total:
                report(Proving(run, self._done, total))

        report(Proving(run, 0, total))
        own, rule = self._test(prompts, trials, count, None)
        wrong, _ = self._test(prompts, trials, count, ResampleFromP())
        return Proved(run, rule, own, wrong)

    def _test(
        self, prompts: Sequence[list[int]], trials: int, count: Callable[[], None], rule: AcceptanceRule | None
    ) -> tuple[LawTest, RuleId]:
        seen: dict[tuple[int, ...], Counter[int]] = {}
        used = self._params.rule
        for number, prompt in enumerate(prompts):
            self._read_from(prompt)
            for trial in range(trials):
                count()
                # Named by what it is for: no two trials share a uniform, and the proof can be made again.
                keys = Keys((self._params.seed or 0) * 1_000_003 + 2 * (number * trials + trial) + (rule is not None))
                used, tokens = self._round(prompt, keys, rule)
                context = tuple(prompt)
                for token in tokens[:2]:
                    seen.setdefault(context, Counter())[token] += 1
                    context = (*context, token)
        mx.clear_cache()
        name = f"rule={used}" if rule is None else "The wrong rule “resample from p”"
        return self._held_against_laws(name, seen), used

    def _round(self, prompt: list[int], keys: Keys, rule: AcceptanceRule | None) -> tuple[RuleId, list[int]]:
        """Run one drafted round after a prompt and return the rule and what it emitted, an end of text included."""
        drafter, _ = choose_drafter(self._params, keys, self._target, self._drafting)
        session = Session(self._target, drafter, self._params, keys)
        if rule is not None:
            session.rule = rule
        # As the continuation of a reply, whose very next token is drafted already.
        made = next(session.rounds(prompt[:-1], written=prompt[-1:], first_round=1))
        tokens = [e.token for e in made.emitted]
        if made.next is not None and len(tokens) == made.accepted:
            tokens.append(made.next.token)
        return session.rule.id, tokens

    def _read_from(self, context: Sequence[int]) -> None:
        """No row before the end of this context is looked at."""
        for network in self._networks:
            network.shortest = len(context)

    def _law(self, context: tuple[int, ...]) -> dict[int, float]:
        """The target's own distribution after a context, from a plain forward."""
        if context not in self._laws:
            self._read_from(context)
            session = Session(self._target, None, replace(self._params, drafter="none"), Keys(0))
            row = next(session.rounds(list(context))).next_candidates
            assert row is not None
            mass = sum(row.p)
            self._laws[context] = {t: p / mass for t, p in zip(row.tokens, row.p, strict=True) if p > 0}
        return self._laws[context]

    def _held_against_laws(self, name: str, seen: dict[tuple[int, ...], Counter[int]]) -> LawTest:
        statistic, degrees, n, contexts = 0.0, 0, 0, 0
        for context, counts in seen.items():
            total = counts.total()
            cells = _cells(self._law(context), counts, total)
            if len(cells) < 2:
                continue
            statistic += sum((observed - expected) ** 2 / expected for observed, expected in cells)
            degrees += len(cells) - 1
            n += total
            contexts += 1
        if degrees == 0:
            raise UserError("Every context had one token only, so there is no distribution to test.",
                            "Set a higher temperature.")  # fmt: skip
        return LawTest(name, n, contexts, statistic, degrees)


def _cells(law: dict[int, float], counts: Counter[int], total: int) -> list[tuple[int, float]]:
    """Observed and expected, unlikely tokens joined; a token outside the law is a cell that no law allows."""
    outside = sum(number for token, number in counts.items() if token not in law)
    if outside:
        return [(outside, 1e-9), (total - outside, float(total))]
    cells: list[tuple[int, float]] = []
    rest_seen, rest_due = 0, 0.0
    for token, p in sorted(law.items(), key=lambda item: -item[1]):
        if p * total >= _EXPECTED:
            cells.append((counts[token], p * total))
        else:
            rest_seen, rest_due = rest_seen + counts[token], rest_due + p * total
    if rest_due >= _EXPECTED:
        cells.append((rest_seen, rest_due))
    elif rest_due > 0 and cells:
        observed, expected = cells.pop()
        cells.append((observed + rest_seen, expected + rest_due))
    return cells
