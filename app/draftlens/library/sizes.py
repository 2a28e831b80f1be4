"""Byte counts in words, in the decimal units that file managers and model pages use."""

from __future__ import annotations

_UNITS = ("bytes", "kB", "MB", "GB", "TB")


def in_words(count: int) -> str:
    """`538090408` is "538 MB"; one decimal below ten of a unit."""
    value = float(count)
    for unit in _UNITS:
        if value < 999.5 or unit == _UNITS[-1]:
            break
        value /= 1000
    return f"{value:.1f} {unit}" if value < 9.95 and unit != "bytes" else f"{value:.0f} {unit}"
