"""The screens of the window, one in view at a time, and the links to them in the sidebar."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeySequence, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QStackedWidget, QVBoxLayout, QWidget

from draftlens.ui.theme import Theme

CHAT, COMPARE, MODELS = "chat", "compare", "models"


@dataclass(frozen=True)
class Screen:
    """A screen that can be chosen. Without an icon it has no link in the sidebar."""

    name: str
    title: str
    keys: str
    icon: str


class Screens(QStackedWidget):
    """Holds the screens; the first one put in is in view. Promise them before the menus are built."""

    changed = Signal(str)
    added = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.entries: list[Screen] = []
        self._widgets: dict[str, QWidget] = {}
        self._makers: dict[str, Callable[[], object]] = {}

    @property
    def current(self) -> str:
        """The name of the screen in view; the chat is the first to be."""
        return next((name for name, widget in self._widgets.items() if widget is self.currentWidget()), CHAT)

    def promise(self, name: str, make: Callable[[], object], title: str, keys: str, icon: str = "") -> None:
        """Register a screen by its words, keys and icon; `make` puts it in when it is first wanted."""
        self._makers[name] = make
        self.entries = sorted([*self.entries, Screen(name, title, keys, icon)], key=lambda entry: entry.keys)
        self.added.emit()

    def put(self, name: str, widget: QWidget) -> None:
        """Take in a screen."""
        self._widgets[name] = widget
        self.addWidget(widget)

    def has(self, name: str) -> bool:
        """Whether a screen was wanted yet."""
        return name in self._widgets

    def show_screen(self, name: str) -> None:
        """Bring a screen into view."""
        if not self.has(name):
            self._makers[name]()
        if name != self.current:
            self.setCurrentWidget(self._widgets[name])
            self.changed.emit(name)


class ScreenLink(QAbstractButton):
    """Icon, words and keys of a screen; lit while it is in view."""

    def __init__(self, theme: Theme, screen: Screen, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._icon = theme, screen.icon
        self._keys = QKeySequence(screen.keys).toString(QKeySequence.SequenceFormat.NativeText)
        self.setText(screen.title)
        self.setAccessibleName(screen.title)
        self.setToolTip(f"{screen.title} ({self._keys})")
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        theme.changed.connect(self.update)

    def sizeHint(self) -> QSize:
        """As high as a row of the list below."""
        return QSize(180, self._theme.px(30))

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the row."""
        theme = self._theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(8, 1, -8, -1)
        if self.isChecked() or self.underMouse() or self.hasFocus():
            painter.setPen(QPen(theme.color("accent")) if self.hasFocus() else Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("selected" if self.isChecked() else "hover"))
            painter.drawRoundedRect(box, 6, 6)
        color = "accentText" if self.isChecked() else "text2"
        painter.drawPixmap(16, (self.height() - 16) // 2, theme.pixmap(self._icon, color, 16))
        font = theme.font("ui")
        if self.isChecked():
            font.setWeight(font.Weight.Medium)
        painter.setFont(font)
        painter.setPen(theme.color("text"))
        inner = QRect(40, 0, self.width() - 54, self.height())
        painter.drawText(inner, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, self.text())
        left = inner.width() - painter.fontMetrics().horizontalAdvance(self.text())
        painter.setFont(theme.font("small"))
        painter.setPen(theme.color("text3"))
        if painter.fontMetrics().horizontalAdvance(self._keys) + 8 <= left:
            painter.drawText(inner, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, self._keys)
        painter.end()


class ScreenLinks(QWidget):
    """The links to all screens that have an icon."""

    def __init__(self, theme: Theme, screens: Screens, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._screens = theme, screens
        self.links: dict[str, ScreenLink] = {}
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 4, 0, 4)
        self._column.setSpacing(0)
        screens.added.connect(self._fill)
        screens.changed.connect(self._light)
        self._fill()

    def _fill(self) -> None:
        for place, entry in enumerate(entry for entry in self._screens.entries if entry.icon):
            if entry.name not in self.links:
                link = self.links[entry.name] = ScreenLink(self._theme, entry)
                link.clicked.connect(self._opens(entry.name))
                self._column.insertWidget(place, link)
        self.setVisible(bool(self.links))

    def _opens(self, name: str) -> Callable[[], None]:
        def show() -> None:
            self._screens.show_screen(name)
            self._light(self._screens.current)

        return show

    def _light(self, current: str) -> None:
        for name, link in self.links.items():
            link.setChecked(name == current)
