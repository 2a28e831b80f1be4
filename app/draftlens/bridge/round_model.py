"""Rounds as a Qt tree: one row a round, its tokens below it, read straight from the Round values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt

from draftlens.bridge import figures
from draftlens.core.round import Emitted, Fate, Proposed, Round, Source

Index = QModelIndex | QPersistentModelIndex

COLUMNS = ("round", "drafted", "accepted", "emitted", "draft ms", "verify ms", "total ms")
TOKEN_COLUMNS = ("", "token", "", "q(t)", "p(t)", "u", "decision")

SHAPE_ROLE = int(Qt.ItemDataRole.UserRole) + 1
"""Fate or Source whose shape the first column of a token row shows; None elsewhere."""
KIND_ROLE = int(Qt.ItemDataRole.UserRole) + 2
"""ROUND, HEADER or TOKEN."""

ROUND, HEADER, TOKEN = "round", "header", "token"

_RIGHT = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
_LEFT = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)


class RoundModel(QAbstractItemModel):
    """Shows a list of rounds it is given; the first child of a round names the columns of the tokens."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._rounds: list[Round] = []

    @property
    def rounds(self) -> Sequence[Round]:
        """The rounds shown, oldest first."""
        return self._rounds

    def show(self, rounds: Sequence[Round]) -> None:
        """Show these rounds: appends what is new if they continue the ones shown, else starts over."""
        known = len(self._rounds)
        continues = known <= len(rounds) and (known == 0 or rounds[known - 1] is self._rounds[-1])
        if not continues:
            self.beginResetModel()
            self._rounds = list(rounds)
            self.endResetModel()
        elif len(rounds) > known:
            self.beginInsertRows(QModelIndex(), known, len(rounds) - 1)
            self._rounds += rounds[known:]
            self.endInsertRows()

    def texts(self, row: int) -> tuple[str, ...]:
        """All columns of a round at once, for a view that paints many rounds several times a second."""
        return _round_texts(self._rounds[row])

    def row_of(self, index: Index) -> int:
        """The round's row for an index at either level, -1 for none."""
        if not index.isValid():
            return -1
        parent = int(index.internalId())
        return index.row() if parent == 0 else parent - 1

    def slot_of(self, index: Index) -> int | None:
        """The position in its round of a token's row, None for a round; the closing draw stands at its position."""
        row, parent = index.row() - 1, int(index.internalId()) if index.isValid() else 0
        if parent == 0 or row < 0:
            return None
        round_ = self._rounds[parent - 1]
        return row if row < len(round_.proposals) else round_.accepted

    def place(self, row: int, slot: int) -> QModelIndex:
        """The token's row at a position of a round."""
        return self.index(slot + 1, 0, self.index(row, 0))

    def index(self, row: int, column: int, parent: Index = QModelIndex()) -> QModelIndex:  # noqa: B008
        """Rounds carry id 0, their children the round's row + 1."""
        if not self.hasIndex(row, column, parent):
            return QModelIndex()
        return self.createIndex(row, column, parent.row() + 1 if parent.isValid() else 0)

    def parent(self, index: Index = QModelIndex()) -> QModelIndex:  # type: ignore[override]  # noqa: B008
        """The round of a token row."""
        if not index.isValid() or index.internalId() == 0:
            return QModelIndex()
        return self.createIndex(int(index.internalId()) - 1, 0, 0)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """Rounds, or a header, the proposals and the draw that followed them."""
        if not parent.isValid():
            return len(self._rounds)
        if parent.internalId() != 0 or parent.column() != 0:
            return 0
        round_ = self._rounds[parent.row()]
        return 1 + len(round_.proposals) + (round_.next is not None)

    def hasChildren(self, parent: Index = QModelIndex()) -> bool:  # noqa: B008
        """Rounds can be opened, tokens cannot."""
        return not parent.isValid() or parent.internalId() == 0

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        """The same number at both levels."""
        return len(COLUMNS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Names of the round columns."""
        if orientation is Qt.Orientation.Horizontal:
            if role == Qt.ItemDataRole.DisplayRole:
                return COLUMNS[section]
            if role == Qt.ItemDataRole.TextAlignmentRole:
                return _LEFT if section == 0 else _RIGHT
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """The header among the tokens cannot be selected."""
        if not index.isValid() or (index.internalId() != 0 and index.row() == 0):
            return Qt.ItemFlag.NoItemFlags
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return flags if index.internalId() == 0 else flags | Qt.ItemFlag.ItemNeverHasChildren

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Text, alignment, shape and accessible text of a cell."""
        if not index.isValid():
            return None
        column, parent = index.column(), int(index.internalId())
        if role == Qt.ItemDataRole.TextAlignmentRole:
            left = column == 0 or (parent != 0 and column in (1, 6))
            return _LEFT if left else _RIGHT
        if parent == 0:
            return _round_data(self._rounds[index.row()], column, role)
        round_, row = self._rounds[parent - 1], index.row() - 1
        if row < 0:
            return _header_data(column, role)
        if row < len(round_.proposals):
            return _proposal_data(round_.proposals[row], column, role)
        return None if round_.next is None else _draw_data(round_, round_.next, column, role)


def _round_data(round_: Round, column: int, role: int) -> Any:
    if role == KIND_ROLE:
        return ROUND
    if role == Qt.ItemDataRole.AccessibleTextRole and column == 0:
        return figures.round_sentence(round_)
    return _round_texts(round_)[column] if role == Qt.ItemDataRole.DisplayRole else None


def _round_texts(round_: Round) -> tuple[str, ...]:
    times = round_.timings
    drafted = bool(round_.proposals)
    return (
        str(round_.index),
        str(round_.drafted),
        str(round_.accepted) if drafted else figures.DASH,
        str(len(round_.emitted)),
        figures.milliseconds(times.draft) if drafted else figures.DASH,
        figures.milliseconds(times.verify),
        figures.milliseconds(times.total),
    )


def _header_data(column: int, role: int) -> Any:
    if role == KIND_ROLE:
        return HEADER
    return TOKEN_COLUMNS[column] if role == Qt.ItemDataRole.DisplayRole else None


def _proposal_data(proposal: Proposed, column: int, role: int) -> Any:
    if role == KIND_ROLE:
        return TOKEN
    if role == SHAPE_ROLE:
        return proposal.fate if column in (0, 6) else None
    text = figures.token(proposal.text)
    if role == Qt.ItemDataRole.AccessibleTextRole and column == 0:
        return f"{text}, {figures.FATE_WORDS[proposal.fate]}"
    if role != Qt.ItemDataRole.DisplayRole:
        return None
    tested = proposal.fate is not Fate.UNTESTED
    return (
        "",
        text,
        "",
        figures.probability(proposal.q),
        figures.probability(proposal.p if tested else None),
        figures.probability(proposal.u if tested else None),
        figures.FATE_WORDS[proposal.fate],
    )[column]


def _draw_data(round_: Round, draw: Emitted, column: int, role: int) -> Any:
    if role == KIND_ROLE:
        return TOKEN
    if role == SHAPE_ROLE:
        return draw.source if column in (0, 6) else None
    # A draw that ended the text is not part of the reply: it has no characters to show.
    shown = bool(round_.emitted) and round_.emitted[-1] == draw
    text = figures.token(draw.text) or ("" if shown else "end of text")
    if role == Qt.ItemDataRole.AccessibleTextRole and column == 0:
        return f"{text}, {figures.SOURCE_WORDS[draw.source]}"
    if role != Qt.ItemDataRole.DisplayRole:
        return None
    q = _drafter_probability(round_, draw)
    words = figures.SOURCE_WORDS[draw.source]
    return ("", text, "", figures.probability(q), figures.probability(draw.p), figures.DASH, words)[column]


def _drafter_probability(round_: Round, draw: Emitted) -> float | None:
    """What the drafter gave the drawn token, if the round kept a snapshot that holds it."""
    if draw.source not in (Source.RESIDUAL, Source.TARGET) or round_.accepted >= len(round_.proposals):
        return None
    snapshot = round_.proposals[round_.accepted].candidates
    if snapshot is None or snapshot.q is None or draw.token not in snapshot.tokens:
        return None
    return snapshot.q[snapshot.tokens.index(draw.token)]
