"""The one selected place of a reply, a round and a position in it; strip, table, transcript and tabs all follow it."""

from __future__ import annotations

from bisect import bisect_left

from PySide6.QtCore import QObject, Signal

from draftlens.bridge.reply import Reply
from draftlens.core.round import Round


class Selection(QObject):
    """A slot counts the positions of a round from 0: proposals first, and the draw where the chain ended.

    A rejected proposal and the draw that replaced it share a slot, so the slot of an emitted token is its place among
    the round's emitted tokens.

    Attributes:
        row: index in the reply's rounds, -1 for none.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.reply: Reply | None = None
        self.row = -1
        self.slot = 0

    @property
    def round(self) -> Round | None:
        """The selected round."""
        rounds = [] if self.reply is None else self.reply.rounds
        return rounds[self.row] if 0 <= self.row < len(rounds) else None

    def show(self, reply: Reply | None) -> None:
        """Move to another reply: nothing of it is selected yet."""
        if reply is not self.reply:
            self.reply, self.row, self.slot = reply, -1, 0
            self.changed.emit()

    def choose(self, row: int, slot: int | None = None) -> None:
        """Select a round, at the position where its chain ended if none is named; other rows are ignored."""
        rounds = [] if self.reply is None else self.reply.rounds
        if not 0 <= row < len(rounds):
            return
        if slot is None:
            slot = self.slot if row == self.row else closing(rounds[row])
        slot = min(max(slot, 0), slots(rounds[row]) - 1)
        if (row, slot) != (self.row, self.slot):
            self.row, self.slot = row, slot
            self.changed.emit()

    def step_round(self, by: int) -> None:
        """Select the next or the previous round; without a selection, begin at the near end."""
        count = 0 if self.reply is None else len(self.reply.rounds)
        if count:
            start = self.row if self.row >= 0 else (count if by < 0 else -1)
            self.choose(min(max(start + by, 0), count - 1))

    def step_token(self, by: int) -> None:
        """Select the next or the previous token of the text; rounds that gave none are passed over."""
        rounds = [] if self.reply is None else self.reply.rounds
        if self.round is None:
            row, slot = (len(rounds), 0) if by < 0 else (-1, 0)
        else:
            # From a draft that did not become text, back is to the last token that did.
            row, slot = self.row, min(self.slot, len(rounds[self.row].emitted) - (by > 0))
        if 0 <= row < len(rounds) and 0 <= slot + by < len(rounds[row].emitted):
            self.choose(row, slot + by)
            return
        row += by
        while 0 <= row < len(rounds):
            if rounds[row].emitted:
                self.choose(row, 0 if by > 0 else len(rounds[row].emitted) - 1)
                return
            row += by

    def piece(self) -> int:
        """Index of the displayed piece that shows the selected token, -1 if none does."""
        round_, reply = self.round, self.reply
        if round_ is None or reply is None:
            return -1
        wanted = (round_.index, self.slot)
        found = bisect_left(reply.pieces, wanted, key=lambda piece: (piece.round, piece.index))
        if found == len(reply.pieces):
            return -1
        return found if (reply.pieces[found].round, reply.pieces[found].index) == wanted else -1


def slots(round_: Round) -> int:
    """How many positions a round has, at least one."""
    closed = round_.next is not None and round_.accepted == len(round_.proposals)
    return max(1, len(round_.proposals) + closed)


def closing(round_: Round) -> int:
    """The position where the chain ended."""
    return round_.accepted if round_.next is not None else max(0, round_.tested - 1)
