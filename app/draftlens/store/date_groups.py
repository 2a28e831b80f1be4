"""Conversations under the headings of the list: today, yesterday, the last days, then months and years."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime

from draftlens.store.conversations import Entry

# Not taken from the locale: the program speaks one language, and a locale may lack them.
_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class DateGroup:
    """A heading and what stands below it."""

    heading: str
    entries: tuple[Entry, ...]


def date_groups(entries: Iterable[Entry], today: date) -> tuple[DateGroup, ...]:
    """Group entries by the local day of their last change, keeping their order; no group is empty."""
    groups: dict[str, list[Entry]] = {}
    for entry in entries:
        groups.setdefault(heading(datetime.fromtimestamp(entry.updated).date(), today), []).append(entry)
    return tuple(DateGroup(name, tuple(found)) for name, found in groups.items())


def heading(day: date, today: date) -> str:
    """Return the heading of a day; a day to come, from a clock that was wrong, counts as today."""
    ago = (today - day).days
    if ago <= 0:
        return "Today"
    if ago == 1:
        return "Yesterday"
    if ago <= 7:
        return "Previous 7 days"
    if ago <= 30:
        return "Previous 30 days"
    return _MONTHS[day.month - 1] if day.year == today.year else str(day.year)
