"""What is asked before something that cannot be taken back, with the safe answer first."""

from __future__ import annotations

from PySide6.QtWidgets import QMessageBox, QWidget

from draftlens.library.catalog import Installed


def trash_loaded(parent: QWidget, item: Installed) -> bool:
    """Whether a model that is loaded is to go all the same."""
    return _ask(
        parent,
        f"{item.name} is in use",
        "It stays loaded until another model is; afterwards it can’t be loaded again.",
        ("Keep it", "Move to Trash"),
        QMessageBox.ButtonRole.DestructiveRole,
    )


def _ask(parent: QWidget, text: str, detail: str, answers: tuple[str, str], role: QMessageBox.ButtonRole) -> bool:
    box = QMessageBox(parent)
    box.setText(text)
    box.setInformativeText(detail)
    safe = box.addButton(answers[0], QMessageBox.ButtonRole.RejectRole)
    other = box.addButton(answers[1], role)
    box.setDefaultButton(safe)
    box.setEscapeButton(safe)
    box.exec()
    return box.clickedButton() is other
