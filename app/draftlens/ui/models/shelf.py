"""Downloads on their way: a bar, how far and how long, and two buttons each."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QHBoxLayout,
    QLabel,
    QProgressBar,
    QPushButton,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from draftlens.bridge.models import Models
from draftlens.library import sizes
from draftlens.library.download import Download
from draftlens.library.download_state import Progress, State
from draftlens.ui.eliding_label import ElidingLabel
from draftlens.ui.theme import Theme


def in_words(seen: Progress) -> str:
    """Where a download stands, in the words of the design."""
    of = f"{sizes.pair(seen.done, seen.total)}"
    match seen.state:
        case State.QUEUED:
            return f"Waiting for its turn · {sizes.in_words(seen.total)}"
        case State.PAUSED:
            if seen.problem is not None:
                return seen.problem.sentence
            return f"Paused at {of}, resumes where it stopped"
        case State.VERIFYING:
            return f"Verifying {sizes.in_words(seen.total)}"
        case State.DONE:
            return f"Done · {sizes.in_words(seen.total)}"
        case State.FAILED:
            return "Stopped" if seen.problem is None else f"Stopped at {of}. {seen.problem.sentence}"
        case _:
            if seen.problem is not None:
                return f"{of} · trying again. {seen.problem.sentence}"
            if seen.stalled:
                return f"{of} · stalled, no byte for 15 s"
            parts = [of]
            if seen.rate:
                parts.append(f"{sizes.in_words(int(seen.rate))}/s")
            if seen.left is not None:
                parts.append(f"{duration(seen.left)} left")
            return " · ".join(parts)


def duration(seconds: float) -> str:
    """ "14 s", "3 min", "2 h 5 min"."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


_NARROW = 560
_ROWS_BELOW = 3


class DownloadRow(QFrame):
    """One download."""

    def __init__(self, theme: Theme, models: Models, item: Download, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.item, self._theme, self._models = item, theme, models
        self.name = ElidingLabel(Qt.TextElideMode.ElideMiddle)
        self.name.show_text(item.repo.rpartition("/")[2])
        font = theme.font("ui")
        font.setWeight(font.Weight.Medium)
        self.name.setFont(font)
        self.words = ElidingLabel()
        self.words.setProperty("tone", "2")
        self.bar = QProgressBar()
        self.bar.setRange(0, 1000)
        self.bar.setTextVisible(False)
        self._narrow = False
        self.first, self.second = QPushButton(), QPushButton()
        for button in (self.first, self.second):
            button.setIconSize(QSize(12, 12))
        self.second.setIcon(theme.icon("close", "text", 12))
        self.first.clicked.connect(self._press_first)
        self.second.clicked.connect(self._press_second)
        line = self._line = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        line.setSpacing(12)
        # What went wrong may be a long sentence: it gives way before the name does.
        self.name.setMinimumWidth(min(self.name.sizeHint().width(), theme.px(200)))
        line.addWidget(self.name)
        line.addStretch(1)
        line.addWidget(self.words)
        left = QVBoxLayout()
        left.setSpacing(4)
        left.addLayout(line)
        left.addWidget(self.bar)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 4, 0, 4)
        row.setSpacing(10)
        row.addLayout(left, 1)
        row.addWidget(self.first)
        row.addWidget(self.second)
        self.refresh()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Figures are not cut: where room is scarce they stand below the name, and the buttons lose their words."""
        super().resizeEvent(event)
        self._narrow = self.width() < self._theme.px(_NARROW)
        down, right = QBoxLayout.Direction.TopToBottom, QBoxLayout.Direction.LeftToRight
        self._line.setDirection(down if self._narrow else right)
        self._line.setSpacing(0 if self._narrow else 12)
        self.refresh()

    def refresh(self) -> None:
        """Show where it stands."""
        seen = self.item.progress()
        words = in_words(seen)
        self.words.show_text(words)
        self.words.setToolTip("" if seen.problem is None else str(seen.problem))
        self.bar.setValue(round(1000 * seen.done / seen.total) if seen.total else 0)
        self.bar.setAccessibleName(f"{self.name.whole}: {words}")
        quiet = seen.state in (State.PAUSED, State.QUEUED, State.FAILED)
        if self.bar.property("quiet") != quiet:
            self.bar.setProperty("quiet", quiet)
            self.bar.style().unpolish(self.bar)
            self.bar.style().polish(self.bar)
        running = seen.state.active or seen.state is State.QUEUED
        icon, text = ("pause", "Pause") if running else ("play", "Resume")
        if self.first.toolTip() != text:
            self.first.setIcon(self._theme.icon(icon, "text", 12))
        self.first.setVisible(seen.state is not State.DONE)
        for button, word in ((self.first, text), (self.second, "Clear" if seen.state is State.DONE else "Cancel")):
            button.setText("" if self._narrow else word)
            button.setToolTip(word)
            button.setAccessibleName(f"{word} {self.name.whole}")

    def _press_first(self) -> None:
        if self.item.state.active or self.item.state is State.QUEUED:
            self._models.pause(self.item)
        else:
            self._models.resume(self.item)

    def _press_second(self) -> None:
        if self.item.state is State.DONE:
            self._models.forget_download(self.item)
        else:
            self._models.cancel(self.item)


class Shelf(QFrame):
    """All downloads; hidden while there are none, unless it has the screen to itself; many of them scroll.

    Below the list of models it shows three rows at most: the list keeps its room.
    """

    discoverAsked = Signal()

    def __init__(self, theme: Theme, models: Models, parent: QWidget | None = None, *, alone: bool = False) -> None:
        super().__init__(parent)
        self.setObjectName("shelfAlone" if alone else "shelf")
        self._theme, self._models, self._alone = theme, models, alone
        self.rows: list[DownloadRow] = []
        title = QLabel("Downloads")
        title.setProperty("scale", "heading")
        self.free = QLabel()
        self.free.setProperty("tone", "2")
        head = QHBoxLayout()
        head.addWidget(title)
        head.addStretch(1)
        head.addWidget(self.free)
        self.empty = QLabel("Nothing is on its way. What you fetch under Discover appears here.")
        self.empty.setProperty("tone", "3")
        self.importing = ElidingLabel()
        self.importing.setProperty("tone", "2")
        self.importing.hide()
        self.open = QPushButton("Open Discover")
        self.open.clicked.connect(self.discoverAsked)
        inside = QWidget()
        inside.setObjectName("shelfRows")
        self._list = QVBoxLayout(inside)
        self._list.setContentsMargins(0, 0, 0, 0)
        self._list.setSpacing(4)
        inside.installEventFilter(self)
        self.area = QScrollArea()
        self.area.setFrameShape(QFrame.Shape.NoFrame)
        self.area.setWidgetResizable(True)
        self.area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.area.setWidget(inside)
        for part in (inside, self.area.viewport()):
            part.setAutoFillBackground(False)
        column = QVBoxLayout(self)
        column.setContentsMargins(20, 10, 20, 10)
        column.setSpacing(6)
        column.addLayout(head)
        column.addWidget(self.empty)
        column.addWidget(self.importing)
        column.addWidget(self.open, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(self.area, 1000 if alone else 0)
        if alone:
            column.addStretch(1)
        models.downloadsChanged.connect(self.refresh)
        models.importing.connect(self._show_import)
        theme.changed.connect(self._on_theme)
        self.refresh()

    def refresh(self) -> None:
        """Show every download as it stands."""
        items = self._models.downloads.items
        if [row.item for row in self.rows] != items:
            self._clear()
            self.rows = [DownloadRow(self._theme, self._models, item) for item in items]
            for row in self.rows:
                self._list.addWidget(row)
        for row in self.rows:
            row.refresh()
        free = self._models.free_space()
        self.free.setText("" if free is None else f"{sizes.in_words(free)} free")
        self._show()

    def _clear(self) -> None:
        for row in self.rows:
            self._list.removeWidget(row)
            row.hide()
            row.deleteLater()
        self.rows = []

    def _on_theme(self) -> None:
        """Icons have the theme's colours: the rows are made anew."""
        self._clear()
        self.refresh()

    def _show_import(self, sentence: str, fraction: float | None) -> None:
        self.importing.show_text(sentence if fraction is None else f"{sentence} · {100 * fraction:.0f} %")
        self.importing.setVisible(bool(sentence))
        self._show()

    def _show(self) -> None:
        busy = bool(self.rows) or not self.importing.isHidden()
        self.empty.setVisible(self._alone and not busy)
        self.open.setVisible(self._alone and not busy)
        self.area.setVisible(bool(self.rows))
        self._fit()
        if not self._alone:
            self.setVisible(busy)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """A row that finds little room becomes taller."""
        if event.type() == QEvent.Type.LayoutRequest:
            self._fit()
        return super().eventFilter(watched, event)

    def _fit(self) -> None:
        """The area is as high as its rows, up to what the shelf may take."""
        heights = [row.sizeHint().height() for row in self.rows]
        shown = heights if self._alone else heights[:_ROWS_BELOW]
        whole = sum(shown) + self._list.spacing() * max(0, len(shown) - 1)
        self.area.setMaximumHeight(max(1, whole))
        if not self._alone:
            self.area.setMinimumHeight(whole)
