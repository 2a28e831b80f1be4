"""Logits to probabilities: the one ordered chain, for drawing and for reporting, row by row.

Order: bias, repetition, frequency and presence, top-k, top-p, min-p, XTC, temperature last. Row i of a block sees the
history and the drafts before it, so that penalties act the same with every drafter and every rule.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import mlx.core as mx

from draftlens.core.errors import UserError
from draftlens.core.params import SamplingParams

_NEVER = float("-inf")
_BLOCK = 256
"""Tokens a block of a draw: one pass adds blocks up, and only one of them is looked into."""
_FOLD = 1024
"""Columns a row of the vocabulary is folded to at most before it is reduced."""


@dataclass
class Rows:
    """The effective distribution of consecutive positions.

    Attributes:
        scores: float32 [n, V], processed logits before the temperature. -inf is excluded.
        peak: float32 [n], the largest logit before the filters; not finite where no token can be taken.
        temperature: what the scores are divided by.
        top: float32 [n], the largest score, None to look for it.
    """

    scores: mx.array
    peak: mx.array
    temperature: float = 1.0
    top: mx.array | None = None
    _probs: mx.array | None = None
    _beyond: tuple[mx.array, mx.array] | None = None

    @property
    def probs(self) -> mx.array:
        """float32 [n, V]; excluded tokens are exactly 0. Built on first use: greedy rules never ask."""
        if self._probs is None:
            self._probs = softmax(self.scores, self.temperature, self.top)
        return self._probs

    def beyond(self, q: mx.array) -> mx.array:
        """relu(p - q) of the rows q [k, V] covers. Made once: the residual draw and sum_min are both read off it."""
        if self._beyond is None or self._beyond[0] is not q:
            self._beyond = q, mx.maximum(self.probs[: q.shape[0]] - q, 0)
        return self._beyond[1]

    @staticmethod
    def of_probs(probs: mx.array) -> Rows:
        """Wrap given probabilities [n, V], of any float type."""
        return Rows(mx.log(probs), mx.max(probs, axis=-1), _probs=probs)


class Chain:
    """The sampling chain of one reply, bound to a vocabulary.

    Args:
        params: validated sampling parameters.
        vocabulary: V, the number of ids that may be drawn; longer rows are cut.
        protected: ids XTC never removes (newline and the end-of-text ids).
    """

    def __init__(self, params: SamplingParams, vocabulary: int, protected: Sequence[int] = ()) -> None:
        self.params = params
        self.vocabulary = vocabulary
        self._bias = _dense_bias(params.logit_bias, vocabulary)
        self._protected = _mask(protected, vocabulary) if params.xtc_probability > 0 else None
        self._windows = max(
            params.repetition_window if params.repetition_penalty != 1.0 else 0,
            params.penalty_window if params.frequency_penalty or params.presence_penalty else 0,
        )

    @property
    def greedy(self) -> bool:
        """Whether the draw is the argmax."""
        return self.params.greedy

    @property
    def draws_gates(self) -> bool:
        """Whether a position needs a uniform for XTC."""
        return self.params.xtc_probability > 0 and not self.greedy

    def rows(
        self,
        logits: mx.array,
        history: Sequence[int] = (),
        drafts: mx.array | None = None,
        gates: Sequence[float] = (),
    ) -> Rows:
        """Return the distributions of n consecutive positions.

        Args:
            logits: [n, >= V] of any float type.
            history: every token before the first position, prompt included.
            drafts: int [m >= n - 1], the tokens between history and the last row; the last row sees them all, each
                earlier row one less.
            gates: one XTC uniform a row, if `draws_gates`.
        """
        scores = logits[:, : self.vocabulary].astype(mx.float32)
        if self._bias is not None:
            scores = scores + self._bias
        if self.params.needs_history:
            scores = self._penalise(scores, history, drafts)
        peak = over_vocabulary(mx.max, scores)
        if self.greedy:
            return Rows(scores, peak)
        # XTC alone may remove the largest.
        top = None if self.draws_gates else peak
        return Rows(self._filter(scores, gates), peak, self.params.temperature, top)

    def _penalise(self, scores: mx.array, history: Sequence[int], drafts: mx.array | None) -> mx.array:
        p, rows = self.params, scores.shape[0]
        windows = self._window_ids(history, drafts, rows)
        if p.repetition_penalty != 1.0 and p.repetition_window > 0:
            seen = self._counts(windows, p.repetition_window) > 0
            lowered = mx.where(scores > 0, scores / p.repetition_penalty, scores * p.repetition_penalty)
            scores = mx.where(seen, lowered, scores)
        if (p.frequency_penalty or p.presence_penalty) and p.penalty_window > 0:
            counts = self._counts(windows, p.penalty_window)
            scores = scores - p.frequency_penalty * counts - p.presence_penalty * (counts > 0)
        return scores

    def _window_ids(self, history: Sequence[int], drafts: mx.array | None, rows: int) -> mx.array:
        """int32 [rows, W]: the newest W tokens before each row, oldest first; V stands for "none"."""
        drafted = 0 if drafts is None else int(drafts.shape[0])
        lead = drafted - (rows - 1)
        if lead < 0:
            raise ValueError("rows after the first need the drafts between them")
        width = min(self._windows, len(history) + drafted)
        # A prompt may hold ids beyond V, of padding or of another part of the model; writing there would crash.
        known = [min(token, self.vocabulary) for token in history[max(0, len(history) - width) :]]
        ids = mx.array([self.vocabulary] * (width - len(known)) + known, dtype=mx.int32)
        if drafts is not None:
            ids = mx.concatenate([ids, drafts.astype(mx.int32)])
        return ids[mx.arange(lead, lead + rows)[:, None] + mx.arange(width)[None, :]]

    def _counts(self, windows: mx.array, window: int) -> mx.array:
        """float32 [rows, V]: occurrences of each id among the newest `window` of each row."""
        ids = windows[:, max(0, windows.shape[1] - window) :]
        rows = mx.broadcast_to(mx.arange(ids.shape[0])[:, None], ids.shape)
        counts = mx.zeros((ids.shape[0], self.vocabulary + 1))
        return counts.at[rows, ids].add(mx.ones(ids.shape))[:, : self.vocabulary]

    def _filter(self, scores: mx.array, gates: Sequence[float]) -> mx.array:
        p = self.params
        if 0 < p.top_k < self.vocabulary:
            kth = mx.min(mx.topk(scores, p.top_k, axis=-1), axis=-1, keepdims=True)
            scores = mx.where(scores >= kth, scores, _NEVER)
        if p.top_p < 1:
            scores = _keep_top_p(scores, p.top_p)
        if p.min_p > 0:
            # p >= m * max in logits: no softmax needed
            floor = mx.max(scores, axis=-1, keepdims=True) + mx.log(mx.array(p.min_p))
            scores = mx.where(scores >= floor, scores, _NEVER)
        if self.draws_gates:
            scores = self._exclude_top_choices(scores, gates)
        return scores

    def _exclude_top_choices(self, scores: mx.array, gates: Sequence[float]) -> mx.array:
        """Remove every choice above the threshold but the least likely one, where the row's gate is open."""
        probs = mx.softmax(scores, axis=-1, precise=True)
        choice = probs > self.params.xtc_threshold
        least = mx.min(mx.where(choice, probs, 2.0), axis=-1, keepdims=True)
        removed = choice & (probs > least)
        if self._protected is not None:
            removed = removed & ~self._protected
        is_open = mx.array(list(gates), dtype=mx.float32)[:, None] < self.params.xtc_probability
        return mx.where(removed & is_open, _NEVER, scores)


def softmax(scores: mx.array, temperature: float = 1.0, top: mx.array | None = None) -> mx.array:
    """Return float32 probabilities of scores [n, V] at a temperature; -inf is exactly 0. `top` [n] is their maximum.

    The CPU backend computes exp one number at a time, which is most of a judgement there; its power of two is nearly
    three times as fast and as exact.
    """
    if mx.default_device().type == mx.DeviceType.gpu:
        return mx.softmax(scores / temperature, axis=-1, precise=True)
    top = over_vocabulary(mx.max, scores) if top is None else top
    weights = mx.power(2.0, (scores - top[:, None]) * (math.log2(math.e) / temperature))
    return weights / over_vocabulary(mx.sum, weights)[:, None]


def over_vocabulary(reduce: Callable[..., mx.array], rows: mx.array) -> mx.array:
    """Reduce rows [n, V] to [n].

    The CPU backend adds up one number after the other along the last axis, and many at once along any other; so rows
    are folded there, as far as V divides.
    """
    n, vocabulary = rows.shape
    width = math.gcd(vocabulary, _FOLD)
    if width == 1 or mx.default_device().type == mx.DeviceType.gpu:
        return reduce(rows, axis=-1)
    return reduce(reduce(rows.reshape(n, -1, width), axis=1), axis=-1)


def dot(p: mx.array, q: mx.array) -> mx.array:
    """Sum of p q of each of n rows [n, V], as [n]; the product itself is never written down."""
    return (p[:, None, :] @ q[:, :, None])[:, 0, 0]


def draw(probs: mx.array, uniforms: mx.array) -> mx.array:
    """Draw one token a row by inverting the cumulative distribution, first over blocks of tokens, then inside one.

    The row need not sum to 1. Only tokens with mass can be drawn, whatever the uniform.

    Args:
        probs: [n, V], >= 0, of any float type.
        uniforms: [n] in [0, 1).

    Returns:
        int32 [n].
    """
    rows, vocabulary = probs.shape
    surplus = -vocabulary % _BLOCK
    blocks = (mx.pad(probs, [(0, 0), (0, surplus)]) if surplus else probs).reshape(rows, -1, _BLOCK)
    masses = mx.sum(blocks, axis=-1)
    ends = mx.cumsum(masses, axis=-1)
    threshold = uniforms[:, None].astype(probs.dtype) * ends[:, -1:]
    block = _first_above(ends, threshold, masses)[:, None]
    start = mx.take_along_axis(ends - masses, block, axis=-1)
    inside = mx.take_along_axis(blocks, block[:, :, None], axis=1)[:, 0]
    token = _first_above(mx.cumsum(inside, axis=-1), threshold - start, inside)
    return (block[:, 0] * _BLOCK + token).astype(mx.int32)


def _first_above(cumulative: mx.array, threshold: mx.array, mass: mx.array) -> mx.array:
    """First place with mass whose cumulative mass is above the threshold; the likeliest where rounding leaves none."""
    return mx.argmax(mx.where((cumulative > threshold) & (mass > 0), float("inf"), mass), axis=-1)


def check_bias(params: SamplingParams, vocabulary: int) -> None:
    """Refuse a bias for an id the model does not have.

    Raises:
        UserError: naming the id and the size of the vocabulary.
    """
    for token, _ in params.logit_bias:
        if token >= vocabulary:
            raise UserError(
                f"logit_bias names token {token}, but this model has {vocabulary:,} tokens.",
                f"Use ids from 0 to {vocabulary - 1}.",
            )


def _dense_bias(pairs: Sequence[tuple[int, float]], vocabulary: int) -> mx.array | None:
    if not pairs:
        return None
    dense = [0.0] * vocabulary
    for token, bias in pairs:
        if token < vocabulary:
            dense[token] += bias
    return mx.array(dense, dtype=mx.float32)


def _mask(ids: Sequence[int], vocabulary: int) -> mx.array:
    flags = [False] * vocabulary
    for token in ids:
        if 0 <= token < vocabulary:
            flags[token] = True
    return mx.array(flags)


def _keep_top_p(scores: mx.array, top_p: float) -> mx.array:
    """Keep a token if the mass of the more likely ones before it is <= top_p; the first is always kept."""
    probs = mx.softmax(scores, axis=-1, precise=True)
    order = mx.argsort(-probs, axis=-1)
    ranked = mx.take_along_axis(probs, order, axis=-1)
    before = mx.cumsum(ranked, axis=-1) - ranked
    keep = mx.put_along_axis(mx.zeros(probs.shape, dtype=mx.bool_), order, before <= top_p, axis=-1)
    return mx.where(keep & (probs > 0), scores, _NEVER)
