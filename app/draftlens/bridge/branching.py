"""Branch from here: the reply is cut at a token, another one is put there, and a new version goes on from it."""

from __future__ import annotations

from draftlens.bridge.engine_bridge import EngineBridge
from draftlens.bridge.positions import Odds, Position
from draftlens.core.branch import kept_rounds


def alternatives(position: Position, count: int = 12) -> tuple[Odds, ...]:
    """Return the candidates that can be put here: likely tokens other than the one that is there, p above 0."""
    emitted = position.emitted
    here = None if emitted is None else emitted.token
    if emitted is None and position.draw is not None:
        here = position.draw.token
    return tuple(odds for odds in position.odds(count) if odds.token != here and odds.p > 0)


def branch(bridge: EngineBridge, message: str, row: int, slot: int, token: int) -> bool:
    """Write a new version of a reply of the chat in view; return whether it was begun."""
    if bridge.loaded is None or not bridge.can_load:
        return False
    reply = bridge.chat.reply(message)
    if not 0 <= row < len(reply.rounds):
        return False
    kept = kept_rounds(reply.rounds, row, slot)
    answer = bridge.chat.conversation.regenerated(message, bridge.summary())
    return bridge.begin(None, answer, kept, token)
