"""A centred column of readable width: text, composer and legend share its edges."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QWidget

from draftlens.ui.theme import Theme, tokens

SIDE = 32


class Column(QWidget):
    """Holds one widget, at most as wide as text is to be."""

    def __init__(self, content: QWidget, parent: QWidget | None = None, *, theme: Theme | None = None) -> None:
        super().__init__(parent)
        self._content, self._theme = content, theme
        self._widen()
        if theme is not None:
            theme.changed.connect(self._widen)
        across = QHBoxLayout(self)
        across.setContentsMargins(SIDE, 0, SIDE, 0)
        across.setSpacing(0)
        across.addStretch(1)
        across.addWidget(content, 1000)
        across.addStretch(1)

    def _widen(self) -> None:
        """Larger text may be wider."""
        widest = tokens()["dimensions"]["transcriptMaxWidth"]
        self._content.setMaximumWidth(widest if self._theme is None else self._theme.px(widest))
