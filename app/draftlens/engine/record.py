"""From a judgement to a Round: which tokens are kept, what is shown, where the reply ends."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import mlx.core as mx

from draftlens.core.round import Candidates, Emitted, Fate, FinishReason, Proposed, Round, Source
from draftlens.core.rules import RuleId
from draftlens.engine.clock import Clock
from draftlens.engine.detokenize import StopText, TokenText
from draftlens.engine.observe import Snapshots
from draftlens.engine.proposal import Proposal
from draftlens.engine.rules import ClosedForms, Verdict


@dataclass(frozen=True)
class Judgement:
    """A verdict in plain values.

    Attributes:
        tokens: the proposals.
        accepted: how many leading proposals the rule accepts.
        next: the token after them, next_p its target probability (None when greedy).
        p, q, u, drawn, forms: per proposal, None where the rule has no such figure; drawn has k + 1.
        draws: the uniforms of the k + 1 draws, None when nothing is drawn.
        candidates: snapshots of the rows up to the one where the chain ended, empty when none are kept.
    """

    rule: RuleId
    tokens: list[int]
    accepted: int
    next: int
    next_p: float | None
    p: list[float] | None
    q: list[float] | None
    u: list[float] | None
    drawn: list[int] | None
    draws: list[float] | None
    forms: list[tuple[float, float, float]] | None
    candidates: list[Candidates]

    @staticmethod
    def read(
        rule: RuleId,
        proposal: Proposal | None,
        verdict: Verdict,
        forms: ClosedForms | None,
        seen: Snapshots | None,
        accept: list[float],
        draws: list[float],
        spell: Callable[[int], str],
    ) -> Judgement:
        """Read evaluated arrays; no further computation happens."""
        tokens: list[int] = [] if proposal is None else proposal.tokens.tolist()  # type: ignore[assignment]
        accepted = _integer(verdict.accepted)
        draws_nothing = rule in (RuleId.GREEDY_ARGMAX, RuleId.ARGMAX_AGAINST_ARGMAX)
        rows = None
        if forms is not None:
            columns = (forms.sum_min.tolist(), forms.sum_prod.tolist(), forms.expected.tolist())
            rows = [(float(a), float(b), float(c)) for a, b, c in zip(*columns, strict=True)]  # type: ignore[arg-type]
        return Judgement(
            rule=rule,
            tokens=tokens,
            accepted=accepted,
            next=_integer(verdict.next),
            next_p=None if verdict.next_p is None else _number(verdict.next_p),
            p=None if verdict.p is None else verdict.p.tolist(),  # type: ignore[arg-type]
            q=None if verdict.q is None else verdict.q.tolist(),  # type: ignore[arg-type]
            u=accept if rule is RuleId.STOCHASTIC else None,
            drawn=None if verdict.drawn is None else verdict.drawn.tolist(),  # type: ignore[arg-type]
            draws=None if draws_nothing else draws,
            forms=rows,
            candidates=[] if seen is None else seen.read(accepted, spell),
        )

    def p_of(self, index: int) -> float:
        """Target probability of a proposal; a greedy target is one-hot."""
        if self.p is not None:
            return self.p[index]
        return 1.0 if self.drawn is not None and self.drawn[index] == self.tokens[index] else 0.0

    def length(self, end_of_text: frozenset[int]) -> int:
        """Length of the block: it ends with an end-of-text proposal; what was drafted after it was never meant."""
        return next((i + 1 for i, t in enumerate(self.tokens) if t in end_of_text), len(self.tokens))

    def q_of(self, index: int) -> float:
        """Drafter probability of a proposal; a deterministic proposal has 1."""
        return 1.0 if self.q is None else self.q[index]


@dataclass(frozen=True)
class Walked:
    """How far the reply got in this round.

    Attributes:
        emitted: what the reply gained.
        kept: the accepted proposals among it, the ones the caches keep.
        accepted: accepted proposals, an accepted end of text included.
        next: the draw after the prefix, None if the reply ended inside it.
        text: characters released.
        finish: why the reply ended here, else None.
    """

    emitted: list[Emitted]
    kept: list[int]
    accepted: int
    next: Emitted | None
    text: str
    finish: FinishReason | None


def walk(
    judgement: Judgement,
    pieces: TokenText,
    stop: StopText,
    end_of_text: frozenset[int],
    *,
    room: int,
    full: FinishReason,
) -> Walked:
    """Emit accepted proposals, then the draw, until something ends the reply.

    Args:
        judgement: the rule's answer.
        pieces, stop: the reply's text so far; both advance.
        end_of_text: ids that end the reply and are never shown.
        room: how many tokens may still be emitted, >= 1.
        full: the reason when they run out.
    """
    emitted: list[Emitted] = []
    kept: list[int] = []
    text = ""
    finish: FinishReason | None = None
    accepted = 0
    following: Emitted | None = None
    for index, (token, source) in enumerate(_taken(judgement)):
        p, w = _figures(judgement, index, source)
        if source is Source.DRAFT:
            accepted += 1
        ended = token in end_of_text
        piece = "" if ended else pieces.push(token)
        made = Emitted(token, piece, source, p, w)
        if source is not Source.DRAFT:
            following = made
        if ended:
            finish = FinishReason.END_OF_TEXT
            break
        emitted.append(made)
        if source is Source.DRAFT:
            kept.append(token)
        text += stop.push(piece)
        if stop.found is not None:
            finish = FinishReason.STOP_STRING
        elif len(emitted) == room:
            finish = full
        if finish is not None:
            break
    if finish is not None:
        text += _close(pieces, stop, emitted)
    return Walked(emitted, kept, accepted, following, text, finish)


def _close(pieces: TokenText, stop: StopText, emitted: list[Emitted]) -> str:
    """Release what was held back; an unfinished character belongs to the last token."""
    rest = pieces.finish()
    if rest and emitted:
        emitted[-1] = replace(emitted[-1], text=emitted[-1].text + rest)
    return stop.push(rest) + stop.finish()


def record_round(
    judgement: Judgement,
    walked: Walked,
    *,
    index: int,
    position: int,
    context: int,
    rule: RuleId,
    drafter: str,
    paused: bool,
    clock: Clock,
    spell: Callable[[int], str],
    end_of_text: frozenset[int],
) -> Round:
    """Return the frozen record of a round."""
    following = walked.next
    if following is not None and index == 0:
        following = replace(following, source=Source.PREFILL)
    emitted = [replace(e, source=Source.PREFILL) if index == 0 else e for e in walked.emitted]
    block = judgement.tokens[: judgement.length(end_of_text)]
    proposals = tuple(_proposed(judgement, walked, i, spell) for i in range(len(block)))
    tail = judgement.candidates[judgement.accepted] if judgement.candidates and following is not None else None
    return Round(
        index=index,
        position=position,
        context=context,
        rule=rule,
        drafter=drafter,
        proposals=proposals,
        emitted=tuple(emitted),
        next=following,
        text=walked.text,
        finish=walked.finish,
        paused=paused,
        timings=clock.timings(bool(block)),
        next_candidates=tail,
    )


def _integer(value: mx.array) -> int:
    number: int = value.item()  # type: ignore[assignment]
    return number


def _number(value: mx.array) -> float:
    number: float = value.item()  # type: ignore[assignment]
    return number


def _taken(judgement: Judgement) -> list[tuple[int, Source]]:
    """The accepted proposals and the draw after them, with their sources."""
    taken = [(t, Source.DRAFT) for t in judgement.tokens[: judgement.accepted]]
    if not judgement.tokens:
        source = Source.PLAIN
    elif judgement.accepted == len(judgement.tokens):
        source = Source.BONUS
    else:
        source = Source.RESIDUAL if judgement.rule is RuleId.STOCHASTIC else Source.TARGET
    return [*taken, (judgement.next, source)]


def _figures(judgement: Judgement, index: int, source: Source) -> tuple[float | None, float | None]:
    """p of the token, and the uniform of its draw if it was drawn here."""
    greedy = judgement.rule is RuleId.GREEDY_ARGMAX
    p = 1.0 if greedy else judgement.p_of(index) if source is Source.DRAFT else judgement.next_p
    drawn = source is not Source.DRAFT or judgement.drawn is not None
    return p, judgement.draws[index] if judgement.draws is not None and drawn else None


def _proposed(judgement: Judgement, walked: Walked, index: int, spell: Callable[[int], str]) -> Proposed:
    if index < walked.accepted:
        fate = Fate.ACCEPTED
    elif index == walked.accepted and walked.next is not None:
        fate = Fate.REJECTED
    else:
        fate = Fate.UNTESTED
    token = judgement.tokens[index]
    q = judgement.q_of(index)
    if fate is Fate.UNTESTED:
        return Proposed(token, spell(token), q, None, None, None, None, None, None, fate)
    low, high, expected = judgement.forms[index] if judgement.forms is not None else (None, None, None)
    return Proposed(
        token=token,
        text=spell(token),
        q=q,
        p=judgement.p_of(index),
        u=None if judgement.u is None else judgement.u[index],
        drawn=None if judgement.drawn is None else judgement.drawn[index],
        sum_min=low,
        sum_prod=high,
        expected=expected,
        fate=fate,
        candidates=judgement.candidates[index] if judgement.candidates else None,
    )
