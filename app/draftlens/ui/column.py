"""A centred column of readable width: text, composer and legend share its edges."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QWidget

from draftlens.ui.theme import tokens

SIDE = 32


class Column(QWidget):
    """Holds one widget, at most as wide as text is to be."""

    def __init__(self, content: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        content.setMaximumWidth(tokens()["dimensions"]["transcriptMaxWidth"])
        across = QHBoxLayout(self)
        across.setContentsMargins(SIDE, 0, SIDE, 0)
        across.setSpacing(0)
        across.addStretch(1)
        across.addWidget(content, 1000)
        across.addStretch(1)
