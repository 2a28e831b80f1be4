"""Recording what a forward passes through, so that recurrent state can be rebuilt for fewer tokens.

An instance's class is replaced by a subclass whose call records and then defers to the original: parameter paths,
quantisation and the model's own forward stay untouched. Nothing is recorded outside a `recording` block.
"""

from __future__ import annotations

import importlib
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import mlx.core as mx
import mlx.nn as nn

_GATED_DELTA_MODULES = ("mlx_lm.models.qwen3_5", "mlx_lm.models.qwen3_next")


@dataclass(frozen=True)
class ConvCall:
    """One causal convolution: input [1, window + w, C] holding the old window and the block's rows."""

    rows: mx.array
    window: int


@dataclass(frozen=True)
class DeltaCall:
    """One gated-delta recurrence: its arguments, with the state from before the block."""

    rows: tuple[mx.array, ...]
    constants: tuple[mx.array, mx.array]
    state: mx.array | None
    mask: mx.array | None
    options: dict[str, Any]
    update: Any

    def state_after(self, keep: int) -> mx.array:
        """Run the recurrence again over the first `keep` rows."""
        rows = [r[:, :keep] for r in self.rows]
        mask = None if self.mask is None else self.mask[:, :keep]
        _, state = self.update(*rows, *self.constants, self.state, mask, **self.options)
        return state  # type: ignore[no-any-return]


@dataclass
class Recording:
    """Calls in the order the layers ran."""

    convolutions: list[ConvCall] = field(default_factory=list)
    deltas: list[DeltaCall] = field(default_factory=list)


_active = threading.local()


@contextmanager
def recording() -> Iterator[Recording]:
    """Record the forwards this thread builds inside the block."""
    record = Recording()
    _active.record = record
    try:
        yield record
    finally:
        _active.record = None


def install(model: nn.Module) -> None:
    """Hook every short convolution and gated-delta layer of a model; a second call changes nothing."""
    for layer in getattr(model, "layers", []):
        convolution = _convolution_of(layer)
        if convolution is not None and not hasattr(type(convolution), "_recorded"):
            convolution.__class__ = _recording_class(type(convolution))
            if hasattr(layer, "linear_attn"):
                _wrap_gated_delta()


def is_hooked(layer: nn.Module) -> bool:
    """Whether a layer is recurrent and records what a roll-back needs."""
    convolution = _convolution_of(layer)
    return convolution is not None and hasattr(type(convolution), "_recorded")


def _convolution_of(layer: nn.Module) -> nn.Module | None:
    if hasattr(layer, "linear_attn") and hasattr(layer.linear_attn, "conv1d"):
        return layer.linear_attn.conv1d  # type: ignore[no-any-return]
    if hasattr(layer, "conv") and hasattr(layer.conv, "conv"):
        return layer.conv.conv  # type: ignore[no-any-return]
    return None


def _recording_class(original: type) -> type:
    def call(self: Any, x: mx.array) -> mx.array:
        record: Recording | None = getattr(_active, "record", None)
        if record is not None:
            record.convolutions.append(ConvCall(x, self.weight.shape[1] - 1))
        return original.__call__(self, x)  # type: ignore[no-any-return]

    return type(f"Recorded{original.__name__}", (original,), {"__call__": call, "_recorded": True})


def _wrap_gated_delta() -> None:
    """Wrap the recurrence in each module that imported it by name: that name is what its layers call."""
    for name in _GATED_DELTA_MODULES:
        module = importlib.import_module(name)
        original = module.gated_delta_update
        if hasattr(original, "_recorded"):
            continue
        setattr(module, "gated_delta_update", _recorded_update(original))  # noqa: B010


def _recorded_update(original: Any) -> Any:
    def update(
        q: mx.array,
        k: mx.array,
        v: mx.array,
        a: mx.array,
        b: mx.array,
        a_log: mx.array,
        dt_bias: mx.array,
        state: mx.array | None = None,
        mask: mx.array | None = None,
        **options: Any,
    ) -> Any:
        record: Recording | None = getattr(_active, "record", None)
        if record is not None:
            record.deltas.append(DeltaCall((q, k, v, a, b), (a_log, dt_bias), state, mask, options, original))
        return original(q, k, v, a, b, a_log, dt_bias, state, mask, **options)

    update._recorded = True  # type: ignore[attr-defined]
    return update
