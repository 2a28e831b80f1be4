"""Small models with real caches whose right answer is known, and ways to run a session over them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import mlx.core as mx
import mlx.nn as nn
from mlx_lm.models.cache import KVCache

from draftlens.core.params import SamplingParams, SessionParams
from draftlens.core.round import FinishReason, Round
from draftlens.engine.drafters.protocol import Drafter
from draftlens.engine.keys import Keys
from draftlens.engine.proposal import PointMass, Proposal
from draftlens.engine.session import Session
from draftlens.engine.target import Model, Target

TARGET_LOGITS = (2.0, 1.0, 0.5, 0.0, -0.5, -1.0)
DRAFT_LOGITS = (1.4, 1.3, 0.2, 0.6, -0.3, -0.8)
PEAK = 8.0
GREEDY = SamplingParams(temperature=0)


class Table(nn.Module):
    """The last token alone decides; its cache holds the tokens themselves, so its content can be read back."""

    def __init__(self, rows: Sequence[Sequence[float]]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.rows = mx.array([list(row) for row in rows], dtype=mx.float32)

    def make_cache(self) -> list[KVCache]:
        return [KVCache()]

    def __call__(self, ids: mx.array, cache: list[KVCache]) -> mx.array:
        remember(ids, cache[0])
        return self.rows[ids]


class Induction(nn.Module):
    """Copies what followed an earlier occurrence of the last token, read from the cache; else steps by 5."""

    def __init__(self, vocabulary: int, *, latest: bool) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.vocabulary = vocabulary
        self.latest = latest

    def make_cache(self) -> list[KVCache]:
        return [KVCache()]

    def __call__(self, ids: mx.array, cache: list[KVCache]) -> mx.array:
        seen = remember(ids, cache[0])
        count, total = ids.shape[1], seen.shape[0]
        at = mx.arange(total - count, total)[:, None]
        earlier = (seen[None, :] == ids[0][:, None]) & (mx.arange(total)[None, :] < at)
        rank = mx.arange(total) if self.latest else total - mx.arange(total)
        place = mx.argmax(mx.where(earlier, rank[None, :], -1), axis=-1)
        copied = seen[mx.minimum(place + 1, total - 1)]
        token = mx.where(mx.any(earlier, axis=-1), copied, (ids[0] + 5) % self.vocabulary)
        return PEAK * (token[:, None] == mx.arange(self.vocabulary)[None, :]).astype(mx.float32)[None]


def remember(ids: mx.array, cache: KVCache) -> mx.array:
    """Append ids to a cache as keys of one dimension and return every id it holds."""
    keys = ids.astype(mx.float32)[:, None, :, None]
    held, _ = cache.update_and_fetch(keys, keys)
    return held[0, 0, :, 0].astype(mx.int32)  # type: ignore[no-any-return]


def held(cache: KVCache) -> list[int]:
    """Return the ids a toy's cache holds."""
    if cache.keys is None:
        return []
    ids: list[int] = cache.keys[0, 0, : cache.offset, 0].astype(mx.int32).tolist()
    return ids


def toy(network: nn.Module, vocabulary: int = 6, end: frozenset[int] = frozenset(), context: int = 1 << 20) -> Model:
    """Wrap a toy network."""
    return Model(network, vocabulary, context, end)


def context_free(logits: Sequence[float]) -> Model:
    """Return a model whose every row is the same."""
    return toy(Table([logits] * len(logits)), len(logits))


def orbit(multiplier: int, offset: int, size: int = 6) -> Model:
    """Return the model in which t is followed by (t * multiplier + offset) mod size."""
    rows = [[PEAK * ((t * multiplier + offset) % size == x) for x in range(size)] for t in range(size)]
    return toy(Table(rows), size)


def orbit_text(multiplier: int, offset: int, first: int, count: int, size: int = 6) -> list[int]:
    """Return the orbit itself."""
    out = []
    for _ in range(count):
        first = (first * multiplier + offset) % size
        out.append(first)
    return out


class Scripted:
    """Proposes prepared blocks, one a round; an empty block, or none left, is no proposal."""

    kind = "scripted"
    reports_q = False
    spare = 0
    note: str | None = None
    paused = False
    shadow_confirmations = 0
    idle = False

    def __init__(self, blocks: Sequence[Sequence[int]]) -> None:
        self._blocks = [list(b) for b in blocks]
        self.accepted: list[list[int]] = []
        self.emitted: list[list[int]] = []

    def begin(self, prompt: Sequence[int], cancelled: Callable[[], bool]) -> None: ...

    def width(self, k: int) -> int:
        return k

    def propose(self, committed: Sequence[int], current: int, k: int, position: int) -> Proposal | None:
        block = self._blocks.pop(0)[:k] if self._blocks else []
        return Proposal(mx.array(block, dtype=mx.int32), PointMass()) if block else None

    def settle(self, accepted: Sequence[int], emitted: Sequence[int]) -> None:
        self.accepted.append(list(accepted))
        self.emitted.append(list(emitted))


class Adversary(Scripted):
    """Knows the right continuation and corrupts it at random, so that a chain breaks at every possible place."""

    def __init__(self, truth: Sequence[int], vocabulary: int, rate: float, seed: int) -> None:
        super().__init__(())
        self._truth = list(truth)
        self._vocabulary = vocabulary
        self._rate = rate
        self._random = Random(seed)

    def propose(self, committed: Sequence[int], current: int, k: int, position: int) -> Proposal | None:
        block = self._truth[position : position + k]
        block += [self._random.randrange(self._vocabulary) for _ in range(k - len(block))]
        block = [self._random.randrange(self._vocabulary) if self._random.random() < self._rate else t for t in block]
        return Proposal(mx.array(block, dtype=mx.int32), PointMass())


@dataclass
class Reply:
    """What a session produced."""

    session: Session
    rounds: list[Round] = field(default_factory=list)

    @property
    def tokens(self) -> list[int]:
        return [e.token for r in self.rounds for e in r.emitted]

    @property
    def probabilities(self) -> list[float | None]:
        return [e.p for r in self.rounds for e in r.emitted]

    @property
    def text(self) -> str:
        return "".join(r.text for r in self.rounds) + self.session.tail()

    @property
    def finish(self) -> FinishReason | None:
        return self.session.finish


def run(
    target: Target,
    drafter: Drafter | None,
    prompt: Sequence[int],
    *,
    sampling: SamplingParams | None = None,
    seed: int | None = 0,
    after: Callable[[Session], None] = lambda session: None,
    decode: Callable[[Sequence[int]], str] = lambda ids: "",
    keys: Keys | None = None,
    **params: Any,
) -> Reply:
    """Run a session to its end; `after` looks at it after every round."""
    asked = SessionParams(sampling=sampling or GREEDY, **params)
    reply = Reply(Session(target, drafter, asked, keys or Keys(seed), decode))
    for made in reply.session.rounds(prompt):
        reply.rounds.append(made)
        after(reply.session)
    return reply
