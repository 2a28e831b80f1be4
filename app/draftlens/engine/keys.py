"""Explicit random keys: every draw of a reply has a name and a position, and so always the same uniform.

A draw is named by what it decides (draft, accept, draw, gate, draft-gate) and by the position in the reply of the token
it decides. A position is tested at most once, because a tested position is emitted; a uniform used for a proposal that
was never tested has influenced nothing. So no two decisions that matter share a uniform, and a stream depends neither
on other sessions, nor on diagnostics, nor on the thread, nor on where rounds begin.
"""

from __future__ import annotations

import hashlib
import secrets
from typing import Literal

DrawName = Literal["draft", "accept", "draw", "gate", "draft-gate"]

_BITS = 24
"""Resolution of a uniform: what float32 holds exactly below 1."""


class Keys:
    """The uniforms of one reply, as a pure function of (seed, name, position)."""

    def __init__(self, seed: int | None) -> None:
        self.seed = secrets.randbits(63) if seed is None else seed

    def uniform(self, name: DrawName, position: int) -> float:
        """Return the uniform in [0, 1) of this draw, a multiple of 2**-24."""
        message = f"{self.seed}/{name}/{position}".encode()
        digest = hashlib.blake2b(message, digest_size=8).digest()
        return float(int.from_bytes(digest, "big") >> (64 - _BITS)) / (1 << _BITS)

    def uniforms(self, name: DrawName, start: int, count: int) -> list[float]:
        """Return the uniforms of `count` consecutive positions."""
        return [self.uniform(name, start + i) for i in range(count)]
