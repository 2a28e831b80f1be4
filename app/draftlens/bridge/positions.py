"""One position of a round in words: what was drafted, how it was judged, what was emitted, and the odds around it."""

from __future__ import annotations

from dataclasses import dataclass

from draftlens.bridge import figures
from draftlens.bridge.selection import closing, slots
from draftlens.core.round import Candidates, Emitted, Fate, Proposed, Round, Source
from draftlens.core.rules import RuleId

_MATCHES = (RuleId.SAMPLER_MATCH, RuleId.SAMPLER_MATCH_NO_Q)


@dataclass(frozen=True)
class Odds:
    """One candidate: how it is written, its probabilities, and what became of it here."""

    token: int
    text: str
    p: float
    q: float | None
    mark: Fate | Source | None


@dataclass(frozen=True)
class Position:
    """A position as the inspector shows it; see `Selection` for what a slot is."""

    round: Round
    slot: int

    @property
    def proposal(self) -> Proposed | None:
        """What was drafted here, None after the last draft or where nothing was drafted."""
        return self.round.proposals[self.slot] if self.slot < len(self.round.proposals) else None

    @property
    def draw(self) -> Emitted | None:
        """What was drawn here, None where the draft was kept or never tested."""
        return self.round.next if self.round.next is not None and self.slot == self.round.accepted else None

    @property
    def candidates(self) -> Candidates | None:
        """The row's likeliest tokens, None where no snapshot was kept."""
        if self.proposal is not None and self.proposal.candidates is not None:
            return self.proposal.candidates
        return self.round.next_candidates if self.draw is not None else None

    @property
    def emitted(self) -> Emitted | None:
        """The token of the text that came from here."""
        return self.round.emitted[self.slot] if self.slot < len(self.round.emitted) else None

    @property
    def title(self) -> str:
        """Where this is."""
        start = f"Round {self.round.index}"
        if self.proposal is not None:
            return f"{start}, position {self.slot + 1} of {len(self.round.proposals)}"
        if self.round.proposals:
            return f"{start}, after {figures.counted(len(self.round.proposals), 'draft')}"
        source = None if self.draw is None else self.draw.source
        names = {Source.PREFILL: "first token", Source.FORCED: "your choice"}
        return f"{start}, {names.get(source, 'plain step') if source is not None else 'plain step'}"

    @property
    def drafted_text(self) -> str:
        """The drafted token, its white space shown."""
        return "" if self.proposal is None else figures.token(self.proposal.text)

    @property
    def drawn_text(self) -> str:
        """The drawn token, its white space shown."""
        draw, seen = self.draw, self.candidates
        if draw is None:
            return ""
        if draw.text:
            return figures.token(draw.text)
        if seen is not None and draw.token in seen.tokens:
            text = seen.text(seen.tokens.index(draw.token))
            if text:
                return figures.token(text)
        return "end of text" if self.emitted is None else "part of a character"

    @property
    def ratio(self) -> float | None:
        """p/q of the draft, infinite where q is 0; None where it was not tested."""
        proposal = self.proposal
        if proposal is None or proposal.p is None or proposal.q is None:
            return None
        return proposal.p / proposal.q if proposal.q > 0 else float("inf")

    @property
    def residual_share(self) -> float | None:
        """What normalize(relu(p − q)) holds of the drawn token, None where the snapshot does not tell."""
        draw, proposal, seen = self.draw, self.proposal, self.candidates
        if draw is None or proposal is None or proposal.sum_min is None or seen is None or seen.q is None:
            return None
        if draw.token not in seen.tokens or proposal.sum_min >= 1:
            return None
        place = seen.tokens.index(draw.token)
        share = max(0.0, seen.p[place] - seen.q[place]) / (1 - proposal.sum_min)
        return min(1.0, share)

    def odds(self, count: int) -> tuple[Odds, ...]:
        """The likeliest candidates, those drafted or drawn here always among them."""
        seen = self.candidates
        if seen is None:
            return ()
        own = {}
        if self.draw is not None:
            own[self.draw.token] = self.draw.source
        marks: dict[int, Fate | Source] = {}
        if self.proposal is not None:
            marks[self.proposal.token] = self.proposal.fate
        marks |= own
        places = list(range(min(count, len(seen.tokens))))
        late = [i for i in range(len(places), len(seen.tokens)) if seen.tokens[i] in marks]
        places[len(places) - len(late) :] = late
        return tuple(
            Odds(
                seen.tokens[i],
                figures.token(seen.text(i)) or f"#{seen.tokens[i]}",
                seen.p[i],
                None if seen.q is None else seen.q[i],
                marks.get(seen.tokens[i]),
            )
            for i in places
        )

    def sentence(self) -> str:
        """Why the token is there: outcome, comparison, consequence."""
        proposal = self.proposal
        if proposal is None:
            return self._free()
        if proposal.fate is Fate.UNTESTED:
            ended = closing(self.round) + 1
            by = "chain" if self.round.next is not None else "reply"
            return f"Not tested: the {by} ended at position {ended}."
        rule = self.round.rule
        if rule in _MATCHES:
            return self._matched(proposal)
        if not rule.lossless or rule is RuleId.GREEDY_ARGMAX:
            return self._argmax(proposal)
        return self._tested(proposal)

    def comparison(self) -> str:
        """The accept test as a formula that is true or false, empty where there is none."""
        proposal = self.proposal
        if proposal is None or proposal.fate is Fate.UNTESTED:
            return ""
        held = "true" if proposal.fate is Fate.ACCEPTED else "false"
        if proposal.u is not None and proposal.q is not None and proposal.p is not None:
            left, right = apart(proposal.u * proposal.q, proposal.p)
            if proposal.p == 0:
                return f"p(t) > 0: {right} > 0 is {held}"
            return f"u·q(t) ≤ p(t): {left} ≤ {right} is {held}"
        other = "argmax p" if self.round.rule not in _MATCHES else "target’s draw"
        return f"draft = {other} is {held}"

    def _free(self) -> str:
        greedy = self.round.rule in (RuleId.GREEDY_ARGMAX, RuleId.ARGMAX_AGAINST_ARGMAX)
        what = "the target’s argmax" if greedy else "a free draw from p"
        draw = self.draw
        if draw is None:
            return "Nothing was drawn here: the reply ended before."
        if draw.source is Source.FORCED:
            return f"Your choice: the reply was branched here with “{self.drawn_text}”."
        if draw.source is Source.PREFILL:
            return f"The first token after the prompt: nothing was drafted yet, so it is {what}."
        if not self.round.proposals:
            why = "the drafter paused" if self.round.paused else "nothing was drafted"
            return f"A plain step: {why}, so this token is {what}."
        count = len(self.round.proposals)
        drafts = "The draft was" if count == 1 else f"All {count} drafts were"
        return f"{drafts} accepted; this token is {what}."

    def _tested(self, proposal: Proposed) -> str:
        ratio = self.ratio
        if proposal.p == 0:
            return "Rejected because p(t) is 0: the target’s filters exclude this token."
        if ratio is None or proposal.u is None:
            return "Accepted." if proposal.fate is Fate.ACCEPTED else "Rejected."
        u, bound = ("", "∞") if ratio == float("inf") else apart(proposal.u, ratio)
        u = u or f"{proposal.u:.3f}"
        if proposal.fate is Fate.ACCEPTED:
            return f"Accepted because u = {u} is at or below p/q = {bound}."
        said = f"Rejected because u = {u} is above p/q = {bound}"
        if self.draw is None:
            return f"{said}; the reply was branched here."
        share = self.residual_share
        held = "" if share is None else f", where it holds {share:.3f}"
        return f"{said}; the residual normalize(relu(p − q)) then drew “{self.drawn_text}”{held}."

    def _matched(self, proposal: Proposed) -> str:
        if proposal.fate is Fate.ACCEPTED:
            return f"Accepted: the target’s own draw is the same token, “{self.drafted_text}”."
        if self.draw is None:
            return f"Rejected: the target drew another token than “{self.drafted_text}”; the reply was branched here."
        return f"Rejected: the target drew “{self.drawn_text}”, not “{self.drafted_text}”; the draw is emitted."

    def _argmax(self, proposal: Proposed) -> str:
        whatever = "" if self.round.rule is RuleId.GREEDY_ARGMAX else ", whatever the temperature"
        if proposal.fate is Fate.ACCEPTED:
            return f"Accepted: the draft is the target’s argmax{whatever}."
        if self.draw is None:
            return "Rejected: the draft is not the target’s argmax; the reply was branched here."
        return (
            f"Rejected: the target’s argmax is “{self.drawn_text}”, not “{self.drafted_text}”; "
            f"the argmax is emitted{whatever}."
        )


def position_of(round_: Round, slot: int) -> Position:
    """Return a position of a round; a slot beyond its last is its last."""
    return Position(round_, min(max(slot, 0), slots(round_) - 1))


def apart(left: float, right: float) -> tuple[str, str]:
    """Two numbers with the fewest decimals, from three on, that still show which is larger."""
    for digits in range(3, 9):
        pair = f"{left:.{digits}f}", f"{right:.{digits}f}"
        if pair[0] != pair[1] or left == right:
            return pair
    return f"{left:.3f}", f"{right:.3f}"


def popover_sentence(position: Position) -> str:
    """What the token's popover says under its name."""
    round_, proposal = position.round, position.proposal
    if proposal is None:
        place = f"Round {round_.index}. "
        return place + position.sentence()
    place = f"Round {round_.index}, position {position.slot + 1}. "
    if position.draw is not None:
        return f"{place}The drafter offered {position.drafted_text}, which was rejected."
    if proposal.fate is Fate.ACCEPTED:
        return f"{place}The drafter offered it and the target kept it."
    return place + position.sentence()


def popover_figures(position: Position) -> str:
    """The accept test in one line of figures, empty where nothing was tested."""
    proposal, ratio = position.proposal, position.ratio
    if proposal is None or ratio is None:
        draw = position.draw
        return "" if draw is None or draw.p is None else f"p {draw.p:.3f}"
    odds = f"(p {figures.probability(proposal.p)}, q {figures.probability(proposal.q)})"
    if proposal.u is None:
        return odds.strip("()")
    sign = "≤" if proposal.fate is Fate.ACCEPTED else ">"
    u, bound = (f"{proposal.u:.3f}", "∞") if ratio == float("inf") else apart(proposal.u, ratio)
    return f"u {u} {sign} p/q {bound} {odds}"
