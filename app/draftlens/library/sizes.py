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


def of_gigabytes(part: float, whole: float) -> str:
    """A part of a whole in gigabytes: "2.9 of 18 GB"; below ten the whole has its decimal: "0.6 of 0.5 GB"."""
    of = round(whole / 1e9, 1 if whole < 9.95e9 else None)
    return f"{part / 1e9:.1f} of {of:g} GB"


def on_disk(count: int) -> str:
    """A size in a column of sizes, with three figures: "1.82 GB", "269 MB"."""
    value, unit = (count / 1e9, "GB") if count >= 0.5e9 else (count / 1e6, "MB")
    if unit == "MB" and value < 1:
        return in_words(count)
    return f"{value:.2f} {unit}" if unit == "GB" and value < 9.995 else f"{value:.{1 if unit == 'GB' else 0}f} {unit}"


def pair(done: int, total: int) -> str:
    """How much of a whole, in the unit of the whole: "1.12 of 1.81 GB", "91 of 386 MB"."""
    if total >= 0.5e9:
        return f"{done / 1e9:.2f} of {total / 1e9:.2f} GB"
    if total >= 1e6:
        return f"{done / 1e6:.0f} of {total / 1e6:.0f} MB"
    return f"{done / 1e3:.0f} of {total / 1e3:.0f} kB"
