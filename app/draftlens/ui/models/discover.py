"""Search on the hub: nothing is asked before a person asks, and what cannot run says so before it is fetched."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, Qt, Signal
from PySide6.QtGui import QResizeEvent, QStandardItem, QStandardItemModel
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListView,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from draftlens.bridge.models import Models
from draftlens.library import sizes
from draftlens.library.hub import Found, Kind, Sort
from draftlens.library.suggestions import SUGGESTIONS
from draftlens.ui.eliding_choice import ElidingChoice
from draftlens.ui.eliding_label import ElidingLabel
from draftlens.ui.models.found_delegate import NARROW, FoundDelegate, verdict_of
from draftlens.ui.models.rows import ITEM_ROLE, Index
from draftlens.ui.models.token_button import TokenButton
from draftlens.ui.theme import Theme

_KINDS: tuple[tuple[str, Kind], ...] = (("MLX", "mlx"), ("GGUF", "gguf"), ("All", "all"))
_SORTS: tuple[tuple[str, Sort], ...] = (
    ("Most downloaded", "downloads"),
    ("Trending", "trending_score"),
    ("Most liked", "likes"),
    ("Newest", "last_modified"),
)


class Discover(QWidget):
    """A field, two choices, and the results; before the first search, pairs that are known to go together."""

    chosen = Signal(object)
    pairAsked = Signal(str)

    def __init__(self, theme: Theme, models: Models, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._models = theme, models
        self.field = QLineEdit()
        self.field.setProperty("kind", "search")
        self.field.setPlaceholderText("Search the hub, then press Return")
        self.field.setAccessibleName("Search the hub")
        self.kind, self.sort = ElidingChoice(), ElidingChoice()
        for box, name, entries in ((self.kind, "Format", _KINDS), (self.sort, "Sort by", _SORTS)):
            box.setAccessibleName(name)
            for words, value in entries:
                box.addItem(words, value)
        # In a narrow window the choices give way before what is typed does.
        self.field.setMinimumWidth(theme.px(150))
        self.sort.setMinimumWidth(theme.px(72))
        self.go = QPushButton("Search")
        self.go.setProperty("kind", "primary")
        top = QFrame()
        top.setObjectName("pairTop")
        row = QBoxLayout(QBoxLayout.Direction.LeftToRight, top)
        row.setContentsMargins(20, 9, 20, 9)
        row.setSpacing(8)
        row.addWidget(self.field, 1)
        self.token = TokenButton()
        rest = QHBoxLayout()
        rest.setSpacing(8)
        for part in (self.kind, self.sort, self.go, self.token):
            rest.addWidget(part)
        row.addLayout(rest)
        self._rows_or_lines = [row]
        self.message = QLabel()
        self.message.setProperty("tone", "2")
        self.message.setWordWrap(True)
        self.message.setContentsMargins(20, 12, 20, 8)
        self.again = QPushButton("Try again")
        self.again.clicked.connect(self._search_again)
        offer = QHBoxLayout()
        offer.setContentsMargins(20, 0, 20, 0)
        offer.addWidget(self.again)
        offer.addStretch(1)
        self._rows = QStandardItemModel(self)
        self.list = QListView()
        self.list.setObjectName("foundList")
        self.list.setModel(self._rows)
        self.list.setItemDelegate(FoundDelegate(theme, self.list))
        self.list.setAccessibleName("Search results")
        self.list.setFrameShape(QFrame.Shape.NoFrame)
        self.list.setMouseTracking(True)
        self.list.setResizeMode(QListView.ResizeMode.Adjust)
        theme.changed.connect(self.list.doItemsLayout)
        self.list.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.suggested = QScrollArea()
        self.suggested.setFrameShape(QFrame.Shape.NoFrame)
        self.suggested.setWidgetResizable(True)
        self.suggested.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._suggest()
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(top)
        column.addWidget(self.message)
        column.addLayout(offer)
        column.addWidget(self.suggested, 1)
        column.addWidget(self.list, 1)
        column.addStretch(0)
        self.field.returnPressed.connect(self.search)
        self.go.clicked.connect(self.search)
        for box in (self.kind, self.sort):
            box.activated.connect(self._choose)
        self.list.selectionModel().currentChanged.connect(self._on_current)
        models.foundChanged.connect(self.refresh)
        self.refresh()

    def search(self) -> None:
        """Ask the hub for what is in the field; what was found before is shown no longer."""
        self.chosen.emit(None)
        self._models.search(self.field.text(), self.kind.currentData(), self.sort.currentData())

    def _search_again(self) -> None:
        # The button goes; the keys stay where one writes.
        self.field.setFocus()
        self.search()

    def _choose(self) -> None:
        """Another format or order is asked for at once where a search is in view already."""
        if self._models.found is not None or self._models.search_problem is not None:
            self.search()

    def search_for(self, text: str) -> None:
        """Ask the hub for something that came up elsewhere."""
        self.field.setText(text)
        self.search()

    def refresh(self) -> None:
        """Show the results, or why there are none."""
        models = self._models
        found = models.found
        self.suggested.setVisible(found is None and not models.searching and models.search_problem is None)
        self.list.setVisible(not self.suggested.isVisibleTo(self))
        self.again.setVisible(models.search_problem is not None and not models.searching)
        self.say()
        self._fill([] if models.searching else found or [])

    def say(self) -> None:
        """Say above the list what is in it, and whether the token counted."""
        models = self._models
        found = models.found
        if models.searching:
            self.message.setText("Searching…")
        elif models.search_problem is not None:
            self.message.setText(str(models.search_problem))
        elif found is None:
            self.message.setText("Pairs that go together: same vocabulary, a small drafter. Nothing is fetched yet.")
        elif not found:
            self.message.setText(self._nothing())
        else:
            refused = models.hub.token_refused
            note = " The saved token is not accepted and was left out." if refused else ""
            self.message.setText(
                f"{len(found)} model{'s' * (len(found) != 1)}. Choose one to see whether it can run here.{note}"
            )

    def _nothing(self) -> str:
        said = self.field.text().strip()
        words = f"Nothing on the hub matches “{said}”" if said else "Nothing on the hub matches"
        if self.kind.currentData() == "all":
            return f"{words}. Check the spelling, or search for less."
        return f"{words} in {self.kind.currentText()} format. Choose All to search every format."

    def _fill(self, found: list[Found]) -> None:
        # A view whose current row goes makes its neighbour current, row by row: each would be looked at on the hub.
        self.list.setCurrentIndex(QModelIndex())
        self._rows.clear()
        for entry in found:
            item = QStandardItem(entry.name)
            item.setEditable(False)
            item.setData(entry, ITEM_ROLE)
            item.setToolTip(entry.repo)
            size = "size unknown" if entry.size is None else sizes.on_disk(entry.size)
            said = (entry.name, entry.owner, "gated" if entry.gated else "", verdict_of(entry)[0], size)
            item.setAccessibleText(", ".join(filter(None, said)))
            self._rows.appendRow(item)

    def _suggest(self) -> None:
        page = QWidget()
        column = QVBoxLayout(page)
        column.setContentsMargins(20, 0, 20, 12)
        column.setSpacing(8)
        for pair in SUGGESTIONS:
            line = QFrame()
            line.setProperty("kind", "choice")
            row = QBoxLayout(QBoxLayout.Direction.LeftToRight, line)
            row.setContentsMargins(12, 8, 12, 8)
            self._rows_or_lines.append(row)
            names, rest = QHBoxLayout(), QHBoxLayout()
            words = [ElidingLabel(Qt.TextElideMode.ElideMiddle) for _ in range(2)]
            for label, repo in zip(words, (pair.target, pair.drafter), strict=True):
                label.show_text(repo.rpartition("/")[2])
            plus = QLabel("+")
            plus.setProperty("tone", "3")
            size = QLabel(f"about {pair.gigabytes:.1f} GB")
            size.setProperty("tone", "3")
            row.setSpacing(8)
            for part in (words[0], plus, words[1]):
                names.addWidget(part)
            names.addStretch(1)
            rest.addWidget(size)
            rest.addStretch(1)
            for name, repo in (("Target", pair.target), ("Drafter", pair.drafter)):
                button = QPushButton(name)
                button.setAccessibleName(f"Look at {repo}")
                button.clicked.connect(lambda _checked=False, repo=repo: self.pairAsked.emit(repo))
                rest.addWidget(button)
            row.addLayout(names, 1)
            row.addLayout(rest)
            column.addWidget(line)
        column.addStretch(1)
        self.suggested.setWidget(page)
        for behind in (page, self.suggested.viewport()):
            behind.setAutoFillBackground(False)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where room is scarce what stands side by side stands in two lines: no figure and no button is cut."""
        super().resizeEvent(event)
        narrow = self.width() < self._theme.px(NARROW)
        down, right = QBoxLayout.Direction.TopToBottom, QBoxLayout.Direction.LeftToRight
        for row in self._rows_or_lines:
            row.setDirection(down if narrow else right)

    def _on_current(self, current: Index, _previous: Index) -> None:
        found = current.data(ITEM_ROLE) if current.isValid() else None
        if found is not None:
            self.chosen.emit(found)
