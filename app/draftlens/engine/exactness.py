"""Block against chain: whether reading a text in blocks gives other logits than reading it token by token.

Both are the same mathematics, but a forward of many rows adds its products in another order than one of a single row,
and where two tokens are nearly tied the rounding decides. Greedy replies that part are held against this.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import mlx.core as mx

from draftlens.core.round import Emitted, FinishReason, Round, Source
from draftlens.engine.load import LoadedModel
from draftlens.engine.target import Target


@dataclass(frozen=True)
class Difference:
    """Where two greedy replies part; pairs belong to (the first reply's token, the other's).

    Attributes:
        position: of the first token that differs, counted from 0.
        chain: logits of both tokens, the text read token by token.
        blocks: the same, read in the first reply's blocks and in the other's.
        explained: in each reply's blocks its own token has the larger logit.
    """

    position: int
    tokens: tuple[int, int]
    chain: tuple[float, float]
    blocks: tuple[tuple[float, float], tuple[float, float]]
    explained: bool


def first_difference(
    target: LoadedModel, prompt: Sequence[int], first: Sequence[Round], other: Sequence[Round]
) -> Difference | None:
    """Find the first position where two replies to a prompt differ, and read it again in each one's shape.

    Returns:
        None where one reply is a beginning of the other.
    """
    a, b = _tokens(first), _tokens(other)
    position = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), None)
    if position is None:
        return None
    tokens = (a[position], b[position])
    chain, *blocks = (
        _logits(target, prompt, rounds, position, tokens) for rounds in (list(_singly(first)), first, other)
    )
    return Difference(
        position=position,
        tokens=tokens,
        chain=chain,
        blocks=(blocks[0], blocks[1]),
        explained=blocks[0][0] >= blocks[0][1] and blocks[1][1] >= blocks[1][0],
    )


def _tokens(rounds: Sequence[Round]) -> list[int]:
    return [token for made in rounds for token in _decided(made)]


def _decided(made: Round) -> list[int]:
    """What a round's rows decided: the tokens it emitted, and the end of text where it came to that."""
    tokens = [e.token for e in made.emitted]
    if made.finish is FinishReason.END_OF_TEXT:
        tokens.append(made.next.token if made.next is not None else made.proposals[made.accepted - 1].token)
    return tokens


def _singly(rounds: Sequence[Round]) -> Iterator[Round]:
    """The same reply as if each token had been a round of its own."""
    for made in rounds:
        for i, emitted in enumerate(made.emitted):
            yield replace(made, position=made.position + i, proposals=(), emitted=(emitted,), finish=None)
        if made.finish is FinishReason.END_OF_TEXT:
            end = Emitted(_decided(made)[-1], "", Source.PLAIN, None, None)
            yield replace(made, position=made.position + len(made.emitted), proposals=(), emitted=(), next=end)


def _logits(
    target: LoadedModel, prompt: Sequence[int], rounds: Sequence[Round], position: int, tokens: tuple[int, int]
) -> tuple[float, float]:
    """Read a reply again in its rounds' blocks; return two tokens' logits in the row that decides `position`."""
    context = Target(target.model)
    context.prefill(prompt[:-1])
    current = prompt[-1]
    for made in rounds:
        block = mx.array([current, *(p.token for p in made.proposals)], dtype=mx.int32)
        with context.verify(block, current) as transaction:
            if made.position <= position < made.position + len(_decided(made)):
                row = transaction.logits[position - made.position, mx.array(tokens)].astype(mx.float32)
                mine, others = map(float, row.tolist())  # type: ignore[arg-type]
                # A single row may have to stay where its cache cannot forget; the context is given up anyway.
                transaction.commit([current])
                return mine, others
            mx.eval(transaction.logits)
            transaction.commit([current, *(e.token for e in made.emitted if e.source is Source.DRAFT)])
        current = made.emitted[-1].token
    raise AssertionError("the position is inside the reply")
