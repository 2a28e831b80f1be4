"""Benchmarks: ratios measured in one run. Not collected by the tests, never a gate."""

from draftlens import native

# Before any bench imports MLX, or both sides of a comparison would run on the reference BLAS.
native.prepare()
