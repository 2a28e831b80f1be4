"""RunStats: every figure that is reported about a reply, counted once from its rounds."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Literal

from draftlens.core.round import Fate, FinishReason, Round, Source
from draftlens.core.rules import RuleId

Z95 = 1.959963984540054
MIN_VERDICT = 100
NEARLY_EQUAL = 0.02

Tone = Literal["ok", "info", "warning", "error", "none"]


@dataclass
class Tally:
    """Tests of one position of the block: how many chains reached it, and how many went on."""

    tested: int = 0
    accepted: int = 0

    @property
    def rate(self) -> float:
        """accepted / tested. 0 without tests."""
        return self.accepted / self.tested if self.tested else 0.0

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson 95 % interval of the rate."""
        return wilson(self.accepted, self.tested)


@dataclass(frozen=True)
class Verdict:
    """The measured acceptance held against its closed form, in words."""

    sentence: str
    tone: Tone
    z: float | None = None


def wilson(successes: int, trials: int) -> tuple[float, float] | None:
    """Return the Wilson 95 % interval of a proportion, None without trials (Wilson 1927, eq. 4)."""
    if trials == 0:
        return None
    rate, z2 = successes / trials, Z95 * Z95
    centre = (rate + z2 / (2 * trials)) / (1 + z2 / trials)
    half = Z95 / (1 + z2 / trials) * math.sqrt(rate * (1 - rate) / trials + z2 / (4 * trials * trials))
    return max(0.0, centre - half), min(1.0, centre + half)


@dataclass
class RunStats:
    """Totals over the rounds of one reply (or of several, added in order).

    A *verify round* is a round with proposals; the prefill token and plain steps only add tokens.
    """

    rule: RuleId | None = None
    drafter: str = "none"
    rounds: int = 0
    proposed: int = 0
    tested: int = 0
    accepted: int = 0
    generated: int = 0
    given: int = 0
    """Tokens no forward after the prompt was needed for: the first, and a forced one."""
    plain_steps: int = 0
    paused_rounds: int = 0
    bonus: int = 0
    form_count: int = 0
    sum_min: float = 0.0
    sum_prod: float = 0.0
    expected_count: int = 0
    expected_sum: float = 0.0
    expected_variance: float = 0.0
    expected_accepted: int = 0
    prompt_tokens: int = 0
    cached_tokens: int = 0
    prompt_ms: float = 0.0
    decode_ms: float = 0.0
    draft_ms: float = 0.0
    verify_ms: float = 0.0
    judge_ms: float = 0.0
    other_ms: float = 0.0
    finish: FinishReason | None = None
    positions: list[Tally] = field(default_factory=list)
    ended: dict[int, int] = field(default_factory=dict)
    """Rounds by accepted length whose chain was ended by a rejection."""
    censored: dict[int, int] = field(default_factory=dict)
    """The same where no rejection was seen, the block or the reply being over: the length is at least this."""
    tokens_squared: int = 0
    ms_squared: float = 0.0
    tokens_ms: float = 0.0
    verify_round_ms: float = 0.0

    def prefill(self, total: int, cached: int, ms: float) -> None:
        """Set what is known of the prompt: tokens in all, tokens taken from the cache, time to the first token."""
        self.prompt_tokens, self.cached_tokens, self.prompt_ms = total - cached, cached, ms

    def add(self, round_: Round) -> None:
        """Count one more round."""
        self.generated += len(round_.emitted)
        self.finish = round_.finish or self.finish
        if round_.paused:
            self.paused_rounds += 1
        if not round_.forward:
            self.given += len(round_.emitted)
            return
        times = round_.timings
        self.decode_ms += times.total
        self.draft_ms += times.draft
        self.verify_ms += times.verify
        self.judge_ms += times.judge
        self.other_ms += times.other
        count, ms = len(round_.emitted), times.total
        self.tokens_squared += count * count
        self.ms_squared += ms * ms
        self.tokens_ms += count * ms
        if not round_.proposals:
            self.plain_steps += 1
            return
        self.rule, self.drafter = round_.rule, round_.drafter
        self.rounds += 1
        self.proposed += round_.drafted
        self.tested += round_.tested
        self.accepted += round_.accepted
        self.verify_round_ms += ms
        lengths = self.ended if round_.tested > round_.accepted else self.censored
        lengths[round_.accepted] = lengths.get(round_.accepted, 0) + 1
        if round_.next is not None and round_.next.source is Source.BONUS:
            self.bonus += 1
        for place, proposal in enumerate(round_.proposals):
            if proposal.fate is Fate.UNTESTED:
                continue
            if place == len(self.positions):
                self.positions.append(Tally())
            self.positions[place].tested += 1
            self.positions[place].accepted += proposal.fate is Fate.ACCEPTED
            if proposal.sum_min is not None and proposal.sum_prod is not None:
                self.form_count += 1
                self.sum_min += proposal.sum_min
                self.sum_prod += proposal.sum_prod
            if proposal.expected is not None:
                self.expected_count += 1
                self.expected_sum += proposal.expected
                self.expected_variance += proposal.expected * (1 - proposal.expected)
                self.expected_accepted += proposal.fate is Fate.ACCEPTED

    @property
    def per_position_acceptance(self) -> float:
        """accepted / tested: the one theory predicts. 0 without tests."""
        return self.accepted / self.tested if self.tested else 0.0

    @property
    def acceptance_rate(self) -> float:
        """accepted / proposed: moves with the block length. 0 without proposals."""
        return self.accepted / self.proposed if self.proposed else 0.0

    @property
    def mean_accepted_len(self) -> float:
        """accepted / rounds: tokens gained per target forward, without the bonus. 0 without rounds."""
        return self.accepted / self.rounds if self.rounds else 0.0

    @property
    def interval(self) -> tuple[float, float] | None:
        """Wilson 95 % interval of per_position_acceptance."""
        return wilson(self.accepted, self.tested)

    @property
    def closed_form_min(self) -> float | None:
        """Mean of sum min(p, q) over the tested positions, None if it was not computed."""
        return self.sum_min / self.form_count if self.form_count else None

    @property
    def closed_form_prod(self) -> float | None:
        """Mean of sum p q over the tested positions, None if it was not computed."""
        return self.sum_prod / self.form_count if self.form_count else None

    @property
    def expected(self) -> float | None:
        """Mean of the running rule's own closed form over the tested positions, None if it was not computed."""
        return self.expected_sum / self.expected_count if self.expected_count else None

    @property
    def decoded(self) -> int:
        """Tokens that forwards after the prompt gave."""
        return self.generated - self.given

    @property
    def forwards(self) -> int:
        """Forwards of the target after the prompt."""
        return self.rounds + self.plain_steps

    @property
    def drafts_per_forward(self) -> float | None:
        """Accepted drafts per target forward after the prompt: what tokens_per_forward is without the closing draws."""
        return self.accepted / self.forwards if self.forwards else None

    @property
    def tokens_per_forward(self) -> float | None:
        """Tokens emitted per target forward after the prompt, bonus and replacement included."""
        return self.decoded / self.forwards if self.forwards else None

    @property
    def tokens_per_second(self) -> float | None:
        """Decode speed: tokens after the first per second of rounds."""
        return 1000 * self.decoded / self.decode_ms if self.decode_ms and self.decoded else None

    @property
    def speed_error(self) -> float | None:
        """Relative standard error of the decode speed, rounds being the sample (a ratio of two sums), None below 3."""
        n, tokens = self.forwards, self.decoded
        if n < 3 or tokens <= 0 or not self.decode_ms:
            return None
        rate = tokens / self.decode_ms
        residual = self.tokens_squared - 2 * rate * self.tokens_ms + rate * rate * self.ms_squared
        return math.sqrt(max(0.0, residual) * n / (n - 1)) / tokens

    @property
    def z(self) -> float | None:
        """(accepted - sum b) / sqrt(sum b(1 - b)) over tested positions, b the running rule's closed form."""
        if self.expected_count == 0 or self.expected_variance <= 1e-12:
            return None
        return (self.expected_accepted - self.expected_sum) / math.sqrt(self.expected_variance)

    def verdict(self) -> Verdict:
        """Say whether the measured acceptance sits where the rule predicts."""
        if self.tested == 0 or self.rule is None:
            return Verdict("No verify round ran.", "none")
        if self.rule is RuleId.GREEDY_ARGMAX:
            return Verdict("Greedy draws nothing; acceptance is agreement with the argmax.", "none")
        if self.rule is RuleId.ARGMAX_AGAINST_ARGMAX:
            own = "" if self.expected is None else f" It expects q(argmax p) = {self.expected:.4f}."
            return Verdict(f"Biased above temperature 0: the closed forms do not bound it.{own}", "warning")
        low, high = self.closed_form_prod, self.closed_form_min
        if low is None or high is None:
            return Verdict("Closed forms are off for this reply.", "none")
        if high < low - 1e-6:
            return Verdict("sum_min is below sum_prod, which cannot happen. p or q is wrong.", "error")
        if self.tested < MIN_VERDICT or self.z is None:
            return Verdict(f"measuring, n = {self.tested}", "none")
        own, other = ("sum_min", "sum_prod") if self.rule is RuleId.STOCHASTIC else ("sum_prod", "sum_min")
        return self._judge(own, other, self.z, high - low)

    def _judge(self, own: str, other: str, z: float, gap: float) -> Verdict:
        figure = f"{z:.1f}".replace("-", "−")
        if abs(z) <= 3 and gap <= NEARLY_EQUAL:
            return Verdict("sum_prod and sum_min nearly coincide here; this run cannot tell the rules apart", "info", z)
        if abs(z) <= 2:
            return Verdict(f"sits at {own}, as rule={self.rule} predicts (z = {figure})", "ok", z)
        if abs(z) <= 3:
            side = "low" if z < 0 else "high"
            return Verdict(
                f"near {own}, a little {side} for rule={self.rule} (z = {figure}); more rounds will tell", "info", z
            )
        if self._fits(other):
            return Verdict(
                f"sits at {other}, but rule={self.rule} predicts {own} (z = {figure}). Check that the rule really ran.",
                "warning",
                z,
            )
        return Verdict(f"sits at neither closed form (z = {figure}). The accept test or p and q are wrong.", "error", z)

    def _fits(self, form: str) -> bool:
        """Whether the measured rate is within three standard errors of the other form's mean (pooled)."""
        mean = self.closed_form_min if form == "sum_min" else self.closed_form_prod
        if mean is None or not 0 < mean < 1:
            return False
        return abs(self.per_position_acceptance - mean) <= 3 * math.sqrt(mean * (1 - mean) / self.tested)
