"""The run's summary line as the command line prints it, cut to two lines for show and copied whole."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from draftlens.ui.theme import Theme

_COPIED_MS = 1200


class LogLine(QFrame):
    """Two lines of text and a copy button."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme, self._text = theme, ""
        self.setProperty("kind", "log")
        self.label = QLabel()
        self.label.setFont(theme.font("data"))
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.label.setTextFormat(Qt.TextFormat.PlainText)
        # What it shows is cut to the room there is: it asks for none of its own.
        self.label.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.button = QToolButton()
        self.button.setFixedSize(24, 24)
        self.button.setIconSize(QSize(14, 14))
        self.button.setAccessibleName("Copy log line")
        self.button.setToolTip("Copy log line")
        self.button.clicked.connect(self.copy)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(8, 6, 8, 6)
        layout.setSpacing(6)
        layout.addWidget(self.label, 1)
        layout.addWidget(self.button, 0, Qt.AlignmentFlag.AlignTop)
        theme.changed.connect(self._dress)
        self._dress()

    @property
    def text(self) -> str:
        """The whole line, or lines."""
        return self._text

    def show_text(self, text: str) -> None:
        """Show a run's lines; nothing is shown before there is one."""
        self._text = text
        self.setVisible(bool(text))
        self.setToolTip(text)
        self.label.setAccessibleName(text)
        self._fit()

    def copy(self) -> None:
        """Copy the whole line."""
        if self._text:
            QGuiApplication.clipboard().setText(self._text)
            self.button.setIcon(self._theme.icon("check", "acceptedText", 14))
            QTimer.singleShot(_COPIED_MS, self, self._show_icon)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Cut the text to the new width."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Break after as many words as fit, twice, and end with an ellipsis if words are left."""
        words = self._text.split("\n")[0].split(" ")
        metrics, room = self.label.fontMetrics(), max(40, self.width() - 52)
        lines: list[str] = []
        while words and len(lines) < 2:
            line = words.pop(0)
            last = len(lines) == 1
            while words and metrics.horizontalAdvance(f"{line} {words[0]}{' …' if last else ''}") <= room:
                line += f" {words.pop(0)}"
            lines.append(line)
        if words:
            lines[-1] += " …"
        self.label.setText("\n".join(lines))

    def _dress(self) -> None:
        self.setFixedHeight(self._theme.px(48))
        self.label.setFont(self._theme.font("data"))
        self._show_icon()
        self._fit()

    def _show_icon(self) -> None:
        self.button.setIcon(self._theme.icon("copy", "text2", 14))
