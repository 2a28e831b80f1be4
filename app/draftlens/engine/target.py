"""A model's weights and a context over them: prefill, and verify as a transaction. Knows nothing of sampling."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import mlx.core as mx
import mlx.nn as nn
from mlx_lm.models.cache import KVCache, make_prompt_cache

from draftlens.core.errors import BugError
from draftlens.core.events import Cancelled
from draftlens.engine import hooks, rollback

PREFILL_CHUNK = 512


@dataclass(frozen=True)
class Model:
    """Weights that any number of contexts share.

    Attributes:
        network: called with (ids int [1, S], cache) -> logits [1, S, >= vocabulary].
        vocabulary: V, ids that exist in the tokenizer; logits beyond it are padding and are cut.
        context: longest context in tokens.
        end_of_text: ids that end a reply.
        protected: ids XTC never removes.
        name: for messages.
        kv_bits: quantise KV caches to this many bits, None to keep them as they are.
    """

    network: nn.Module
    vocabulary: int
    context: int
    end_of_text: frozenset[int] = frozenset()
    protected: tuple[int, ...] = ()
    name: str = "model"
    kv_bits: int | None = None

    def __post_init__(self) -> None:
        hooks.install(self.network)

    def make_cache(self) -> list[Any]:
        """Return fresh caches, one a layer."""
        caches: list[Any] = make_prompt_cache(self.network)
        if self.kv_bits is None:
            return caches
        return [c.to_quantized(bits=self.kv_bits) if type(c) is KVCache else c for c in caches]

    @property
    def hooked_layers(self) -> int:
        """How many recurrent layers record what a roll-back needs."""
        return sum(hooks.is_hooked(layer) for layer in getattr(self.network, "layers", []))


@dataclass(frozen=True)
class Ahead:
    """A forward of one token built before that token is known, on copies of the caches.

    Attributes:
        logits: [1, >= V], lazy.
        caches: what the context's caches will be.
    """

    logits: mx.array
    caches: list[Any]


@dataclass
class Transaction:
    """One verify forward, open until it is committed or left.

    Attributes:
        logits: [w, >= V], lazy; row i predicts the token after block[i].
    """

    logits: mx.array
    _context: Target
    _snapshot: rollback.Snapshot
    _record: hooks.Recording
    committed: bool = False

    def commit(self, tokens: Sequence[int]) -> None:
        """Keep the first len(tokens) >= 1 rows of the block, which were these tokens; forget the rest."""
        self._snapshot.keep(len(tokens), self._record)
        self._context.tokens.extend(tokens)
        self.committed = True


class Target:
    """A context over a model: caches, and the tokens they hold.

    Owned by the engine thread. Invariant outside a transaction: every cache holds exactly `tokens`.

    Args:
        model: the weights.
        looks_ahead: whether forwards may be built before their token is known; None where that pays, which is on a GPU.
    """

    def __init__(self, model: Model, *, looks_ahead: bool | None = None) -> None:
        self.model = model
        self._looks_ahead = mx.default_device().type == mx.DeviceType.gpu if looks_ahead is None else looks_ahead
        self.caches = model.make_cache()
        self.tokens: list[int] = []

    @property
    def position(self) -> int:
        """Number of tokens in the caches."""
        return len(self.tokens)

    @property
    def rewind_refusal(self) -> str | None:
        """Why verify blocks cannot be rolled back here, None if they can."""
        return rollback.rewind_refusal(self.caches, self.model.hooked_layers)

    def reset(self) -> None:
        """Forget everything."""
        self.caches = self.model.make_cache()
        self.tokens = []

    def forward(self, ids: mx.array) -> mx.array:
        """Feed ids [S] and return lazy logits [S, >= V]; the caller keeps `tokens` in step."""
        logits: mx.array = self.model.network(ids[None], cache=self.caches)
        return logits[0]

    def prefill(
        self,
        tokens: Sequence[int],
        report: Callable[[int], None] = lambda done: None,
        cancelled: Callable[[], bool] = lambda: False,
    ) -> None:
        """Feed tokens in chunks of 512; only the caches are computed, never the logits.

        Args:
            tokens: what to append.
            report: called with the number of tokens fed so far, after each chunk.
            cancelled: asked before each chunk.

        Raises:
            Cancelled: between two chunks; what was fed stays, consistently.
        """
        done = 0
        while done < len(tokens):
            if cancelled():
                raise Cancelled
            chunk = list(tokens[done : done + PREFILL_CHUNK])
            try:
                self.forward(mx.array(chunk, dtype=mx.int32))
                rollback.evaluate(rollback.flat(self.caches))
            except BaseException:
                self.reset()
                raise
            self.tokens.extend(chunk)
            done += len(chunk)
            if len(tokens) > PREFILL_CHUNK:
                mx.clear_cache()
            report(done)

    @property
    def looks_ahead(self) -> bool:
        """Whether `look_ahead` can be used and pays: only what can be trimmed can be built on copies."""
        return self._looks_ahead and rollback.can_trim(self.caches)

    def look_ahead(self, token: mx.array) -> Ahead:
        """Hand over the forward of the token to come, so that the device need not wait for the host.

        Called inside a one-row transaction, whose row always stays. Nothing of it is seen before `verify` takes it; a
        KV cache only ever writes beyond the length that its original knows.

        Args:
            token: int scalar, lazy.
        """
        caches = rollback.copies(self.caches)
        logits: mx.array = self.model.network(token[None, None], cache=caches)
        mx.async_eval(logits)
        return Ahead(logits[0], caches)

    @contextmanager
    def verify(self, block: mx.array, first: int, ahead: Ahead | None = None) -> Iterator[Transaction]:
        """Forward a block; left without commit, the caches are as before.

        Args:
            block: int32 [w]; its first id is the token emitted last, the rest are proposals.
            first: that first id.
            ahead: the same forward, built before, for a block of that one token.

        Raises:
            whatever the forward raises; the context is then empty and the next prompt is read anew.
        """
        before = self.caches
        snapshot = rollback.Snapshot(before, int(block.shape[0]))
        try:
            with hooks.recording() as record:
                logits = self._taken(ahead) if ahead is not None else self.forward(block)
        except BaseException:
            self.reset()
            raise
        transaction = Transaction(logits, self, snapshot, record)
        try:
            yield transaction
        finally:
            if not transaction.committed:
                self.caches = before
                self._leave(transaction, snapshot, first)

    def _taken(self, ahead: Ahead) -> mx.array:
        self.caches = ahead.caches
        return ahead.logits

    def _leave(self, transaction: Transaction, snapshot: rollback.Snapshot, first: int) -> None:
        """Undo the block. A single row that cannot be undone may stay, as its token was emitted."""
        if snapshot.can_restore:
            snapshot.restore()
        elif snapshot.width == 1:
            transaction.commit([first])
        else:
            raise BugError("a verify block can be neither restored nor kept")


@dataclass
class DraftContext:
    """A draft model's own context: steps of one token, put back at the end of the round.

    KV caches are trimmed. Any other cache is put back to before the first draft and fed the accepted tokens again at
    the head of the next one, so that hybrid and sliding-window draft models work as well.
    """

    model: Model
    caches: list[Any] = field(init=False)
    tokens: list[int] = field(init=False)
    _snapshot: rollback.Snapshot | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget everything."""
        self.caches = self.model.make_cache()
        self.tokens = []
        self._snapshot = None

    @property
    def refusal(self) -> str | None:
        """Why this model cannot draft, None if it can."""
        return rollback.replay_refusal(self.caches)

    def prefill(self, tokens: Sequence[int], cancelled: Callable[[], bool] = lambda: False) -> None:
        """Feed tokens in chunks of 512; only the caches are computed.

        Raises:
            Cancelled: between two chunks; what was fed stays, consistently.
        """
        for start in range(0, len(tokens), PREFILL_CHUNK):
            if cancelled():
                raise Cancelled
            chunk = list(tokens[start : start + PREFILL_CHUNK])
            try:
                self._forward(mx.array(chunk, dtype=mx.int32))
                rollback.evaluate(rollback.flat(self.caches))
            except BaseException:
                self.reset()
                raise
            self.tokens.extend(chunk)

    def feed(self, tokens: Sequence[int]) -> mx.array:
        """Feed committed tokens; return the lazy logits [>= V] after the last of them."""
        logits = self._forward(mx.array(list(tokens), dtype=mx.int32))
        self.tokens.extend(tokens)
        # Taken after the committed tokens, so that a rejected draft never costs them.
        self._snapshot = None if rollback.can_trim(self.caches) else rollback.Snapshot(self.caches, 1, ring_copy=True)
        return logits

    def step(self, token: mx.array) -> mx.array:
        """Feed one drafted token (int scalar, possibly lazy); return the lazy logits after it."""
        return self._forward(token[None])

    def settle(self, steps: int, accepted: Sequence[int]) -> None:
        """End the round: of the `steps` drafted tokens that were fed, the first len(accepted) became text."""
        kept = list(accepted[:steps])
        if len(kept) == steps:
            self.tokens.extend(kept)
        elif self._snapshot is None:
            rollback.trim(self.caches, steps - len(kept))
            self.tokens.extend(kept)
        else:
            self._snapshot.restore()
        self._snapshot = None

    def _forward(self, ids: mx.array) -> mx.array:
        logits: mx.array = self.model.network(ids[None], cache=self.caches)
        return logits[0, -1]
