"""Reuse of what a context already holds: how much of a new prompt need not be read again."""

from __future__ import annotations

from collections.abc import Sequence

from draftlens.engine import rollback
from draftlens.engine.target import DraftContext, Target


def common_length(a: Sequence[int], b: Sequence[int]) -> int:
    """Return the length of the longest common prefix."""
    shortest = min(len(a), len(b))
    for i in range(shortest):
        if a[i] != b[i]:
            return i
    return shortest


def reuse(context: Target | DraftContext, prompt: Sequence[int]) -> int:
    """Bring a context to the longest prefix of `prompt` it can hold, and return its length.

    Plain and quantised KV caches are trimmed to the common prefix. Rings and recurrent states are reused only if all
    they hold is a prefix of the prompt, which is the ordinary next turn of a chat; otherwise they start anew.
    """
    common = common_length(context.tokens, prompt)
    surplus = len(context.tokens) - common
    if surplus and not rollback.can_trim(context.caches):
        context.reset()
        return 0
    rollback.trim(context.caches, surplus)
    del context.tokens[common:]
    return common
