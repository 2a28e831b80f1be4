"""A choice whose text gives way: cut with an ellipsis when there is no room, whole in its tooltip and in its list."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QComboBox, QStyle, QStyleOptionComboBox, QStylePainter


class ElidingChoice(QComboBox):
    """A style sheet's combo box cuts through a letter."""

    @property
    def shown(self) -> str:
        """The text as it is painted."""
        option = self._option()
        field = self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, QStyle.SubControl.SC_ComboBoxEditField, self
        )
        return self.fontMetrics().elidedText(self.currentText(), Qt.TextElideMode.ElideRight, field.width())

    def paintEvent(self, event: QPaintEvent) -> None:
        """As QComboBox paints it, with the text cut."""
        option = self._option()
        option.currentText = self.shown
        self.setToolTip("" if self.shown == self.currentText() else self.currentText())
        painter = QStylePainter(self)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)
        painter.end()

    def _option(self) -> QStyleOptionComboBox:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        return option
