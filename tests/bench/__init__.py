"""Benchmarks: ratios measured in one run. Not collected by the tests, never a gate."""
