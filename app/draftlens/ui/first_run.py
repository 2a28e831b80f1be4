"""What is shown before any model is loaded: where to begin, and nothing that does nothing."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QMenu, QPushButton, QScrollArea, QVBoxLayout, QWidget

from draftlens.ui.theme import Theme


class Card(QFrame):
    """One way to begin: an icon, what it is, and its button."""

    def __init__(
        self, theme: Theme, icon: str, title: str, text: str, button: QPushButton, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setProperty("kind", "card")
        self._theme, self._name = theme, icon
        frame = QFrame()
        frame.setProperty("kind", "cardIcon")
        frame.setFixedSize(36, 36)
        self._icon = QLabel()
        inside = QHBoxLayout(frame)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.addWidget(self._icon, 0, Qt.AlignmentFlag.AlignCenter)
        head = QLabel(title)
        head.setProperty("scale", "title")
        words = QLabel(text)
        words.setProperty("tone", "2")
        words.setWordWrap(True)
        column = QVBoxLayout()
        column.setSpacing(4)
        column.addWidget(head)
        column.addWidget(words)
        column.addSpacing(8)
        # Absolute, because the button's own direction is reversed to put its icon last.
        column.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignAbsolute)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(16, 14, 16, 16)
        layout.setSpacing(14)
        layout.addWidget(frame, 0, Qt.AlignmentFlag.AlignTop)
        layout.addLayout(column, 1)
        theme.changed.connect(self._show_icon)
        self._show_icon()

    def _show_icon(self) -> None:
        self._icon.setPixmap(self._theme.pixmap(self._name, "text2", 18))


class FirstRun(QWidget):
    """Heading and three cards."""

    startDemo = Signal()
    openFolder = Signal()
    openGguf = Signal()
    openDiscover = Signal()

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("page")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._theme = theme
        title = QLabel("Chat, and see every draft decided")
        title.setProperty("scale", "display")
        where = QLabel("Draftlens runs models on this computer. Choose where to begin.")
        where.setProperty("tone", "2")
        self.demo = QPushButton("Start the demo pair")
        self.demo.setObjectName("buttonDemo")
        self.demo.setProperty("kind", "primary")
        self.demo.setDefault(True)
        self.demo.setAutoDefault(True)
        self.demo.setIconSize(QSize(14, 14))
        self.demo.clicked.connect(self.startDemo)
        self.folder = QPushButton("Choose…")
        self.folder.setObjectName("buttonFolder")
        self.folder.setAutoDefault(True)
        self.folder.clicked.connect(self._choose)
        self.discover = QPushButton("Open Discover")
        self.discover.setAutoDefault(True)
        self.discover.clicked.connect(self.openDiscover)
        column = self._column = QWidget()
        inside = QVBoxLayout(column)
        inside.setContentsMargins(0, 0, 0, 0)
        inside.setSpacing(12)
        inside.addWidget(title)
        inside.addWidget(where)
        inside.addSpacing(8)
        inside.addWidget(
            Card(
                theme,
                "play",
                "Start with the demo pair",
                "SmolLM2-135M-Instruct and a small drafter made for it. Fetched once, about 93 MB; "
                "afterwards nothing is downloaded.",
                self.demo,
            )
        )
        self.drop = Card(
            theme,
            "folder",
            "Drop a model folder or a GGUF file",
            "An MLX folder is used where it lies, never copied, and checked before loading. A .gguf file is "
            "imported once.",
            self.folder,
        )
        self.show_drag(False)
        inside.addWidget(self.drop)
        inside.addWidget(
            Card(
                theme,
                "globe",
                "Browse the hub",
                "Pick a target first; drafters with the same vocabulary are listed next to it, with size and memory "
                "shown before the download.",
                self.discover,
            )
        )
        hint = QLabel(
            "Models in your Hugging Face cache and LM Studio folder appear under Models without being copied."
        )
        hint.setProperty("tone", "3")
        hint.setProperty("scale", "small")
        hint.setWordWrap(True)
        inside.addWidget(hint)
        page = QWidget()
        layout = QVBoxLayout(page)
        across = QHBoxLayout()
        across.addStretch(1)
        across.addWidget(column)
        across.addStretch(1)
        layout.addStretch(2)
        layout.addLayout(across)
        layout.addStretch(3)
        scroll = self.cards = QScrollArea()
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setWidgetResizable(True)
        scroll.setWidget(page)
        for part in (page, scroll.viewport()):
            part.setAutoFillBackground(False)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(scroll)
        theme.changed.connect(self._show_icons)
        self._show_icons()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where the cards do not fit they scroll; their words are never cut."""
        super().resizeEvent(event)
        layout = self._column.layout()
        if layout is not None:
            self._column.setMinimumHeight(layout.totalHeightForWidth(self._column.width()))

    def _choose(self) -> None:
        menu = QMenu(self)
        menu.addAction("Model folder…", self.openFolder.emit)
        menu.addAction("GGUF file…", self.openGguf.emit)
        menu.exec(self.folder.mapToGlobal(self.folder.rect().bottomLeft()))
        menu.deleteLater()

    def show_drag(self, over: bool) -> None:
        """Light up the card that takes files while some are dragged over the window."""
        self.drop.setProperty("kind", "cardOver" if over else "cardDrop")
        self.drop.style().unpolish(self.drop)
        self.drop.style().polish(self.drop)

    def _show_icons(self) -> None:
        self._column.setFixedWidth(self._theme.px(448))
        self.demo.setIcon(self._theme.icon("return", "onAccent", 14))
        self.demo.setLayoutDirection(Qt.LayoutDirection.RightToLeft)
