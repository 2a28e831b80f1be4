"""The wall times of a round: drafts, verify and judgement, told apart without leaving the device idle."""

from __future__ import annotations

import time

import mlx.core as mx

from draftlens.core.round import Timings


class Clock:
    """Started at the beginning of a round."""

    def __init__(self) -> None:
        self._marks = [time.perf_counter()]

    def wait(self, proposals: mx.array | None, logits: mx.array, outputs: list[mx.array]) -> None:
        """Evaluate the round's graph and mark when each part was ready.

        A GPU is handed all three parts before the first wait, so that it never idles. The CPU backend computes while
        it is handed work, which would hide where one part ends: there each part is handed over on its own.
        """
        if mx.default_device().type == mx.DeviceType.gpu:
            mx.async_eval(logits, outputs)
        if proposals is not None:
            mx.eval(proposals)
        self._marks.append(time.perf_counter())
        mx.eval(logits)
        self._marks.append(time.perf_counter())
        mx.eval(outputs)
        self._marks.append(time.perf_counter())

    def timings(self, drafted: bool) -> Timings:
        """Return the times so far; without proposals the first part belongs to the verify."""
        start, draft, verify, judge = self._marks
        ms = [1000 * d for d in (draft - start, verify - draft, judge - verify, time.perf_counter() - judge)]
        if not drafted:
            return Timings(0.0, ms[0] + ms[1], ms[2], ms[3])
        return Timings(*ms)
