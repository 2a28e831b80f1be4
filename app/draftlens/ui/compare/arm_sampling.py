"""The whole sampling chain of one arm; what is set applies at once."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QVBoxLayout, QWidget

from draftlens.bridge.compare_setup import CompareSetup
from draftlens.compare.arms import LETTERS
from draftlens.ui.dialogs.params_form import ParamsForm
from draftlens.ui.theme import Theme


class ArmSampling(QDialog):
    """Belongs to the arm that stands at its place when a value is set."""

    def __init__(self, theme: Theme, setup: CompareSetup, arm: int, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"Sampling of arm {LETTERS[arm]}")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._setup, self._arm = setup, arm
        self.form = ParamsForm(theme, setup.arms[arm].params, length=False)
        self.form.changed.connect(self._put)
        QVBoxLayout(self).addWidget(self.form)

    def _put(self) -> None:
        if self._arm < len(self._setup.arms):
            settings = self._setup.arms[self._arm]
            params = replace(settings.params, sampling=self.form.params.sampling)
            self._setup.set_arm(self._arm, replace(settings, params=params))
